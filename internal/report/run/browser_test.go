package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"whet/internal/chromium"
	"whet/internal/report/pagetest"
)

// tab is a report in a browser.
type tab struct {
	*chromium.Tab
	t *testing.T
}

func openFile(t *testing.T, doc []byte) *tab {
	t.Helper()
	return &tab{chromium.Open(t, "report.html", doc), t}
}

// clickAt clicks the canvas at a place: x in [0,1] of its width, row from the
// root.
func (b *tab) clickAt(x float64, row int, icicle bool) {
	b.t.Helper()
	at := chromium.Eval[[]float64](b.Tab, `(() => {
		document.getElementById("flame-canvas").scrollIntoView({block: "center", behavior: "instant"});
		const r = document.getElementById("flame-canvas").getBoundingClientRect();
		return [r.left, r.top, r.width, r.height];
	})()`)
	y := at[1] + at[3] - float64(row)*21 - 10
	if icicle {
		y = at[1] + float64(row)*21 + 10
	}
	px := at[0] + at[2]*x
	b.MoveTo(px, y)
	b.ClickAt(px, y)
}

func (b *tab) keys(keys string) {
	b.t.Helper()
	b.Run(`document.getElementById("flame-canvas").focus({preventScroll: true})`)
	b.Keys(keys)
}

func (b *tab) search(text string) {
	b.t.Helper()
	b.Run(fmt.Sprintf(`(() => {
		const i = document.getElementById("flame-search");
		i.value = %q;
		i.dispatchEvent(new Event("input"));
	})()`, text))
}

// crumbs lists the breadcrumb.
func (b *tab) crumbs() []string {
	return chromium.Eval[[]string](b.Tab, `[...document.querySelectorAll("#flame-crumbs button")].map(e => e.textContent)`)
}

func TestBrowserReport(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	b := openFile(t, html(t, visitsPage()))
	b.Click("#flame-flip") // the root is on top at first

	// The tree is known: the root, runN, the benchmark, Hello, and on it, in
	// the order of names, fmt.Sprint (430 of 6160), then logrus.(*Entry).Info
	// (3315) from 0.0698 to 0.608 of the width.
	b.clickAt(0.3, 4, false)
	b.Want("flame-detail", "github.com/sirupsen/logrus.(*Entry).Info", "6.63 s", "53.8 % of the total", "100.0 % of the zoomed frame", "package github.com/sirupsen/logrus (other modules)")
	if got, want := b.crumbs(), []string{"all", "testing.(*B).runN", "original.BenchmarkReused", "original.(*Server).Hello", "logrus.(*Entry).Info"}; !slices.Equal(got, want) {
		t.Errorf("breadcrumb %q, want %q", got, want)
	}
	// Zoomed, what was 28 % of the width is now more: Format is 3230 of 3315.
	b.clickAt(0.9, 8, false)
	b.Want("flame-detail", "logrus.(*TextFormatter).Format", "6.46 s", "52.4 % of the total")
	b.Click("#flame-back")
	if got := b.crumbs(); len(got) != 5 {
		t.Errorf("back: breadcrumb %q", got)
	}
	b.Click("#flame-crumbs button:nth-child(4)")
	if got := b.crumbs(); len(got) != 4 {
		t.Errorf("breadcrumb's fourth: %q", got)
	}
	b.Click("#flame-reset")
	if got := b.crumbs(); len(got) != 0 {
		t.Errorf("reset: breadcrumb %q", got)
	}

	// Search: 3230 + 3315 - ... the share is of what lies under a match once.
	// Info holds 3315 and Logger.WithFields 1310 of 6160: 75.1 %.
	b.search("logrus")
	b.Want("flame-match", "75.1 % of the total", "match")
	b.search("^logrus$")
	b.Want("flame-match", "No frame matches")
	b.search("(*Entry).Info")
	b.Want("flame-match", "Not a regular expression", "looked for as it stands", "1 frame match, 53.8 %")
	if chromium.Eval[bool](b.Tab, `document.getElementById("flame-search").getAttribute("aria-invalid") !== "true"`) {
		t.Error("the invalid expression is not marked")
	}
	b.search("")
	b.Want("flame-match", "")
	if got := b.Text("flame-match"); got != "" {
		t.Errorf("an empty search says %q", got)
	}

	// Keyboard: the first arrow takes the root, up goes to the widest callee.
	b.keys(chromium.ArrowUp)
	b.Want("flame-detail", "all · 12.3 s")
	b.keys(chromium.ArrowUp + chromium.ArrowUp + chromium.ArrowUp)
	b.Want("flame-detail", "original.(*Server).Hello", "100.0 % of the total")
	b.keys(chromium.ArrowUp)
	b.Want("flame-detail", "logrus.(*Entry).Info")
	b.keys(chromium.ArrowRight)
	b.Want("flame-detail", "logrus.(*Logger).WithFields", "21.3 % of the total")
	b.keys(chromium.ArrowLeft + chromium.ArrowLeft)
	b.Want("flame-detail", "fmt.Sprint")
	b.keys(chromium.ArrowDown)
	b.Want("flame-detail", "original.(*Server).Hello")
	b.keys(chromium.ArrowUp + chromium.Enter)
	if got := b.crumbs(); len(got) != 5 {
		t.Errorf("Enter: breadcrumb %q", got)
	}
	b.keys(chromium.Backspace)
	if got := b.crumbs(); len(got) != 0 {
		t.Errorf("Backspace: breadcrumb %q", got)
	}
	b.keys(chromium.Enter)
	b.keys(chromium.Escape)
	if got := b.crumbs(); len(got) != 0 {
		t.Errorf("Escape: breadcrumb %q", got)
	}

	// Another profile, and upside down.
	if got := chromium.Eval[[]string](b.Tab, `[...document.getElementById("flame-select").options].map(o => o.text)`); len(got) != 4 || got[1] != "Allocated bytes" {
		t.Errorf("profiles %q", got)
	}
	b.Run(`(() => {
		const s = document.getElementById("flame-select");
		s.selectedIndex = 1;
		s.dispatchEvent(new Event("change"));
	})()`)
	b.Click("#flame-flip")
	b.clickAt(0.3, 0, true)
	b.Want("flame-detail", "all · 241 MiB")
	b.clickAt(0.3, 4, true)
	b.Want("flame-detail", "logrus.(*Entry).Info", "129 MiB", "53.8 % of the total")

	// Nothing sticks out sideways, on a laptop or a phone.
	for _, width := range []int64{1280, 390, 320} {
		b.Viewport(width, 800)
		if over := chromium.Eval[int64](b.Tab, "document.documentElement.scrollWidth"); over > width {
			t.Errorf("at %d pixels the page is %d wide", width, over)
		}
	}
	b.Quiet()
}

// Names that want to be more than names are shown, and do nothing.
func TestBrowserHostileNames(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	for name, doc := range documents(t) {
		if !strings.HasPrefix(name, "hostile") && !strings.HasPrefix(name, "zero") && !strings.HasPrefix(name, "empty") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := openFile(t, doc)
			if n := chromium.Eval[int](b.Tab, `document.querySelectorAll("img, iframe, object, link, [src], [onerror], [onmouseover]").length`); n != 0 {
				t.Errorf("%d elements came out of names", n)
			}
			if strings.HasPrefix(name, "hostile") {
				// The search finds the name in the graph, where it is 2 of 27 frames, and
				// the frame under the mouse is printed with its name as it is.
				b.Click("#flame-flip")
				b.search("onerror=alert")
				b.Want("flame-match", "2 frames match")
				b.keys(chromium.ArrowUp + chromium.ArrowUp)
				b.keys(strings.Repeat(chromium.ArrowUp, 1))
				seen := make(map[string]bool)
				for range 12 {
					seen[b.Text("flame-detail")] = true
					b.keys(chromium.ArrowRight)
				}
				for range 12 {
					seen[b.Text("flame-detail")] = true
					b.keys(chromium.ArrowLeft)
				}
				found := false
				for s := range seen {
					found = found || strings.HasPrefix(s, pagetest.Tag+" · ")
				}
				if !found {
					t.Errorf("no frame says %q: %v", pagetest.Tag, seen)
				}
			}
			b.Quiet()
		})
	}
}
