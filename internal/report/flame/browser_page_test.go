package flame

import (
	"fmt"
	"math"
	"testing"

	"whet/internal/chromium"
	"whet/internal/report/page"
)

// The page of a deep graph fits a small window without a scroll bar, the root on
// top, or below where that was asked for.
func TestBrowserFitsTheWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	about := []string{"cpu · 1.00 s · 100 samples · over 30.0 s · 2026-11-20 09:01 UTC · shop"}
	for _, bottom := range []bool{false, true} {
		b := openFile(t, "flame.html", htmlOf(t, Page{Title: "large", RootBottom: bottom, Views: []View{{Graph: largeGraph(t), About: about}}}))
		for _, size := range [][2]int64{{800, 600}, {1440, 900}} {
			b.Viewport(size[0], size[1])
			b.Settle()
			if over := chromium.Eval[[]int64](b.Tab, "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"); over[0] > size[0] || over[1] > size[1] {
				t.Errorf("at %v the page takes %v", size, over)
			}
		}
		if got := b.Text("flame-about"); got != about[0] {
			t.Errorf("the head says %q", got)
		}
		row := 0
		if bottom {
			row = -1
		}
		b.clickAt(0.5, row)
		b.Want("flame-detail", "all · ")
		b.Quiet()
	}
}

// A change is grey where it lies within the sampling error, here computed from
// the numbers of samples: of a samples, each of g, and b before, scaled by s, the
// standard error of a·g − s·b·h is √(a·g² + s²·b·h²).
func TestBrowserSamplingError(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	b := openFile(t, "flame.html", htmlOf(t, Page{Title: "x", Views: []View{{Graph: diffOf(t), Grain: 10, BaseGrain: 10}}}))
	if legend := chromium.Eval[string](b.Tab, `document.getElementById("flame-legend").textContent`); legend == "" {
		t.Error("no legend")
	}
	script := page.Asset(assets, "tree.js")
	within := 0
	for _, c := range []struct{ a, b, g, h, s float64 }{
		{100, 100, 10, 10, 1}, {100, 127, 10, 10, 1}, {100, 130, 10, 10, 1}, {130, 100, 10, 10, 1}, {10, 0, 10, 10, 1}, {3, 0, 10, 10, 1},
		{50, 100, 10, 10, 0.5}, {50, 140, 10, 10, 0.5}, {400, 300, 10, 20, 1}, {4, 1000, 1, 10, 2}, {0, 0, 10, 10, 1},
	} {
		want := math.Abs(c.a*c.g-c.s*c.b*c.h) <= 1.96*math.Sqrt(c.a*c.g*c.g+c.s*c.s*c.b*c.h*c.h)
		got := chromium.Eval[bool](b.Tab, fmt.Sprintf(`(() => { %s
			const t = Object.assign(Object.create(Tree.prototype), {grain: %g, baseGrain: %g, scale: %g});
			return t.withinError(%g, %g);
		})()`, script, c.g, c.h, c.s, c.a*c.g, c.b*c.h))
		if got != want {
			t.Errorf("%+v: within the error %v, want %v", c, got, want)
		}
		if want {
			within++
		}
	}
	if within < 3 || within > 8 {
		t.Errorf("%d of the cases are within the error: they decide nothing", within)
	}
}
