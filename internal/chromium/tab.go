package chromium

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Tab is a page in a browser of its own.
type Tab struct {
	t       *testing.T
	ctx     context.Context
	browser *Browser
	address string

	mu  sync.Mutex
	bad []string // console messages, exceptions, refused loads, dialogs, requests
}

// Open shows a document, in a file of that name, in a window of 1280 by 900
// pixels. Where there is no browser the test is skipped, and fails in CI.
func Open(t *testing.T, name string, doc []byte) *Tab {
	t.Helper()
	path := Need(t)
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, doc, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // t.Context ends before the clean-up
	t.Cleanup(cancel)
	b := &Tab{t: t, ctx: ctx, address: FileURL(file)}
	browser, err := Start(ctx, path, b.event)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := browser.Close(); err != nil {
			t.Errorf("end the browser: %v", err)
		}
	})
	b.browser = browser
	b.Viewport(1280, 900)
	b.must(browser.Navigate(ctx, b.address))
	return b
}

// Need returns the path of a Chromium. Where there is none the test is skipped,
// and fails in CI.
func Need(t *testing.T) string {
	t.Helper()
	path, err := Find("")
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	return path
}

func (b *Tab) event(method string, params json.RawMessage) {
	var p struct {
		Type      string
		Message   string
		Exception struct {
			Text      string
			Exception struct{ Description string }
		} `json:"exceptionDetails"`
		Entry   struct{ Text string }
		Request struct{ URL string }
	}
	if err := json.Unmarshal(params, &p); err != nil {
		p.Message = err.Error()
	}
	say := ""
	switch method {
	case "Runtime.consoleAPICalled":
		say = "console." + p.Type
	case "Runtime.exceptionThrown":
		say = "exception: " + p.Exception.Text + " " + p.Exception.Exception.Description
	case "Log.entryAdded":
		say = "log: " + p.Entry.Text
	case "Page.javascriptDialogOpening":
		say = "dialog: " + p.Message
	case "Network.requestWillBeSent":
		if p.Request.URL != b.address {
			say = "request: " + p.Request.URL
		}
	}
	if say != "" {
		b.mu.Lock()
		b.bad = append(b.bad, say)
		b.mu.Unlock()
	}
}

func (b *Tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// Run evaluates expressions in the page for what they do.
func (b *Tab) Run(expressions ...string) {
	b.t.Helper()
	for _, e := range expressions {
		if err := b.browser.Eval(b.ctx, e, nil); err != nil {
			b.t.Fatalf("%s: %v", e, err)
		}
	}
}

// Viewport sets the window's size.
func (b *Tab) Viewport(width, height int64) {
	b.t.Helper()
	b.must(b.browser.Viewport(b.ctx, width, height, 1))
}

// Dark asks the browser for the dark scheme.
func (b *Tab) Dark() {
	b.t.Helper()
	b.must(b.browser.Media(b.ctx, map[string]string{"prefers-color-scheme": "dark"}))
}

// Keys presses keys, one after the other.
func (b *Tab) Keys(keys string) {
	b.t.Helper()
	b.must(b.browser.Type(b.ctx, keys))
}

// Click clicks the middle of the first element that a CSS selector finds.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	at := Eval[[2]float64](b, fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e.scrollIntoView({block: "center", behavior: "instant"});
		const r = e.getBoundingClientRect();
		return [r.left + r.width / 2, r.top + r.height / 2];
	})()`, selector))
	b.ClickAt(at[0], at[1])
}

// ClickAt clicks at a place in the window.
func (b *Tab) ClickAt(x, y float64) {
	b.t.Helper()
	b.Drag([2]float64{x, y})
}

// MoveTo moves the mouse to a place in the window.
func (b *Tab) MoveTo(x, y float64) {
	b.t.Helper()
	b.must(b.browser.mouse(b.ctx, mouse{Type: "mouseMoved", X: x, Y: y}))
}

// Drag presses the mouse at the first place, and lets go at the last.
func (b *Tab) Drag(places ...[2]float64) {
	b.t.Helper()
	var events []mouse
	for i, p := range places {
		kind := "mouseMoved"
		if i == 0 {
			kind = "mousePressed"
		}
		events = append(events, mouse{Type: kind, X: p[0], Y: p[1], Button: "left", Clicks: 1})
	}
	last := events[len(events)-1]
	last.Type = "mouseReleased"
	b.must(b.browser.mouse(b.ctx, append(events, last)...))
}

// Wheel turns the wheel at a place in the window, while Ctrl is held.
func (b *Tab) Wheel(x, y, dx, dy float64) {
	b.t.Helper()
	const ctrl = 2
	b.must(b.browser.mouse(b.ctx, mouse{Type: "mouseWheel", X: x, Y: y, DeltaX: dx, DeltaY: dy, Modifiers: ctrl}))
}

// Settle lets the page paint.
func (b *Tab) Settle() {
	b.t.Helper()
	b.Run(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`)
}

// Eval returns the value of an expression in the page; of a promise, what it is
// kept with.
func Eval[T any](b *Tab, expression string) (v T) {
	b.t.Helper()
	if err := b.browser.Eval(b.ctx, expression, &v); err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Text returns the text of an element.
func (b *Tab) Text(id string) string {
	b.t.Helper()
	return Eval[string](b, fmt.Sprintf("document.getElementById(%q).textContent", id))
}

// Want fails the test where an element does not say something. It waits for
// nothing: a page answers an input before the next one.
func (b *Tab) Want(id string, parts ...string) {
	b.t.Helper()
	got := b.Text(id)
	for _, p := range parts {
		if !strings.Contains(got, p) {
			b.t.Errorf("#%s says %q, want %q in it", id, got, p)
		}
	}
}

// Apart returns the figures in sight whose unit stands on the next line.
func (b *Tab) Apart() []string {
	b.t.Helper()
	return Eval[[]string](b, `(() => {
		const out = [], figure = /[0-9] (?:%|ns|µs|ms|s|[kMGTPE]i?B|cores)(?![A-Za-z0-9])/g;
		const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let n = texts.nextNode(); n; n = texts.nextNode()) {
			if (n.parentElement.closest("script, style, svg, select")) continue;
			for (const m of n.data.matchAll(figure)) {
				const r = document.createRange();
				r.setStart(n, m.index);
				r.setEnd(n, m.index + m[0].length);
				const at = [...r.getClientRects()].filter(c => c.width > 0).map(c => c.top);
				if (Math.max(...at) - Math.min(...at) > 4) out.push(n.data.slice(Math.max(m.index - 20, 0), m.index + 20));
			}
		}
		return out;
	})()`)
}

// Complaints returns the page's violations since it was opened: see the package
// comment.
func (b *Tab) Complaints() []string {
	b.t.Helper()
	// A last answer from the page: all events before it have come.
	if state := Eval[string](b, "document.readyState"); state != "complete" {
		b.t.Errorf("the document is %s", state)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.bad...)
}

// Quiet fails the test for each complaint.
func (b *Tab) Quiet() {
	b.t.Helper()
	for _, say := range b.Complaints() {
		b.t.Error(say)
	}
}
