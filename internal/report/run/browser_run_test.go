package run

import (
	"math"
	"slices"
	"testing"

	"whet/internal/chromium"
)

// The charts of programs and services as a browser draws them: bars as wide as
// their shares, marks at their moments, all on one axis; readable in both
// schemes; nothing sticks out on a phone.
func TestBrowserRun(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	for _, name := range []string{"service", "program", "courses", "hostile"} {
		b := openFile(t, html(t, pages()[name]))
		b.Run(`document.querySelectorAll("details").forEach(d => d.open = true)`)
		if name == "service" {
			shares := chromium.Eval[[]float64](b.Tab, `(() => {
				const bar = document.querySelector(".states"), whole = bar.getBoundingClientRect().width;
				return [...bar.querySelectorAll(":scope > svg > rect:first-of-type")].slice(0, 3).map(r => r.getBoundingClientRect().width / whole);
			})()`)
			for i, want := range []float64{0.21, 0.126, 0.612} { // running, runnable, lock
				if math.Abs(shares[i]-want) > 0.002 {
					t.Errorf("part %d takes %g of the bar, want %g", i, shares[i], want)
				}
			}
			// The stall begins at 8.48 of 21 s; the charts of the load and of the
			// metrics begin and end at the same place.
			for _, at := range chromium.Eval[[][]float64](b.Tab, `[...document.querySelectorAll(".plot")].map(p => {
				const r = p.getBoundingClientRect(), m = p.querySelectorAll(".event")[1].getBoundingClientRect();
				return [r.left, r.right, (m.left + m.width / 2 - r.left) / r.width];
			})`) {
				if math.Abs(at[2]-8.48/21) > 0.002 {
					t.Errorf("the stall stands at %g of a chart", at[2])
				}
				if first := chromium.Eval[[]float64](b.Tab, `(r => [r.left, r.right])(document.querySelector(".plot").getBoundingClientRect())`); at[0] != first[0] || at[1] != first[1] {
					t.Errorf("charts from %g to %g and from %g to %g", first[0], first[1], at[0], at[1])
				}
			}
			// A line ends where its last sample is, stretched or not.
			if ends := chromium.Eval[[]float64](b.Tab, `[...document.querySelectorAll("#time ~ .time ~ .time .plot")].map(p => {
				const r = p.getBoundingClientRect(), l = p.querySelector("path").getBoundingClientRect();
				return (l.right - r.left) / r.width;
			})`); len(ends) != 4 || slices.ContainsFunc(ends, func(end float64) bool { return math.Abs(end-1) > 0.005 }) {
				t.Errorf("lines end at %v of their charts", ends)
			}
		}
		for _, dark := range []bool{false, true} {
			if dark {
				b.Dark()
			}
			// Text in bars: at least 4.5 to 1 against the bar (WCAG 2.2, 1.4.3).
			for _, c := range chromium.Eval[[]contrast](b.Tab, `[...document.querySelectorAll(".states svg")].filter(s => s.querySelector("text")).map(s => {
				const light = e => {
					const v = getComputedStyle(e).fill.match(/[\d.]+/g).slice(0, 3).map(x => x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
					return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
				};
				const a = light(s.querySelector("text")), b = light(s.querySelector("rect"));
				return {text: s.querySelector("text").textContent, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)};
			})`) {
				if c.Ratio < 4.5 {
					t.Errorf("%s, dark %v: %q has a contrast of %.2f", name, dark, c.Text, c.Ratio)
				}
			}
			for _, width := range []int64{1280, 768, 390, 320} {
				b.Viewport(width, 800)
				if over := chromium.Eval[int64](b.Tab, "document.documentElement.scrollWidth"); over > width {
					t.Errorf("%s, dark %v: at %d pixels the page is %d wide", name, dark, width, over)
				}
			}
		}
		b.Quiet()
	}
}

type contrast struct {
	Text  string  `json:"text"`
	Ratio float64 `json:"ratio"`
}
