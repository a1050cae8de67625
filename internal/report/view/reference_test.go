package view

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// TestMain ends the pprof program with the tests.
func TestMain(m *testing.M) {
	code := m.Run()
	if err := theReference.end(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// reference is the pprof program, internal/house/pprof, which is started when it
// is first asked.
type reference struct {
	mu       sync.Mutex
	dir      string
	cmd      *exec.Cmd
	stdin    io.Closer
	requests *json.Encoder
	answers  *json.Decoder
	subjects int
}

var theReference reference

func (r *reference) start() error {
	var err error
	if r.dir, err = os.MkdirTemp("", "whet-pprof"); err != nil {
		return err
	}
	program := filepath.Join(r.dir, "pprof.exe")
	if out, err := exec.Command("go", "build", "-o", program, "whet/internal/house/pprof").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.cmd, r.stdin, r.requests, r.answers = cmd, in, json.NewEncoder(in), json.NewDecoder(out)
	return nil
}

func (r *reference) end() error {
	var err error
	if r.cmd != nil {
		err = errors.Join(r.stdin.Close(), r.cmd.Wait())
	}
	if r.dir != "" {
		err = errors.Join(err, os.RemoveAll(r.dir))
	}
	return err
}

// ask runs pprof on the subject. Where there is no answer nothing can be
// compared: the tests end there.
func (s *fixture) ask(args []string) (string, error) {
	type request struct {
		Subject        int
		Measured, Base []byte
		Args           []string
	}
	var answer struct {
		Out   []byte
		Error string
	}
	r := &theReference
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.cmd == nil {
		err = r.start()
	}
	if err == nil && s.number == 0 {
		r.subjects++
		s.number = r.subjects
		err = r.requests.Encode(request{Subject: s.number, Measured: s.data, Base: s.baseData})
	}
	if err == nil {
		err = errors.Join(r.requests.Encode(request{Subject: s.number, Args: args}), r.answers.Decode(&answer))
	}
	switch {
	case err != nil:
		panic(fmt.Errorf("ask pprof: %w", err))
	case answer.Error != "":
		return string(answer.Out), errors.New(answer.Error)
	}
	return string(answer.Out), nil
}
