package chromium

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Tab is one page in a browser of its own.
type Tab struct {
	t       *testing.T
	ctx     context.Context // of the page
	address string

	mu  sync.Mutex
	bad []string // console messages, exceptions, refused loads, dialogs, requests
}

// Open shows a document, in a file of that name, in a window of 1280 by 900
// pixels. Where there is no browser the test is skipped, and fails in CI.
func Open(t *testing.T, name string, doc []byte) *Tab {
	t.Helper()
	path := find(t)
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, doc, 0o644); err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: the browser may write into its profile until it has ended.
	profile, err := os.MkdirTemp("", "whet-chromium")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(profile) })
	flags := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.WindowSize(1280, 900))
	if os.Geteuid() == 0 {
		flags = append(flags, chromedp.NoSandbox)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // t.Context ends before the clean-up
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, flags...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {})) // values newer than the library
	t.Cleanup(closeTab)
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(file)}
	b := &Tab{t: t, ctx: ctx, address: address.String()}
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // waits until it has ended
			t.Errorf("end the browser: %v", err)
		}
	})
	if _, err := chromedp.Call(ctx, cdplog.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(b.address))
	return b
}

func find(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no Chromium on the PATH: install the package chromium")
	}
	t.Skip("no Chromium on the PATH: install the package chromium")
	return ""
}

func (b *Tab) event(ev any) {
	say := ""
	switch ev := ev.(type) {
	case *cdpruntime.EventConsoleAPICalled:
		say = fmt.Sprintf("console.%s", ev.Type)
	case *cdpruntime.EventExceptionThrown:
		say = fmt.Sprintf("exception: %+v", ev.ExceptionDetails)
	case *cdplog.EventEntryAdded:
		say = "log: " + ev.Entry.Text
	case *page.EventJavascriptDialogOpening:
		say = "dialog: " + ev.Message
	case *network.EventRequestWillBeSent:
		if ev.Request.URL != b.address {
			say = "request: " + ev.Request.URL
		}
	default:
		return
	}
	if say != "" {
		b.mu.Lock()
		b.bad = append(b.bad, say)
		b.mu.Unlock()
	}
}

// Context is the page's, for what is asked of the browser beyond Do.
func (b *Tab) Context() context.Context { return b.ctx }

// Do takes steps in the page.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// Dark asks the browser for the dark scheme.
func (b *Tab) Dark() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	if err != nil {
		b.t.Fatal(err)
	}
}

// Eval returns the value of an expression in the page.
func Eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Text is that of an element.
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

// Apart are the figures in sight whose unit stands on the next line.
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

// Complaints are what the page did that it must not do, since it was opened.
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
