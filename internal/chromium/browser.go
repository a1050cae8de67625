package chromium

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// Find returns the path of a Chromium: the one that is named, or the first on the
// PATH.
func Find(named string) (string, error) {
	if runtime.GOOS == "windows" {
		return "", errors.New("no Chromium: it is driven over pipes, which a program on Windows cannot hand on")
	}
	if named != "" {
		return named, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium on the PATH: install the package chromium")
}

// flags keep the browser from everything but the page.
func flags(profile string) []string {
	out := []string{
		"--headless", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--window-size=1280,900",
		"--no-first-run", "--no-default-browser-check", "--disable-gpu", "--hide-scrollbars", "--mute-audio",
		"--force-color-profile=srgb", "--password-store=basic", "--use-mock-keychain", "--enable-automation",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
		"--disable-default-apps", "--disable-breakpad", "--disable-client-side-phishing-detection", "--metrics-recording-only",
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		"--disable-dev-shm-usage", "--disable-hang-monitor", "--disable-popup-blocking", "--disable-prompt-on-repost",
	}
	if os.Geteuid() == 0 {
		out = append(out, "--no-sandbox") // the sandbox refuses to run as root
	}
	return append(out, "about:blank")
}

// Browser is a Chromium of its own with one page.
type Browser struct {
	// event is called for each event of the page, in order, before the answers
	// that came after it are handed out.
	event func(method string, params json.RawMessage)

	cmd     *exec.Cmd
	profile string
	stderr  bytes.Buffer
	to      *os.File
	session string // of the page; "" until it is attached

	mu      sync.Mutex
	calls   int
	pending map[int]chan<- response
	loaded  map[string]bool // loaders that have loaded all
	changed chan struct{}   // closed when loaded has changed
	ended   chan struct{}   // closed when nothing more is read
}

// response is the browser's response to a command.
type response struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// closing bounds how long a browser may take to end.
const closing = 10 * time.Second

// Start starts the browser at path; event may be nil. The browser ends with the
// context, or when it is closed.
func Start(ctx context.Context, path string, event func(method string, params json.RawMessage)) (b *Browser, err error) {
	b = &Browser{event: event, pending: make(map[int]chan<- response), loaded: make(map[string]bool), changed: make(chan struct{}), ended: make(chan struct{})}
	if b.profile, err = os.MkdirTemp("", "whet-chromium"); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	from, err := b.start(ctx, path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", path, err), os.RemoveAll(b.profile))
	}
	go b.read(from)
	if err := b.attach(ctx); err != nil {
		err = fmt.Errorf("start %s: %w", path, err)
		if closed := b.Close(); closed != nil {
			return nil, errors.Join(err, closed)
		}
		return nil, fmt.Errorf("%w: %.500s", err, b.stderr.Bytes())
	}
	return b, nil
}

// start starts the process, which reads commands from its file 3 and writes
// answers to its file 4.
func (b *Browser) start(ctx context.Context, path string) (from *os.File, err error) {
	commands, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, answers, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, commands.Close(), to.Close())
	}
	b.to = to
	b.cmd = exec.CommandContext(ctx, path, flags(b.profile)...)
	b.cmd.ExtraFiles = []*os.File{commands, answers}
	b.cmd.Stderr = &b.stderr
	b.cmd.WaitDelay = closing
	err = b.cmd.Start()
	// Ours are the other ends alone: otherwise they never end.
	err = errors.Join(err, commands.Close(), answers.Close())
	if err != nil {
		return nil, errors.Join(err, to.Close(), from.Close())
	}
	return from, nil
}

// attach makes the page, and asks for its events.
func (b *Browser) attach(ctx context.Context) error {
	var target struct {
		ID string `json:"targetId"`
	}
	if err := b.Call(ctx, "Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	if err := b.Call(ctx, "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &session); err != nil {
		return err
	}
	b.session = session.ID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		if err := b.Call(ctx, domain+".enable", nil, nil); err != nil {
			return err
		}
	}
	return b.Call(ctx, "Page.setLifecycleEventsEnabled", map[string]any{"enabled": true}, nil)
}

// Call asks the page, or the browser before there is one; result may be nil.
func (b *Browser) Call(ctx context.Context, method string, params, result any) error {
	return b.call(ctx, b.session, method, params, result)
}

func (b *Browser) call(ctx context.Context, session, method string, params, result any) error {
	if params == nil {
		params = struct{}{}
	}
	got := make(chan response, 1)
	b.mu.Lock()
	b.calls++
	id := b.calls
	b.pending[id] = got
	text, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if session != "" && err == nil {
		text, err = json.Marshal(map[string]any{"id": id, "method": method, "params": params, "sessionId": session})
	}
	if err == nil {
		_, err = b.to.Write(append(text, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case a := <-got:
		switch {
		case a.Error != nil:
			return fmt.Errorf("%s: %s", method, a.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(a.Result, result)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	case <-b.ended:
		return fmt.Errorf("%s: the browser has ended", method)
	}
}

// read hands out what the browser writes: messages that end with a zero byte.
func (b *Browser) read(from *os.File) {
	defer close(b.ended)
	defer from.Close()
	for r := bufio.NewReader(from); ; {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID     int             `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
			response
		}
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			return
		}
		if m.ID == 0 {
			b.seen(m.Method, m.Params)
			continue
		}
		b.mu.Lock()
		if to := b.pending[m.ID]; to != nil {
			to <- m.response
			delete(b.pending, m.ID)
		}
		b.mu.Unlock()
	}
}

func (b *Browser) seen(method string, params json.RawMessage) {
	if method == "Page.lifecycleEvent" {
		var at struct{ Name, LoaderID string }
		if json.Unmarshal(params, &at) == nil && at.Name == "load" {
			b.mu.Lock()
			b.loaded[at.LoaderID] = true
			close(b.changed)
			b.changed = make(chan struct{})
			b.mu.Unlock()
		}
	}
	if b.event != nil {
		b.event(method, params)
	}
}

// Close ends the browser, and waits until it has.
func (b *Browser) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if err := b.call(ctx, "", "Browser.close", nil, nil); err != nil {
		b.cmd.Process.Kill() // Wait says how it ended
	}
	err := b.cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = nil // what the page did is of interest, and not how the browser left
	}
	<-b.ended
	return errors.Join(err, b.to.Close(), os.RemoveAll(b.profile))
}
