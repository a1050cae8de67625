package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"whet/casebook/ingest/ingesttest"
)

// The generator is a closed loop: each connection sends its next request when it
// has the answer to the last, so that what it counts is what the service can do
// and no more than the generator can. It reads answers as far as it must to
// find their end, and requests are bytes made once: its own cost is two system
// calls a request. Where it ends, with the loopback and net/http's server, it
// shows by itself, against a server that answers a constant.

// drive is what the generator is to do.
type drive struct {
	Addr        string
	Requests    [][]byte // in turn, each connection from another one on
	Body        int      // size of the body behind each; it is made here
	Connections int
	Warmup      time.Duration // not counted
	Duration    time.Duration
}

// driven is what it did.
type driven struct {
	Completed int64  // answers within Duration
	Bytes     int64  // of the bodies that were counted
	Failed    int64  // answers other than 200, warm-up included
	Example   string // of those
}

// patience bounds the wait for one answer.
const patience = 30 * time.Second

// run drives the service.
func (d *drive) run() (driven, error) {
	var got driven
	if len(d.Requests) == 0 || d.Connections < 1 || d.Duration <= 0 {
		return got, errors.New("there is nothing to do: give requests, connections and a duration")
	}
	requests := slices.Clone(d.Requests)
	if d.Body > 0 {
		body := ingesttest.Body(d.Body)
		for i, r := range requests {
			requests[i] = slices.Concat(r, body)
		}
	}
	conns := make([]net.Conn, 0, d.Connections)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range d.Connections {
		c, err := net.Dial("tcp", d.Addr)
		if err != nil {
			return got, err
		}
		conns = append(conns, c)
	}
	begin := time.Now().Add(d.Warmup)
	end := begin.Add(d.Duration)
	var completed, size, failed atomic.Int64
	var example atomic.Pointer[string]
	errs := make([]error, len(conns))
	var wg sync.WaitGroup
	for i, c := range conns {
		wg.Go(func() {
			r := bufio.NewReaderSize(c, 16<<10)
			c.SetDeadline(end.Add(patience))
			for k := i; ; k++ {
				if _, errs[i] = c.Write(requests[k%len(requests)]); errs[i] != nil {
					return
				}
				var a answer
				if a, errs[i] = readAnswer(r); errs[i] != nil {
					return
				}
				if a.status != http.StatusOK {
					failed.Add(1)
					text := strconv.Itoa(a.status)
					example.Store(&text)
				}
				// An answer counts where it ends: those under way at the beginning do,
				// those under way at the end do not.
				now := time.Now()
				if now.After(end) {
					return
				}
				if now.After(begin) {
					completed.Add(1)
					size.Add(a.length)
				}
			}
		})
	}
	wg.Wait()
	got = driven{Completed: completed.Load(), Bytes: size.Load(), Failed: failed.Load()}
	if e := example.Load(); e != nil {
		got.Example = *e
	}
	return got, errors.Join(errs...)
}

// answer is what the generator looks at.
type answer struct {
	status int
	length int64 // of the body
}

// maxHeader bounds the lines of a header.
const maxHeader = 100

// readAnswer reads one answer of HTTP/1.1 to its end.
func readAnswer(r *bufio.Reader) (answer, error) {
	var a answer
	line, err := readLine(r)
	if err != nil {
		return a, fmt.Errorf("read an answer: %w", err)
	}
	if len(line) < len("HTTP/1.1 200") || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return a, fmt.Errorf("read an answer: it begins with %.40q", line)
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return a, fmt.Errorf("read an answer: its status is %.40q", line)
	}
	a.length = -1
	for range maxHeader {
		if line, err = readLine(r); err != nil {
			return a, fmt.Errorf("read the header of an answer: %w", err)
		}
		if len(line) == 0 {
			if a.length < 0 {
				return a, errors.New("read an answer: it does not tell its length")
			}
			if _, err := io.CopyN(io.Discard, r, a.length); err != nil {
				return a, fmt.Errorf("read the body of an answer: %w", unexpected(err))
			}
			return a, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case len(name) == len("Content-Length") && bytes.EqualFold(name, []byte("Content-Length")):
			if a.length, err = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64); err != nil || a.length < 0 {
				return a, fmt.Errorf("read an answer: its length is %.40q", value)
			}
		case len(name) == len("Transfer-Encoding") && bytes.EqualFold(name, []byte("Transfer-Encoding")):
			return a, errors.New("read an answer: it comes in chunks, and no stage answers so")
		case len(name) == len("Connection") && bytes.EqualFold(name, []byte("Connection")):
			return a, errors.New("read an answer: the server closes the connection")
		}
	}
	return a, fmt.Errorf("read an answer: its header has more than %d lines", maxHeader)
}

// readLine reads a line without its end. It is good until the next read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		if len(line) > 0 {
			err = unexpected(err)
		}
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// unexpected is an end in the middle of something.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
