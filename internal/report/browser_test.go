package report

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	"github.com/chromedp/chromedp/kb"
)

// tab is one page in a real Chromium, which complains about whatever a report
// must not do.
type tab struct {
	t   *testing.T
	ctx context.Context
	mu  sync.Mutex
	bad []string // console messages, exceptions, refused loads, dialogs, requests
}

// openFile shows a document from disk, as a user would.
func openFile(t *testing.T, doc []byte) *tab {
	t.Helper()
	path := missingChromium(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "report.html")
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
		if !strings.HasPrefix(ev.Request.URL, "file://") || !strings.HasSuffix(ev.Request.URL, "/report.html") {
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
// root.
func (b *tab) clickAt(x float64, row int, icicle bool) {
	b.t.Helper()
	at := eval[[]float64](b, `(() => {
		document.getElementById("flame-canvas").scrollIntoView({block: "center", behavior: "instant"});
		const r = document.getElementById("flame-canvas").getBoundingClientRect();
		return [r.left, r.top, r.width, r.height];
	})()`)
	y := at[1] + at[3] - float64(row)*21 - 10
	if icicle {
		y = at[1] + float64(row)*21 + 10
	}
	px := at[0] + at[2]*x
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, px, y), chromedp.MouseClickXY(px, y))
}

func (b *tab) keys(keys string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("flame-canvas").focus({preventScroll: true})`), chromedp.KeyEvent(keys))
}

func (b *tab) search(text string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const i = document.getElementById("flame-search");
		i.value = %q;
		i.dispatchEvent(new Event("input"));
	})()`, text)))
}

// crumbs lists the breadcrumb.
func (b *tab) crumbs() []string {
	return eval[[]string](b, `[...document.querySelectorAll("#flame-crumbs button")].map(e => e.textContent)`)
}

func TestBrowserReport(t *testing.T) {
	b := openFile(t, html(t, visitsPage()))

	// The tree is known: the root, runN, the benchmark, Hello, and on it, in
	// the order of names, fmt.Sprint (430 of 6160), then logrus.(*Entry).Info
	// (3315) from 0.0698 to 0.608 of the width.
	b.clickAt(0.3, 4, false)
	b.want("flame-detail", "github.com/sirupsen/logrus.(*Entry).Info", "6.63 s", "53.8 % of the total", "100.0 % of the zoomed frame", "package github.com/sirupsen/logrus (other modules)")
	if got, want := b.crumbs(), []string{"all", "testing.(*B).runN", "original.BenchmarkReused", "original.(*Server).Hello", "logrus.(*Entry).Info"}; !slices.Equal(got, want) {
		t.Errorf("breadcrumb %q, want %q", got, want)
	}
	// Zoomed, what was 28 % of the width is now more: Format is 3230 of 3315.
	b.clickAt(0.9, 8, false)
	b.want("flame-detail", "logrus.(*TextFormatter).Format", "6.46 s", "52.4 % of the total")
	b.do(chromedp.Click(chromedp.CSS("#flame-back")))
	if got := b.crumbs(); len(got) != 5 {
		t.Errorf("back: breadcrumb %q", got)
	}
	b.do(chromedp.Click(chromedp.CSS("#flame-crumbs button:nth-child(4)")))
	if got := b.crumbs(); len(got) != 4 {
		t.Errorf("breadcrumb's fourth: %q", got)
	}
	b.do(chromedp.Click(chromedp.CSS("#flame-reset")))
	if got := b.crumbs(); len(got) != 0 {
		t.Errorf("reset: breadcrumb %q", got)
	}

	// Search: 3230 + 3315 - ... the share is of what lies under a match once.
	// Info holds 3315 and Logger.WithFields 1310 of 6160: 75.1 %.
	b.search("logrus")
	b.want("flame-match", "75.1 % of the total", "match")
	b.search("^logrus$")
	b.want("flame-match", "No frame matches")
	b.search("(*Entry).Info")
	b.want("flame-match", "Not a regular expression", "looked for as it stands", "1 frame match, 53.8 %")
	if eval[bool](b, `document.getElementById("flame-search").getAttribute("aria-invalid") !== "true"`) {
		t.Error("the invalid expression is not marked")
	}
	b.search("")
	b.want("flame-match", "")
	if got := b.text("flame-match"); got != "" {
		t.Errorf("an empty search says %q", got)
	}

	// Keyboard: the first arrow takes the root, up goes to the widest callee.
	b.keys(kb.ArrowUp)
	b.want("flame-detail", "all · 12.3 s")
	b.keys(kb.ArrowUp + kb.ArrowUp + kb.ArrowUp)
	b.want("flame-detail", "original.(*Server).Hello", "100.0 % of the total")
	b.keys(kb.ArrowUp)
	b.want("flame-detail", "logrus.(*Entry).Info")
	b.keys(kb.ArrowRight)
	b.want("flame-detail", "logrus.(*Logger).WithFields", "21.3 % of the total")
	b.keys(kb.ArrowLeft + kb.ArrowLeft)
	b.want("flame-detail", "fmt.Sprint")
	b.keys(kb.ArrowDown)
	b.want("flame-detail", "original.(*Server).Hello")
	b.keys(kb.ArrowUp + kb.Enter)
	if got := b.crumbs(); len(got) != 5 {
		t.Errorf("Enter: breadcrumb %q", got)
	}
	b.keys(kb.Backspace)
	if got := b.crumbs(); len(got) != 0 {
		t.Errorf("Backspace: breadcrumb %q", got)
	}
	b.keys(kb.Enter)
	b.keys(kb.Escape)
	if got := b.crumbs(); len(got) != 0 {
		t.Errorf("Escape: breadcrumb %q", got)
	}

	// Another profile, and upside down.
	if got := eval[[]string](b, `[...document.getElementById("flame-select").options].map(o => o.text)`); len(got) != 4 || got[1] != "Allocated bytes" {
		t.Errorf("profiles %q", got)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`(() => {
		const s = document.getElementById("flame-select");
		s.selectedIndex = 1;
		s.dispatchEvent(new Event("change"));
	})()`), chromedp.Click(chromedp.CSS("#flame-flip")))
	b.clickAt(0.3, 0, true)
	b.want("flame-detail", "all · 241 MiB")
	b.clickAt(0.3, 4, true)
	b.want("flame-detail", "logrus.(*Entry).Info", "129 MiB", "53.8 % of the total")

	// Nothing sticks out sideways, on a laptop or a phone.
	for _, width := range []int64{1280, 390, 320} {
		b.do(chromedp.EmulateViewport(width, 800))
		if over := eval[int64](b, "document.documentElement.scrollWidth"); over > width {
			t.Errorf("at %d pixels the page is %d wide", width, over)
		}
	}
	b.quiet()
}

// Names that want to be more than names are shown, and do nothing.
func TestBrowserHostileNames(t *testing.T) {
	for name, doc := range documents(t) {
		if !strings.HasPrefix(name, "hostile") && !strings.HasPrefix(name, "zero") && !strings.HasPrefix(name, "empty") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := openFile(t, doc)
			if n := eval[int](b, `document.querySelectorAll("img, iframe, object, link, [src], [onerror], [onmouseover]").length`); n != 0 {
				t.Errorf("%d elements came out of names", n)
			}
			if strings.HasPrefix(name, "hostile") {
				// The search finds the name in the graph, where it is 2 of 27 frames, and
				// the frame under the mouse is printed with its name as it is.
				b.search("onerror=alert")
				b.want("flame-match", "2 frames match")
				b.keys(kb.ArrowUp + kb.ArrowUp)
				b.keys(strings.Repeat(kb.ArrowUp, 1))
				seen := make(map[string]bool)
				for range 12 {
					seen[b.text("flame-detail")] = true
					b.keys(kb.ArrowRight)
				}
				for range 12 {
					seen[b.text("flame-detail")] = true
					b.keys(kb.ArrowLeft)
				}
				found := false
				for s := range seen {
					found = found || strings.HasPrefix(s, hostileTag+" · ")
				}
				if !found {
					t.Errorf("no frame says %q: %v", hostileTag, seen)
				}
			}
			b.quiet()
		})
	}
}
