package view

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/selection"
	"whet/internal/chromium"
)

// tab is a call graph in a browser.
type tab struct {
	*chromium.Tab
	t *testing.T
}

func openFile(t *testing.T, doc []byte, name string) *tab {
	t.Helper()
	return &tab{chromium.Open(t, name, doc), t}
}

// whereTextsAre finds texts that stick out of their boxes, and texts, boxes and
// tags that overlap, as the browser's fonts set them.
const whereTextsAre = `(() => {
	const bad = [], solid = [];
	const inside = (a, b) => a.left >= b.left - .5 && a.right <= b.right + .5 && a.top >= b.top - .5 && a.bottom <= b.bottom + .5;
	const picture = document.querySelector("svg.graph:last-of-type").getBoundingClientRect();
	for (const node of document.querySelectorAll("[data-node]")) {
		const box = node.querySelector(".box").getBoundingClientRect();
		solid.push([box, node.textContent]);
		for (const text of node.querySelectorAll(":scope > text")) {
			if (!inside(text.getBoundingClientRect(), box)) bad.push("sticks out of its box: " + text.textContent);
		}
		for (const chip of node.querySelectorAll(".chip")) {
			const box = chip.querySelector("rect").getBoundingClientRect();
			solid.push([box, chip.textContent]);
			for (const text of chip.querySelectorAll("text")) {
				if (!inside(text.getBoundingClientRect(), box)) bad.push("sticks out of its tag: " + text.textContent);
			}
		}
	}
	for (const text of document.querySelectorAll("[data-edge] text")) solid.push([text.getBoundingClientRect(), text.textContent]);
	solid.forEach(([a, name], i) => {
		if (document.querySelector(".paper") && !inside(a, picture)) bad.push("cut off: " + name);
		for (const [b, other] of solid.slice(0, i)) {
			if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2) bad.push("overlap: " + name + " and " + other);
		}
	});
	if (document.querySelectorAll("[data-node]").length < 5) bad.push("too few nodes");
	return bad;
})()`

func TestBrowserTextsFit(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	for _, name := range []string{"compile_stdcmd_merged.cpu.pb.gz", "httpsrv_labels.cpu.pb.gz"} {
		t.Run(name, func(t *testing.T) {
			v := readFixture(t, name).graph(t, &optionSet{})
			b := openFile(t, drawn(t, v), "graph.svg")
			for _, bad := range chromium.Eval[[]string](b.Tab, whereTextsAre) {
				t.Error(bad)
			}
			b.Quiet()
		})
	}
}

// at returns the page's place of its picture: x, y, scale.
func (b *tab) at() []float64 {
	b.t.Helper()
	return chromium.Eval[[]float64](b.Tab, `(() => {
		const m = document.getElementById("move").getCTM();
		return [m.e, m.f, m.a];
	})()`)
}

// middle returns where a node's middle is on the screen.
func (b *tab) middle(node int) (x, y float64) {
	b.t.Helper()
	r := chromium.Eval[[]float64](b.Tab, fmt.Sprintf(`(() => {
		const r = document.querySelector("[data-node='%d'] .box").getBoundingClientRect();
		return [r.left + r.width / 2, r.top + r.height / 2];
	})()`, node))
	return r[0], r[1]
}

func (b *tab) list() []string {
	b.t.Helper()
	return chromium.Eval[[]string](b.Tab, `[...document.querySelectorAll("#panel h3, #panel li")].map(e => e.textContent)`)
}

func TestBrowserPage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	v := readFixture(t, "compile_stdcmd_merged.cpu.pb.gz").graph(t, &optionSet{})
	var doc bytes.Buffer
	if err := v.WriteHTML(&doc); err != nil {
		t.Fatal(err)
	}
	b := openFile(t, doc.Bytes(), "graph.html")

	// What a click must show, from the graph itself.
	relations := func(node int) []string {
		var out []string
		for _, callers := range []bool{true, false} {
			var list []string
			for _, e := range v.Edges {
				here, there := e.From, e.To
				if callers {
					here, there = there, here
				}
				if here != node {
					continue
				}
				s := v.Nodes[there].Name + v.value(e.Weight) + " (" + v.short(e.Weight) + ")"
				if e.Inlined {
					s += ", inline"
				}
				if e.Residual {
					s += ", over functions not shown"
				}
				list = append(list, s)
			}
			word := "callee"
			if callers {
				word = "caller"
			}
			switch len(list) {
			case 0:
				out = append(out, "no "+word+"s shown")
			case 1:
				out = append(out, "1 "+word)
			default:
				out = append(out, fmt.Sprintf("%d %ss", len(list), word))
			}
			out = append(out, list...)
		}
		return out
	}
	named := func(name string) int {
		return slices.IndexFunc(v.Nodes, func(n GraphNode) bool { return n.Name == name })
	}
	near := `[...document.querySelectorAll(".near[data-node]")].map(e => Number(e.dataset.node)).sort((a, b) => a - b)`

	b.Keys("0") // all of it on the screen
	buildssa := named("cmd/compile/internal/ssagen.buildssa")
	b.ClickAt(b.middle(buildssa))
	if got, want := b.list(), relations(buildssa); !slices.Equal(got, want) {
		t.Errorf("a click shows %q, want %q", got, want)
	}
	want := []int{buildssa}
	for _, e := range v.Edges {
		if e.From == buildssa {
			want = append(want, e.To)
		} else if e.To == buildssa {
			want = append(want, e.From)
		}
	}
	slices.Sort(want)
	if got := chromium.Eval[[]int](b.Tab, near); !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("a click highlights %v, want %v", got, want)
	}
	// On to a callee over the list: it is brought into view.
	b.Run(`document.querySelector("#panel ul:last-of-type button").click()`)
	callee := -1
	for _, e := range v.Edges {
		if e.From == buildssa {
			callee = e.To
			break
		}
	}
	if got, want := b.list(), relations(callee); !slices.Equal(got, want) {
		t.Errorf("on to a callee: %q, want %q", got, want)
	}
	if x, y := b.middle(callee); x < 0 || y < 0 || x > 1280 || y > 900 {
		t.Errorf("the callee is at %v, %v: not on the screen", x, y)
	}
	b.Keys(chromium.Escape)
	if !chromium.Eval[bool](b.Tab, `document.getElementById("panel").hidden && !document.getElementById("graph").classList.contains("asked")`) {
		t.Error("Escape leaves something highlighted")
	}

	// Search: regular expressions, the share of what they match, on with Enter.
	find := func(text string) string {
		return chromium.Eval[string](b.Tab, fmt.Sprintf(`(() => {
			const i = document.getElementById("search");
			i.value = %q;
			i.dispatchEvent(new Event("input"));
			return document.getElementById("match").textContent;
		})()`, text))
	}
	matches, share := 0, 0.0
	for _, n := range v.Nodes {
		if strings.HasPrefix(n.Name, "runtime.m") {
			matches++
			share += v.share(n.Flat)
		}
	}
	if got, want := find(`^runtime\.M`), fmt.Sprintf("%d of %d nodes, flat %.2f %% of the total", matches, len(v.Nodes), 100*share); got != want {
		t.Errorf("search says %q, want %q", got, want)
	}
	if got := chromium.Eval[int](b.Tab, `document.querySelectorAll(".found").length`); got != matches {
		t.Errorf("%d nodes are marked, want %d", got, matches)
	}
	b.Run(`document.getElementById("search").focus()`)
	b.Keys(chromium.Enter)
	if got := chromium.Eval[string](b.Tab, `document.querySelector("#panel h2").textContent`); !strings.HasPrefix(got, "runtime.m") {
		t.Errorf("Enter in the search shows %q", got)
	}
	if got := find("(*Link"); !strings.Contains(got, " of 80 nodes") && !strings.Contains(got, "nodes") {
		t.Errorf("what is no regular expression: %q", got)
	}
	if !chromium.Eval[bool](b.Tab, `document.getElementById("search").getAttribute("aria-invalid") === "true"`) {
		t.Error("what is no regular expression is not marked")
	}
	find("")

	// The wheel zooms around the pointer: what is under it stays there.
	b.Run(`document.getElementById("all").click()`)
	before := b.at()
	x, y := b.middle(buildssa)
	b.Run(fmt.Sprintf(`document.getElementById("graph").dispatchEvent(new WheelEvent("wheel", {deltaY: -100, clientX: %v, clientY: %v, cancelable: true}))`, x, y))
	after := b.at()
	if x2, y2 := b.middle(buildssa); after[2] <= before[2] || math.Hypot(x2-x, y2-y) > 0.5 {
		t.Errorf("the wheel moves what is under the pointer from %v, %v to %v, %v, scale %v to %v", x, y, x2, y2, before[2], after[2])
	}
	// A drag moves it by what the pointer moves, and chooses nothing.
	b.Drag([2]float64{300, 400}, [2]float64{350, 420}, [2]float64{380, 440})
	if moved := b.at(); math.Abs(moved[0]-after[0]-80) > 0.5 || math.Abs(moved[1]-after[1]-40) > 0.5 || moved[2] != after[2] {
		t.Errorf("a drag by 80, 40 moves it from %v to %v", after, moved)
	}
	// Keys: a node is reached with Tab and chosen with Enter.
	b.Run(`document.querySelector("[data-node='3']").focus()`)
	b.Keys(chromium.Enter)
	if got := chromium.Eval[string](b.Tab, `document.querySelector("#panel h2").textContent`); got != v.Nodes[3].Name {
		t.Errorf("Enter on a node shows %q", got)
	}
	for _, width := range []int64{1280, 390, 320} {
		b.Viewport(width, 800)
		if over := chromium.Eval[int64](b.Tab, "document.documentElement.scrollWidth"); over > width {
			t.Errorf("at %d pixels the page is %d wide", width, over)
		}
	}
	b.Quiet()
}

func TestBrowserHostileNames(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	v := oddSubject(t, hostileProfile()).graph(t, &optionSet{Options: selection.Options{Granularity: "lines"}})
	var doc bytes.Buffer
	if err := v.WriteHTML(&doc); err != nil {
		t.Fatal(err)
	}
	b := openFile(t, doc.Bytes(), "graph.html")
	b.Run(`document.querySelector("[data-node='0']").focus()`)
	b.Keys(chromium.Enter)
	if got := chromium.Eval[string](b.Tab, `document.querySelector("#panel h2").textContent`); !strings.Contains(got, `</script><script>alert(1)</script>\x1b[31m\u202e`) {
		t.Errorf("the name is shown as %q", got)
	}
	if n := chromium.Eval[int](b.Tab, `document.querySelectorAll("img, iframe, object, link, [src], b, script:not(#data):not([type=module])").length`); n != 0 {
		t.Errorf("%d elements came out of names", n)
	}
	b.Quiet()
}

// Texts must be readable on each colour that a box can have, in both themes.
func TestContrast(t *testing.T) {
	luminance := func(hex string) float64 {
		var r, g, b uint8
		if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
			t.Fatal(err)
		}
		linear := func(c uint8) float64 {
			v := float64(c) / 255
			if v <= 0.04045 {
				return v / 12.92
			}
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
	}
	contrast := func(a, b string) float64 {
		x, y := luminance(a), luminance(b)
		return (max(x, y) + 0.05) / (min(x, y) + 0.05)
	}
	for _, c := range []struct {
		theme
		ink, paper string
	}{{lightTheme, "#1c1d1f", "#faf9f7"}, {darkTheme, "#ecebe6", "#15171a"}} {
		for h := range heats + 1 {
			for _, end := range [][2]color{{c.warm, c.warmInk}, {c.cold, c.coldInk}} {
				fill, line := mix(c.box, end[0], float64(h)/heats), mix(c.line, end[1], float64(h)/heats)
				if got := contrast(c.ink, fill); got < 4.5 {
					t.Errorf("text on %s: contrast %.2f", fill, got)
				}
				if got := contrast(line, c.paper); got < 2.9 {
					t.Errorf("a line of %s on paper: contrast %.2f", line, got)
				}
			}
		}
	}
}
