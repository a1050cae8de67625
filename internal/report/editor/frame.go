package editor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/creachadair/jrpc2/channel"
)

// Bounds on what an editor sends.
const (
	maxMessage = 64 << 20 // a message: the text of a file at most
	maxHeader  = 4 << 10  // a line of its header
	maxHeaders = 64       // lines of a header
)

// frames are messages with a header, as the protocol has them. The library's own
// reader would make room for whatever length a header says.
type frames struct {
	channel.Channel // sends
	r               *bufio.Reader
	messages        chan message
	closed          chan struct{}

	mu       sync.Mutex
	settled  sync.Cond // requests or ended changed
	requests int       // without an answer
	ended    bool      // closed
}

// message is what was read.
type message struct {
	data []byte
	err  error
}

// newFrames reads from r until it ends or the frames are closed. It abandons a
// read that still waits for the editor.
func newFrames(r io.Reader, w io.WriteCloser) *frames {
	f := &frames{Channel: channel.Header("")(nil, w), r: bufio.NewReaderSize(r, maxHeader), messages: make(chan message), closed: make(chan struct{})}
	f.settled.L = &f.mu
	go func() {
		for {
			var m message
			m.data, m.err = f.read()
			select {
			case f.messages <- m:
			case <-f.closed:
				return
			}
			if m.err != nil {
				return
			}
		}
	}()
	return f
}

// Recv returns the next message, after what was asked for before is answered: the
// server would answer in another order, and drop requests at the end. It is io.EOF
// where there is no message any more, and after Close.
func (f *frames) Recv() ([]byte, error) {
	select {
	case m := <-f.messages:
		f.mu.Lock()
		defer f.mu.Unlock()
		for f.requests > 0 && !f.ended {
			f.settled.Wait()
		}
		if m.err == nil && asks(m.data) {
			f.requests++
		}
		return m.data, m.err
	case <-f.closed:
		return nil, io.EOF
	}
}

// Send sends a message, which may be an answer.
func (f *frames) Send(data []byte) error {
	err := f.Channel.Send(data)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, id, called := envelope(data); id && !called {
		f.requests--
		f.settled.Broadcast()
	}
	return err
}

// Close ends what waits for a message.
func (f *frames) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ended {
		f.ended = true
		close(f.closed)
		f.settled.Broadcast()
	}
	return nil
}

// asks reports whether a message is a request that is answered with its number.
func asks(data []byte) bool {
	valid, id, called := envelope(data)
	return valid && id && called
}

// envelope says of a message whether it is an object, has a number or a name to be
// answered with, and calls a method.
func envelope(data []byte) (valid, id, called bool) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(data, &m) != nil {
		return false, false, false
	}
	first := byte('n') // null
	if len(m.ID) > 0 {
		first = m.ID[0]
	}
	return true, first == '"' || first == '-' || first >= '0' && first <= '9', m.Method != ""
}

// errCut is a message without its end.
var errCut = errors.New("read message: the editor closed the connection in the middle of a message")

func (f *frames) read() ([]byte, error) {
	length := -1
	for n := 0; ; n++ {
		line, err := f.r.ReadSlice('\n')
		switch {
		case err == io.EOF && n == 0 && len(line) == 0:
			return nil, io.EOF
		case err == io.EOF:
			return nil, errCut
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("read message: a line of its header is longer than %d bytes", maxHeader)
		case err != nil:
			return nil, err
		case n == maxHeaders:
			return nil, fmt.Errorf("read message: its header has more than %d lines", maxHeaders)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("read message: %.60q is not a header line: the length of the previous message differed from its Content-Length", text)
		}
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue // Content-Type, which is always the same
		}
		size, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
		if err != nil {
			return nil, fmt.Errorf("read message: Content-Length: %.60q is not a length", value)
		}
		if size > maxMessage {
			return nil, fmt.Errorf("read message: Content-Length: %d bytes exceed the limit of %d MiB", size, maxMessage>>20)
		}
		length = int(size)
	}
	if length < 0 {
		return nil, errors.New("read message: no Content-Length: the length of the previous message may have differed from its Content-Length")
	}
	var data bytes.Buffer // grows with what comes, not with what is promised
	if _, err := io.CopyN(&data, f.r, int64(length)); err != nil {
		if err == io.EOF {
			err = errCut
		}
		return nil, err
	}
	return data.Bytes(), nil
}
