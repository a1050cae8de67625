package flame

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is one page in a real Chromium, which complains about whatever a page
// must not do.
type tab struct {
	t   *testing.T
	ctx context.Context
	mu  sync.Mutex
	bad []string // console messages, exceptions, refused loads, dialogs, requests
}

// openFile shows a document from disk, as a user would.
func openFile(t *testing.T, name string, doc []byte) *tab {
	t.Helper()
	path := missingChromium(t)
	dir := t.TempDir()
	file := filepath.Join(dir, name)
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
	b := &tab{t: t, ctx: ctx}
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
	b.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+filepath.ToSlash(file)))
	return b
}

// missingChromium finds the browser; where there is none the test is skipped,
// and fails in CI.
func missingChromium(t *testing.T) string {
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

func (b *tab) event(ev any) {
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
		if !strings.HasPrefix(ev.Request.URL, "file://") || !strings.Contains(ev.Request.URL, "/flame.") {
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

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval returns the value of an expression in the page.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func (b *tab) text(id string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf("document.getElementById(%q).textContent", id))
}

// want waits for nothing: the page answers an input before the next one.
func (b *tab) want(id string, parts ...string) {
	b.t.Helper()
	got := b.text(id)
	for _, p := range parts {
		if !strings.Contains(got, p) {
			b.t.Errorf("#%s says %q, want %q in it", id, got, p)
		}
	}
}

// quiet fails the test for whatever the browser complained about.
func (b *tab) quiet() {
	b.t.Helper()
	// A last answer from the page: all events before it have come.
	if state := eval[string](b, "document.readyState"); state != "complete" {
		b.t.Errorf("the document is %s", state)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, say := range b.bad {
		b.t.Error(say)
	}
}

// clickAt clicks the canvas at a place: x in [0,1] of its width, row from the
// top or, for negative ones, from the bottom.
func (b *tab) clickAt(x float64, row int) {
	b.t.Helper()
	px, y := b.place(x, row)
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, px, y), chromedp.MouseClickXY(px, y))
}

// place is where a row of the canvas is in the window.
func (b *tab) place(x float64, row int) (px, py float64) {
	b.t.Helper()
	at := eval[[]float64](b, `(() => {
		const c = document.getElementById("flame-canvas");
		c.scrollIntoView({block: "center", behavior: "instant"});
		const r = c.getBoundingClientRect();
		return [r.left, r.top, r.width, r.height];
	})()`)
	py = at[1] + float64(row)*21 + 10
	if row < 0 {
		py = at[1] + at[3] + float64(row)*21 + 10
	}
	return at[0] + at[2]*x, py
}

func (b *tab) keys(keys string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("flame-canvas").focus({preventScroll: true})`), chromedp.KeyEvent(keys))
}

func (b *tab) set(id, event, value string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const i = document.getElementById(%q);
		i.value = %q;
		i.dispatchEvent(new Event(%q));
	})()`, id, value, event)))
}

// crumbs lists the breadcrumb.
func (b *tab) crumbs() []string {
	return eval[[]string](b, `[...document.querySelectorAll("#flame-crumbs button")].map(e => e.textContent)`)
}
