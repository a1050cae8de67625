package load

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"whet/internal/chromium"
	"whet/internal/report/page"
)

// tab is the page of a load in a browser.
type tab struct {
	*chromium.Tab
	t *testing.T
}

func show(t *testing.T, doc []byte) *tab {
	t.Helper()
	return &tab{chromium.Open(t, "report.html", doc), t}
}

// The page of a load as a browser draws it: figures as the result has them,
// cells where their counts are, lines that end where their data does, on laptops
// and phones, in both schemes, and nothing loaded.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	for name, p := range loadPages() {
		b := show(t, htmlOf(t, p))
		b.Run(`document.querySelectorAll("details").forEach(d => d.open = true)`)
		switch name {
		case "open":
			b.open(p)
		case "several":
			b.several()
			// The table of the comparison has room in a window of 800 pixels.
			b.Viewport(800, 600)
			if room := chromium.Eval[[]int64](b.Tab, `(e => [e.scrollWidth, e.clientWidth])(document.querySelector(".compare").closest(".scroll"))`); room[0] > room[1] {
				t.Errorf("the comparison is %d wide where there are %d", room[0], room[1])
			}
		case "knee":
			b.knee()
		case "missed":
			if n := chromium.Eval[int](b.Tab, `document.querySelectorAll("#knee ~ .time, #knee ~ details").length`); n != 4 {
				b.t.Errorf("%d charts and tables of two searches", n)
			}
		}
		for _, dark := range []bool{false, true} {
			if dark {
				b.Dark()
			}
			b.apart()
			for _, width := range []int64{1920, 1280, 768, 390, 320} {
				b.Viewport(width, 800)
				if over := chromium.Eval[int64](b.Tab, "document.documentElement.scrollWidth"); over > width {
					t.Errorf("%s, dark %v: at %d pixels the page is %d wide", name, dark, width, over)
				}
				if apart := b.Apart(); len(apart) > 0 {
					t.Errorf("%s: at %d pixels a line ends in %q", name, width, apart)
				}
			}
		}
		if n := chromium.Eval[int](b.Tab, `document.querySelectorAll("img, iframe, object, link, [src], [onerror], [onmouseover]").length`); n != 0 {
			t.Errorf("%s: %d elements came out of names", name, n)
		}
		b.Quiet()
	}
}

// open checks the page of the open loop with the stall.
func (b *tab) open(p *Page) {
	b.t.Helper()
	r := p.Runs[0].Result
	figures := chromium.Eval[map[string]string](b.Tab, `Object.fromEntries([...document.querySelectorAll(".figures div")].map(d => [d.querySelector("dt").textContent, d.querySelector("strong").textContent]))`)
	for name, want := range map[string]string{
		"p50": page.Ns(r.Response.Quantile(0.5)), "p99": page.Ns(r.Response.Quantile(0.99)), "longest": page.Ns(r.Response.Max()), "errors": "4", "throughput": "1,000/s",
	} {
		if figures[name] != want {
			b.t.Errorf("%s is %q, want %q", name, figures[name], want)
		}
	}
	// Each second has a row, and the stalled one the median that it had.
	rows := chromium.Eval[[][]string](b.Tab, `[...document.querySelectorAll("#seconds ~ details tbody tr")].map(r => [...r.cells].map(c => c.textContent))`)
	if len(rows) != 30 || rows[12][0] != "12 s" || rows[12][3] != "1,000" || rows[12][5] != page.Ns(int64(r.Seconds[12].Response.P50)) {
		b.t.Errorf("%d seconds, the stalled one %q", len(rows), rows[12])
	}
	// The stall's peak stands in the middle of the thirteenth second, on the
	// chart of response times and nowhere else as high.
	peak := chromium.Eval[float64](b.Tab, `(() => {
		const line = document.querySelectorAll("#time ~ .time .plot")[1].querySelector(".line-p99");
		let best = null;
		for (let i = 0, n = line.getTotalLength(); i <= n; i += 0.25) {
			const p = line.getPointAtLength(i);
			if (!best || p.y < best.y) best = p;
		}
		return best.x / 1440;
	})()`)
	if math.Abs(peak-12.5/30) > 0.002 {
		b.t.Errorf("p99 peaks at %g of the chart, want %g", peak, 12.5/30)
	}
	b.mapUnderMouse(p)
	// Under the mouse a chart says what its lines are there.
	second := &r.Seconds[12]
	for _, c := range []struct {
		plot string
		at   float64
		want []string
	}{
		{"#time ~ .time .lane:nth-child(2) .plot", 12.4 / 30, []string{page.Ns(int64(second.Response.Max)), page.Ns(int64(second.Response.P99)), page.Ns(int64(second.Response.P50)), "at 12.5 s"}},
		{".quantile", 2 / math.Log10(29_999), []string{page.Ns(r.Response.Quantile(0.99)), page.Ns(r.Service.Quantile(0.99)), "of 99.00 %"}},
		{".quantile", 0.999, []string{page.Ns(r.Response.Max()), page.Ns(r.Service.Max()), "the longest"}},
	} {
		at := chromium.Eval[[]float64](b.Tab, fmt.Sprintf(`(() => {
			const plot = document.querySelector(%q);
			plot.scrollIntoView({block: "center", behavior: "instant"});
			const r = plot.getBoundingClientRect();
			return [r.left, r.top, r.width, r.height];
		})()`, c.plot))
		b.MoveTo(at[0]+c.at*at[2], at[1]+at[3]/2)
		said := chromium.Eval[[]string](b.Tab, fmt.Sprintf(`[...document.querySelector(%q).closest(".lane").querySelectorAll(".read")].map(e => e.textContent.trim())`, c.plot))
		if !slices.Equal(said, c.want) {
			b.t.Errorf("%s at %.3f says %q, want %q", c.plot, c.at, said, c.want)
		}
	}
	// The percentile line reaches from one side to the other.
	ends := chromium.Eval[[]float64](b.Tab, `(() => {
		const plot = document.querySelector(".quantile").getBoundingClientRect(), line = document.querySelector(".quantile path").getBoundingClientRect();
		return [(line.left - plot.left) / plot.width, (line.right - plot.left) / plot.width];
	})()`)
	if math.Abs(ends[0]) > 0.005 || math.Abs(ends[1]-1) > 0.005 {
		b.t.Errorf("the percentile line goes from %g to %g of its plot", ends[0], ends[1])
	}
}

// mapUnderMouse points at the middle of cells: what is said is what the course
// counts there, and it is what is drawn there.
func (b *tab) mapUnderMouse(p *Page) {
	b.t.Helper()
	course := p.Runs[0].Course
	at := chromium.Eval[[]float64](b.Tab, `(() => {
		const map = document.querySelector(".map");
		map.scrollIntoView({block: "center", behavior: "instant"});
		const r = map.getBoundingClientRect();
		return [r.left, r.top, r.width, r.height];
	})()`)
	shown := chromium.Eval[[]float64](b.Tab, `JSON.parse(document.querySelector(".heat-data").textContent).times`)
	low, high := courseRow(int64(shown[0])+1), courseRow(int64(shown[len(shown)-1])-1)
	for _, cell := range [][2]int{{3, courseRow(400_000)}, {12, courseRow(450e6)}, {12, courseRow(400_000)}, {20, courseRow(3_100_000)}, {25, courseRow(200e6)}} {
		column, row := cell[0], cell[1]
		x := at[0] + at[2]*(float64(column)+0.5)/30
		y := at[1] + at[3]*(float64(high-row)+0.5)/float64(high-low+1)
		b.MoveTo(x, y)
		said := chromium.Eval[string](b.Tab, `document.querySelector(".heat-tip").textContent`)
		var all int64
		for _, n := range course.columns[column].counts {
			all += n
		}
		n := course.columns[column].counts[row]
		want := fmt.Sprintf("%d of %d requests", n, all)
		if !strings.HasPrefix(said, fmt.Sprintf("%d to %d s, ", column, column+1)) || !strings.HasSuffix(strings.ReplaceAll(said, ",", ""), ": "+want) {
			b.t.Errorf("second %d, row %d: it says %q, want %s", column, row, said, want)
		}
		drawn := chromium.Eval[bool](b.Tab, fmt.Sprintf(`document.elementsFromPoint(%g, %g).some(e => (e.getAttribute("class") || "").startsWith("hot"))`, x, y))
		if drawn != (n > 0) {
			b.t.Errorf("second %d, row %d with %d requests is drawn: %v", column, row, n, drawn)
		}
	}
}

// several checks that a run has its colour and dash all over the page.
func (b *tab) several() {
	b.t.Helper()
	type line struct{ Class, Stroke, Dash string }
	lines := chromium.Eval[[]line](b.Tab, `[...document.querySelectorAll("line.run1, line.run2, line.run3, path.run1, path.run2, path.run3")].filter(e => !e.classList.contains("thin")).map(e => {
		const s = getComputedStyle(e);
		return {class: e.getAttribute("class"), stroke: s.stroke, dash: s.strokeDasharray};
	})`)
	looks := make(map[string]line)
	for _, l := range lines {
		if have, ok := looks[l.Class]; ok && have != l {
			b.t.Errorf("%+v and %+v are one run", have, l)
		}
		looks[l.Class] = l
	}
	if len(looks) != 3 || looks["run1"].Stroke == looks["run2"].Stroke || looks["run1"].Dash == looks["run2"].Dash || looks["run2"].Dash == looks["run3"].Dash {
		b.t.Errorf("runs look like %v", looks)
	}
	// Three runs on five charts and in the percentile plot, each with its key,
	// and in the comparison.
	if want := 3*(2*5+2) + 3; len(lines) != want {
		b.t.Errorf("%d lines and keys, want %d", len(lines), want)
	}
}

// knee checks that the highest measured dot is in the bracket.
func (b *tab) knee() {
	b.t.Helper()
	at := chromium.Eval[[]float64](b.Tab, `(() => {
		const plot = document.querySelector("#knee ~ .time .plot"), band = plot.querySelector(".band").getBoundingClientRect(), box = plot.getBoundingClientRect();
		const dots = plot.querySelector(".dots").getAttribute("d").match(/\d+ \d+/g).map(d => d.split(" ").map(Number)).sort((a, b) => a[1] - b[1]);
		return [band.left, band.right, box.left + box.width * dots[0][0] / 1440];
	})()`)
	if at[2] < at[0]-1 || at[2] > at[1]+1 {
		b.t.Errorf("the best level is at %g, the bracket from %g to %g", at[2], at[0], at[1])
	}
}

// apart checks that the colours of the heat map are told apart by lightness
// alone, each step in the same direction.
func (b *tab) apart() {
	b.t.Helper()
	light := chromium.Eval[[]float64](b.Tab, `(() => {
		const style = getComputedStyle(document.documentElement), out = [];
		for (let i = 1; i <= 8; i++) {
			const v = style.getPropertyValue("--hot" + i).trim().match(/[0-9a-f]{2}/gi).map(x => parseInt(x, 16) / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
			const y = 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
			out.push(y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y);
		}
		return out;
	})()`)
	sign := math.Copysign(1, light[7]-light[0])
	for i := 1; i < len(light); i++ {
		if (light[i]-light[i-1])*sign < 6 { // of L*, which goes to 100
			b.t.Errorf("steps %d and %d have the lightness %.1f and %.1f", i, i+1, light[i-1], light[i])
		}
	}
}
