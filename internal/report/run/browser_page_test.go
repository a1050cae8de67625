package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"whet/internal/chromium"
	"whet/internal/quantity"
)

// Tables sort by figures in their units, by words, and back; long ones show the
// rows that hold a text.
func TestBrowserTables(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	p := visitsPage()
	// In the order of the page, of four units, one unknown.
	times := []float64{5403.2, 0, 12, 7.9e6, 4120, 3e9, 950, 81}
	p.Benchmarks = nil
	for i, ns := range times {
		p.Benchmarks = append(p.Benchmarks, Benchmark{Name: fmt.Sprintf("Benchmark%c", 'h'-i), NsPerOp: ns, Iterations: int64(1000 * i)})
	}
	b := openFile(t, html(t, p))
	column := func(i int) []string {
		return chromium.Eval[[]string](b.Tab, fmt.Sprintf(`[...document.querySelectorAll("table.bench tbody tr:not([hidden])")].map(r => r.cells[%d].textContent.trim())`, i))
	}
	click := func(i int) {
		b.Run(fmt.Sprintf(`document.querySelector("table.bench thead tr").cells[%d].querySelector("button").click()`, i))
	}
	print := func(ns ...float64) []string {
		var out []string
		for _, v := range ns {
			out = append(out, quantity.Nanoseconds(v))
		}
		return out
	}
	click(1)
	got := column(1)
	if want := print(3e9, 7.9e6, 5403.2, 4120, 950, 81, 12); !slices.Equal(got[:7], want) || strings.Contains(got[7], "ns") {
		t.Errorf("falling %q, want %q and what is unknown", got, want)
	}
	click(1)
	got = column(1)
	if want := print(12, 81, 950, 4120, 5403.2, 7.9e6, 3e9); !slices.Equal(got[:7], want) {
		t.Errorf("rising %q, want %q", got, want)
	}
	click(0)
	if names := column(0); !slices.IsSorted(names) || len(names) != len(times) {
		t.Errorf("by name %q", names)
	}
	b.Run(`(() => {
		const i = document.querySelector("#benchmarks ~ .scroll .filter input");
		i.value = "MARKC";
		i.dispatchEvent(new Event("input"));
	})()`)
	if names := column(0); len(names) != 1 || !strings.HasPrefix(names[0], "Benchmarkc") {
		t.Errorf("filtered %q", names)
	}
	b.Quiet()
}

// The navigation stays in sight wherever the page is scrolled to, whole: no entry is cut at
// the window's edge, and what a link leads to stands below it.
func TestBrowserNavigationStays(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	b := openFile(t, html(t, servicePage()))
	for _, size := range [][2]int64{{1440, 900}, {800, 600}} {
		b.Viewport(size[0], size[1])
		links := chromium.Eval[[]string](b.Tab, `[...document.querySelectorAll(".jump a")].map(a => a.getAttribute("href"))`)
		if len(links) < 9 || links[0] != "#findings" || links[len(links)-1] != "#machine" {
			t.Fatalf("links to %q", links)
		}
		for _, link := range links {
			at := chromium.Eval[[]float64](b.Tab, fmt.Sprintf(`(() => {
				document.querySelector(%q).scrollIntoView({behavior: "instant"});
				const nav = document.querySelector(".jump"), r = nav.getBoundingClientRect();
				const edges = [...nav.querySelectorAll("a")].map(a => a.getBoundingClientRect());
				return [r.top, r.bottom, document.querySelector(%[1]q).getBoundingClientRect().top,
					Math.min(...edges.map(e => e.left)), Math.max(...edges.map(e => e.right)), Math.max(...edges.map(e => e.bottom))];
			})()`, link))
			if at[0] < -1 || at[1] > float64(size[1]) || at[2] < at[1]-1 || at[3] < 0 || at[4] > float64(size[0]) || at[5] > at[1]+1 {
				t.Errorf("%d pixels, %s: navigation from %g to %g, heading at %g, links from %g to %g and down to %g", size[0], link, at[0], at[1], at[2], at[3], at[4], at[5])
			}
		}
	}
	b.Quiet()
}

// All charts of an axis say what they are at one place; a link to a line opens
// what it is folded into.
func TestBrowserReads(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	b := openFile(t, html(t, servicePage()))
	at := chromium.Eval[[]float64](b.Tab, `(() => {
		const plot = document.querySelector("#time ~ .time ~ .time .plot");
		plot.scrollIntoView({block: "center", behavior: "instant"});
		const r = plot.getBoundingClientRect();
		return [r.left, r.top, r.width, r.height];
	})()`)
	b.MoveTo(at[0]+0.5*at[2], at[1]+at[3]/2)
	lanes := chromium.Eval[[][]string](b.Tab, `[...document.querySelectorAll("#time ~ .time ~ .time .lane")].filter(l => l.querySelector(".read")).map(l => [...l.querySelectorAll(".read")].map(e => e.textContent.trim()))`)
	marks := chromium.Eval[[]string](b.Tab, `[...document.querySelectorAll(".under")].map(m => m.getAttribute("x1"))`)
	if len(lanes) < 2 || len(marks) != len(lanes) {
		t.Fatalf("%d charts say %q, lines at %q", len(lanes), lanes, marks)
	}
	for i, said := range lanes {
		if slices.Contains(said, "") || !strings.HasPrefix(said[len(said)-1], "at ") || marks[i] != marks[0] {
			t.Errorf("chart %d says %q, its line is at %s of %s", i, said, marks[i], marks[0])
		}
	}
	b.Quiet()
	// Beside a short line the figures' columns are no wider than beside a long one.
	p := visitsPage()
	short := p.Profiles[0].Listing[0]
	short.Lines = short.Lines[len(short.Lines)-1:]
	p.Profiles[0].Listing = append([]Listing{short}, p.Profiles[0].Listing...)
	b = openFile(t, html(t, p))
	if wide := chromium.Eval[[]float64](b.Tab, `[...document.querySelectorAll(".listing[open] .code tbody td:nth-child(1):not([colspan])")].map(e => e.getBoundingClientRect().width).filter(w => w > 90)`); len(wide) > 0 {
		t.Errorf("figures' columns are %v wide", wide)
	}
	b.Run(`document.querySelectorAll("details.listing").forEach(d => d.open = false)`)
	b.Click(".finding a.place")
	if !chromium.Eval[bool](b.Tab, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(document.getElementById("line-6").closest("details").open))))`) {
		t.Error("the link leads to a line that is folded")
	}
	b.Quiet()
}

// No line ends between a figure and its unit, in any window.
func TestBrowserKeepsUnits(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	for name, p := range map[string]*Page{"service": servicePage(), "benchmarks": visitsPage()} {
		b := openFile(t, html(t, p))
		b.Run(`document.querySelectorAll("details").forEach(d => d.open = true)`)
		for width := int64(1440); width >= 320; width -= 80 {
			b.Viewport(width, 900)
			if apart := b.Apart(); len(apart) > 0 {
				t.Errorf("%s, %d pixels wide: %q", name, width, apart)
			}
		}
		b.Quiet()
	}
}
