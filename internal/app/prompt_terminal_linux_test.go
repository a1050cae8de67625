package app

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"whet/internal/cli"
)

// screen is a terminal that the test types on and reads.
type screen struct {
	t      *testing.T
	keys   *os.File // the end that a terminal program has
	tty    *os.File // the end that whet has
	before unix.Termios

	mu    sync.Mutex
	shown strings.Builder
	more  chan struct{}
	read  int // of shown, what the test has waited for
}

func openScreen(t *testing.T) *screen {
	t.Helper()
	t.Setenv("TERM", "xterm")
	s := &screen{t: t, more: make(chan struct{}, 1)}
	var err error
	if s.keys, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { s.keys.Close() })
	fd := int(s.keys.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if s.tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.tty.Close() })
	s.before = s.state()
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := s.keys.Read(buffer)
			s.mu.Lock()
			s.shown.Write(buffer[:n])
			s.mu.Unlock()
			select {
			case s.more <- struct{}{}:
			default:
			}
			if err != nil {
				return // closed
			}
		}
	}()
	return s
}

func (s *screen) state() unix.Termios {
	s.t.Helper()
	state, err := unix.IoctlGetTermios(int(s.tty.Fd()), unix.TCGETS)
	if err != nil {
		s.t.Fatal(err)
	}
	return *state
}

// await waits until text is shown, after what was waited for before.
func (s *screen) await(text string) {
	s.t.Helper()
	late := time.After(patience)
	for {
		s.mu.Lock()
		i := strings.Index(s.shown.String()[s.read:], text)
		if i >= 0 {
			s.read += i + len(text)
		}
		shown := s.shown.String()
		s.mu.Unlock()
		if i >= 0 {
			return
		}
		select {
		case <-s.more:
		case <-late:
			s.t.Fatalf("%q is not shown; the screen:\n%s", text, shown)
		}
	}
}

func (s *screen) enter(keys string) {
	s.t.Helper()
	if _, err := s.keys.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// prompt runs a session on the screen.
func (s *screen) prompt(ctx context.Context, profile string, out *bytes.Buffer) chan int {
	code := make(chan int, 1)
	go func() { code <- Run(ctx, []string{profile}, s.tty, out, s.tty) }()
	s.await(promptShown)
	return code
}

func (s *screen) restored() {
	s.t.Helper()
	if diff := cmp.Diff(s.before, s.state()); diff != "" {
		s.t.Errorf("the terminal is not as it was (-before +after):\n%s", diff)
	}
}

// TestPromptOnTerminal types on a real terminal: completion, history, an error
// and the end.
func TestPromptOnTerminal(t *testing.T) {
	s := openScreen(t)
	var out bytes.Buffer
	code := s.prompt(t.Context(), file(t, "x", foldedText), &out)

	s.enter("fold\t\r") // one command begins so
	s.await(promptShown)
	s.enter("gran\tfil\t\t") // an option, and as much as two of its values share; then both
	s.await("filefunctions  files")
	s.enter("s\r")
	s.await(promptShown)
	s.enter("nonsense\r")
	s.await(`"nonsense"`)
	s.await(promptShown)
	s.enter("list main.w\t")
	s.await("main.work")
	s.enter("\x15") // Ctrl-U: not this
	s.enter("\x1b[A\x1b[A\x1b[A\r")
	s.await(promptShown)
	s.enter("o\r")
	s.await("granularity            = files")
	s.await(promptShown)
	s.enter("\x04") // Ctrl-D
	if got := <-code; got != cli.ExitDone {
		t.Errorf("exit code %d", got)
	}
	if out.String() != foldedText+foldedText {
		t.Errorf("printed %q", out.String())
	}
	s.restored()
}

// TestPromptLeavesTerminal: a session that is stopped while it waits for a
// line leaves the terminal as it was.
func TestPromptLeavesTerminal(t *testing.T) {
	s := openScreen(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	code := s.prompt(ctx, file(t, "x", foldedText), &out)
	cancel()
	if got := <-code; got != cli.ExitInterrupted {
		t.Errorf("exit code %d", got)
	}
	s.restored()
	s.enter("\r") // for the reader that is left
}

// promptShown is what the prompt writes where it waits.
const promptShown = "(whet) "
