package ingest_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"whet/casebook/ingest"
	"whet/casebook/ingest/ingesttest"
)

// FuzzRoute: a document goes where encoding/json and a regular expression send
// it, and is broken for the same reason.
func FuzzRoute(f *testing.F) {
	for line := range bytes.Lines(ingesttest.Body(20_000)) {
		f.Add(string(bytes.TrimSpace(line)))
	}
	for _, s := range []string{
		"{}", "[]", "null", "{", `{"a":1}`, `{"type":"a","time":""}`, `{"type":"","time":"2026-11-20T10:00:00Z"}`,
		`{"\u0074ype":"a","time":"2026-11-20T10:00:00Z","tim\u0065":1}`, `{"type":"a\u0000","time":"2026-11-20T10:00:00Z"}`,
		`{"type":"\ud800","time":"2026-11-20T10:00:00Z"}`, `{"x":"\ud83d\ude00\ud800","type":"a","time":"2026-11-20T10:00:00Z"}`,
		`{"x":-0.0e-0,"y":[[],{}," ",true],"type":"a","time":"2026-11-20T10:00:00+14:00"}`, "{\"type\"\n:\"a\",\"time\":\"2026-11-20T10:00:00Z\"}",
		`{"a":1e999,"b":-01}`, strings.Repeat(`{"a":[`, 50) + strings.Repeat("]}", 50), `{"":"","":""}`, `{"type":"a","time":"9999-12-31T23:59:59-00:01"}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, document string) {
		in := []byte(document)
		got, err := ingest.Route(in)
		want, wantErr := ingesttest.ExpectRoute(document)
		if !errors.Is(err, wantErr) {
			t.Fatalf("%q: error %v, want %v", document, err, wantErr)
		}
		if err == nil && got.String() != want {
			t.Errorf("%q goes to %s, want %s", document, got, want)
		}
		if string(in) != document {
			t.Errorf("%q was changed to %q", document, in)
		}
	})
}

// Every byte, at every place of a group of eight: text may hold it or not, as
// RFC 8259, section 7 says.
func TestEveryByteInText(t *testing.T) {
	for c := range 256 {
		for at := range 17 {
			text := bytes.Repeat([]byte("x"), 17)
			text[at] = byte(c)
			document := `{"type":"a","time":"2026-11-20T10:00:00Z","x":"` + string(text) + `"}`
			_, err := ingest.Route([]byte(document))
			ok := c >= 0x20 && c < 0x80 && c != '"' && c != '\\'
			if ok != (err == nil) {
				t.Errorf("byte %#x at %d of a text: %v", c, at, err)
			}
			// The same byte beside one that borrows in the difference.
			if at > 0 {
				text[at-1] = 0x1f
				document = `{"type":"a","time":"2026-11-20T10:00:00Z","x":"` + string(text) + `"}`
				if _, err := ingest.Route([]byte(document)); err == nil {
					t.Errorf("a control character before byte %#x at %d is taken", c, at)
				}
			}
		}
	}
}

func TestRouteDoesNotAllocate(t *testing.T) {
	lines := bytes.Split(bytes.TrimSpace(ingesttest.Body(50_000)), []byte("\n"))
	if n := testing.AllocsPerRun(20, func() {
		for _, line := range lines {
			if _, err := ingest.Route(line); err != nil {
				t.Fatalf("%v in %q", err, line)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations for %d documents, want 0", n, len(lines))
	}
}
