package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"time"

	"whet/internal/capture/process"
	"whet/internal/prove"
)

// server is one that stands.
type server struct {
	running *process.Running
	printed *prove.CapturedOutput
	address *url.URL
}

const (
	// standLimit bounds the wait for a server's address, stopLimit that for its
	// end.
	standLimit = 30 * time.Second
	stopLimit  = 20 * time.Second
)

// startServer starts the program that serves a stage on some processors, and
// waits for the address that it prints.
func startServer(ctx context.Context, program, name, stage string, processors []int) (_ *server, err error) {
	first := &firstLine{is: make(chan string, 1)}
	s := &server{printed: prove.Keep(nil)}
	s.running, err = process.Start(process.Command{
		Path: program, Args: []string{"-case", name, "-stage", stage, "-addr", "127.0.0.1:0", "-pprof-addr", ""},
		Processors: processors, Stdout: first, Stderr: s.printed.Stderr(), Grace: stopLimit,
	})
	if err != nil {
		return nil, err
	}
	limit, cancel := context.WithTimeout(ctx, standLimit)
	defer cancel()
	var line string
	select {
	case line = <-first.is:
	case <-s.running.Done():
		select {
		case line = <-first.is: // it printed it, and ended
		default:
			return nil, fmt.Errorf("it ended and printed no address: %s%s", s.running.Stop().Status(), s.printed.LastWords())
		}
	case <-limit.Done():
		err = fmt.Errorf("it printed no address within %v", standLimit)
	}
	if err == nil {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
		if s.address, err = url.Parse(text); err == nil && !ok {
			err = fmt.Errorf("it printed %.100q and no address", line)
		}
	}
	if err != nil {
		s.running.Stop()
		return nil, err
	}
	return s, nil
}

// stop ends a server, by force where it does not end.
func (s *server) stop() error {
	early := s.running.Ended()
	res := s.running.Stop()
	switch {
	case early:
		return errors.New("it ended before it was asked to" + s.printed.LastWords())
	case res == nil || runtime.GOOS == "windows": // processes there cannot be asked to end
		return nil
	case res.ExitCode != 0:
		return fmt.Errorf("it did not end well: %s%s", res.Status(), s.printed.LastWords())
	}
	return nil
}

// firstLine sends the first line that is written, as much of it as an address
// may have, and drops the rest.
type firstLine struct {
	is   chan string
	text []byte
	sent bool
}

func (f *firstLine) Write(p []byte) (int, error) {
	const most = 1 << 10
	if f.sent {
		return len(p), nil
	}
	f.text = append(f.text, p[:min(len(p), most)]...)
	if i := bytes.IndexByte(f.text, '\n'); i >= 0 || len(f.text) >= most {
		if i < 0 {
			i = len(f.text) - 1
		}
		f.is <- string(f.text[:i+1])
		f.sent = true
	}
	return len(p), nil
}
