package editor

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/creachadair/jrpc2/channel"
)

// all reads messages until there are no more.
func all(data []byte) (messages [][]byte, err error) {
	f := &frames{r: bufio.NewReaderSize(bytes.NewReader(data), maxHeader)}
	for {
		m, err := f.read()
		if err != nil {
			return messages, err
		}
		messages = append(messages, m)
	}
}

// FuzzFrames: what is read is in the input, and what the protocol's library writes of it
// is read again as it was, one message after the other.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}Content-Type: x\r\ncontent-length:3\n\n[1]"))
	f.Add([]byte("Content-Length: 99999999999999999999\r\n\r\n"))
	f.Add([]byte("Content-Length: 9\r\n\r\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		messages, err := all(data)
		if err == nil || errors.Is(err, io.EOF) && len(data) > 0 && len(messages) == 0 {
			t.Fatalf("%d messages, %v", len(messages), err)
		}
		var again bytes.Buffer
		for _, m := range messages {
			if !bytes.Contains(data, m) {
				t.Fatalf("%q is not in the input", m)
			}
			if err := channel.LSP(nil, nopCloser{&again}).Send(m); err != nil {
				t.Fatal(err)
			}
		}
		same, err := all(again.Bytes())
		if err != io.EOF || len(same) != len(messages) {
			t.Fatalf("%d messages were read again as %d, %v", len(messages), len(same), err)
		}
		for i := range same {
			if !bytes.Equal(same[i], messages[i]) {
				t.Fatalf("%q was read again as %q", messages[i], same[i])
			}
		}
	})
}

// TestColumns: positions are in UTF-16 code units.
func TestColumns(t *testing.T) {
	line := "\ta := \"ä😀\" // x\xff"
	for bytes, want := range map[int]int{-1: 0, 0: 0, 1: 1, strings.Index(line, "ä"): 7, strings.Index(line, "😀"): 8, strings.Index(line, "\" //"): 10, len(line): 17, 999: 17} {
		if got := utf16Column(line, bytes); got != want {
			t.Errorf("byte %d: column %d, want %d", bytes, got, want)
		}
	}
	for uri, want := range map[string]string{
		"file:///a/b%20c.go": "/a/b c.go", "file:///a/../b.go": "/b.go", "file://localhost/x.go": "/x.go",
		"file://host/x.go": "", "http://x/y.go": "", "untitled:1": "", "%zz": "", "": "", "file://": "",
	} {
		if got := pathOf(uri); got != want {
			t.Errorf("%q: %q, want %q", uri, got, want)
		}
	}
}
