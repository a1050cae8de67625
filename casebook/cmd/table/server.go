package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// server is one that stands.
type server struct {
	cmd     *exec.Cmd
	address *url.URL
	stderr  bytes.Buffer
}

// stopLimit bounds the end of a server.
const stopLimit = 5 * time.Second

// stageCommand is the program that serves a stage.
func stageCommand(ctx context.Context, program, name, stage string) *exec.Cmd {
	return exec.CommandContext(ctx, program, "-case", name, "-stage", stage, "-addr", "127.0.0.1:0", "-pprof-addr", "")
}

// startServer starts a command and waits for the address that it prints.
func startServer(cmd *exec.Cmd, launch func(*exec.Cmd) error) (*server, error) {
	s := &server{cmd: cmd}
	cmd.WaitDelay = time.Second
	cmd.Stderr = &s.stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := launch(cmd); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err == nil {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
		if s.address, err = url.Parse(text); err == nil && !ok {
			err = fmt.Errorf("it printed %.100q and no address", line)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// stop ends a server, by force where it does not end.
func (s *server) stop() error {
	force := time.AfterFunc(stopLimit, func() { s.cmd.Process.Kill() })
	defer force.Stop()
	asked := true
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		asked = false // the system has no such signal, or it has ended
		s.cmd.Process.Kill()
	}
	if err := s.cmd.Wait(); err != nil && asked {
		return fmt.Errorf("the server did not end well: %w: %s", err, lastLines(s.stderr.String(), 5))
	}
	return nil
}
