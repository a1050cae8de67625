package flame

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/flamegraph"
	"whet/internal/chromium"
	"whet/internal/quantity"
)

// Zoom by click, drag, wheel and keys; search; sandwich; comparison.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	p := Page{Title: "shop", Module: "example.com/shop", Link: "https://git.example.com/{file}#L{line}", RootBottom: true,
		Views: []View{{Graph: graphOf(t, shop(t))}, {Label: "difference", Graph: diffOf(t)}}}
	b := openFile(t, "flame.html", htmlOf(t, p))
	// In the order of names, main holds 800 and the collector 200; on main
	// stand serve, Cart with 600, Pay with 200.
	b.clickAt(0.5, -4)
	b.Want("flame-detail", "example.com/shop.(*Server).Cart", "example.com/shop/x.go:12", "600 ns cum, 60.0 % of the total", "no flat", "package example.com/shop (your module)", "source")
	if got := chromium.Eval[string](b.Tab, `document.querySelector("#flame-detail a").href`); got != "https://git.example.com/example.com/shop/x.go#L12" {
		t.Errorf("the link is %q", got)
	}
	if got, want := b.crumbs(), []string{"all", "main.main", "http.(*conn).serve", "shop.(*Server).Cart"}; !slices.Equal(got, want) {
		t.Errorf("breadcrumb %q, want %q", got, want)
	}
	b.clickAt(0.3, -5) // Marshal holds 400 of the 600
	b.Want("flame-detail", "encoding/json.Marshal", "400 ns cum, 40.0 %", "100 ns flat, 10.0 %", "100.0 % of the zoomed frame")
	b.keys(chromium.Backspace + chromium.Backspace)
	if got := b.crumbs(); len(got) != 0 {
		t.Errorf("back: breadcrumb %q", got)
	}
	// Ctrl and the wheel zoom at the mouse, Shift moves, the arrows walk.
	px, py := b.place(0.7, -2)
	b.Wheel(px, py, 0.01, -250)
	b.Settle()
	// 1/e of the width around 0.7, from 0.442 to 0.81: it is in the root alone.
	if got, want := b.crumbs(), []string{"all"}; !slices.Equal(got, want) {
		t.Errorf("breadcrumb %q, want %q", got, want)
	}
	span := func() []float64 {
		return chromium.Eval[[]float64](b.Tab, `(() => { const s = document.getElementById("flame-crumbs"); return [s.hidden ? 0 : 1, document.getElementById("flame-reset").disabled ? 0 : 1]; })()`)
	}
	if got := span(); got[1] != 1 {
		t.Error("the wheel does not zoom")
	}
	b.keys(chromium.Escape)
	if got := span(); got[0] != 0 || got[1] != 0 {
		t.Error("Escape does not show all again")
	}
	b.keys("wwww")
	b.Settle()
	if got := span(); got[1] != 1 {
		t.Error("W does not zoom")
	}
	px, py = b.place(0.5, -1)
	b.Drag([2]float64{px, py}, [2]float64{px + 200, py})
	b.Settle()
	if got := b.Text("flame-detail"); got != "all · 1.00 µs" {
		t.Errorf("a drag is taken for a click: %q", got)
	}
	b.keys("ssssss" + chromium.Escape)

	b.set("flame-search", "input", "json")
	b.Want("flame-match", "3 frames match, 55.0 % of the total") // 400 + 150, the inner Marshal not again
	b.set("flame-search", "input", "(")
	b.Want("flame-match", "Not a regular expression")
	b.set("flame-search", "input", "")

	// The sandwich of Marshal: 550 of 1,000, its recursion among the callees.
	b.clickAt(0.5, -4)
	b.keys(chromium.ArrowUp)
	b.Want("flame-detail", "encoding/json.Marshal")
	b.keys("c")
	b.keys(chromium.ArrowDown)
	b.Want("flame-detail", "encoding/json.Marshal", "550 ns cum, 55.0 % of the total")
	b.keys(chromium.ArrowDown)
	b.Want("flame-detail", "runtime.mallocgc", "300 ns cum, 30.0 %")
	b.keys(chromium.ArrowRight + chromium.ArrowLeft + chromium.ArrowUp + chromium.ArrowUp)
	b.Want("flame-detail", "example.com/shop.(*Server).Cart", "400 ns cum, 40.0 %")
	b.keys(chromium.Escape)
	if got := b.Text("flame-sandwich"); got != "Sandwich" {
		t.Errorf("after Escape the button says %q", got)
	}

	// The comparison: width of both sides or one, changes with their signs.
	b.Run(`(() => { const s = document.getElementById("flame-select"); s.selectedIndex = 1; s.dispatchEvent(new Event("change")); })()`)
	b.keys(chromium.ArrowUp)
	b.Want("flame-detail", "all", "670 ns, before 1.00 µs: −33.0 %")
	b.keys(strings.Repeat(chromium.ArrowUp, 3) + chromium.ArrowRight)
	b.Want("flame-detail", "example.com/shop.(*Server).Pay", "0, before 200 ns: gone")
	b.set("flame-side", "change", "after")
	b.keys(chromium.ArrowUp + chromium.ArrowUp + chromium.ArrowUp + chromium.ArrowUp + chromium.ArrowUp)
	b.Want("flame-detail", "example.com/shop.price", "250 ns, before 200 ns: +25.0 %")
	for _, width := range []int64{1280, 390, 320} {
		b.Viewport(width, 800)
		if over := chromium.Eval[int64](b.Tab, "document.documentElement.scrollWidth"); over > width {
			t.Errorf("at %d pixels the page is %d wide", width, over)
		}
	}
	b.Quiet()
}

// The page's numbers and colours are those of the program, its layout and its
// sandwich those of a reference; a large tree is drawn or counted whole.
func TestBrowserAgreesWithTheProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	g := largeGraph(t)
	views := []View{{Graph: g}, {Graph: graphOf(t, shop(t))}, {Graph: diffOf(t)}}
	b := openFile(t, "flame.html", htmlOf(t, Page{Title: "large", Views: views}))
	b.clickAt(0.5, 0)
	b.Want("flame-detail", "all · ")
	script := strings.TrimSuffix(strings.SplitAfter(Script(), "// The flame graph's controls.")[0], "// The flame graph's controls.")

	values := []float64{1, 9, 99, 999, 1000, 1023, 1024, 1535, 9994, 9995, 10_000, 99_949, 99_950, 123_456, 999_499, 999_500, 999_999, 1e6, 1_234_567,
		1 << 20, 1<<20 - 1, 1e9, 999_500_000, 1<<30 + 1<<29, 123e9, 4.5e12, 1e15, 1 << 53, math.Pow(2, 62)}
	for _, unit := range []string{"nanoseconds", "bytes", "count", "parsecs"} {
		got := chromium.Eval[[]string](b.Tab, fmt.Sprintf("(() => { %s; return %s.map(v => formatValue(v, %q)); })()", script, inJSON(t, values), unit))
		for i, v := range values {
			if want := quantity.Value(v, unit); got[i] != want {
				t.Errorf("%g %s: the page prints %q, the program %q", v, unit, got[i], want)
			}
		}
	}
	fractions := []float64{0.0001, 0.125, 2.5, 1234.5678, 99_999.9}
	for i, text := range chromium.Eval[[]string](b.Tab, fmt.Sprintf("(() => { %s; return %s.map(v => formatValue(v, \"count\")); })()", script, inJSON(t, fractions))) {
		if want := quantity.Count(fractions[i]); text != want {
			t.Errorf("%g: the page prints %q, the program %q", fractions[i], text, want)
		}
	}
	ratios := []float64{0, 1e-9, 0.0009, 0.001, 0.0012, 0.05, 0.1234, 0.5, 0.99, 0.9994, 0.9996, 0.999999, 1}
	got := chromium.Eval[[]string](b.Tab, fmt.Sprintf("(() => { %s; return %s.map(percent); })()", script, inJSON(t, ratios)))
	for i, r := range ratios {
		if want := quantity.Percent(r); got[i] != want {
			t.Errorf("share %g: the page prints %q, the program %q", r, got[i], want)
		}
	}

	names := []string{"main.main", "net/http.(*conn).serve", "größe.π", "a", ""}
	names = append(names, "x_[w]", "x_[j]", "x_[i]", "x_[k]", "A::b", "java/lang", "a.js:1", "a:b")
	for _, palette := range Palettes() {
		if palette == Package {
			continue // below
		}
		colors := chromium.Eval[[][]int](b.Tab, fmt.Sprintf("(() => { %s; return %s.map(n => rampColor(%q, n)); })()", script, inJSON(t, names), palette))
		for i, name := range names {
			want := palette.color(name, "")
			if c := colors[i]; c[0] != int(want.r) || c[1] != int(want.g) || c[2] != int(want.b) {
				t.Errorf("%s %q: %v, want %v", palette, name, c, want)
			}
		}
	}

	// By package, as the browser understands the script's hsl().
	for name, color := range chromium.Eval[map[string]string](b.Tab, fmt.Sprintf(`(() => { %s
		const data = JSON.parse(document.getElementById("flame-data").textContent), theme = new Theme(false), e = document.createElement("i");
		document.body.append(e);
		const out = {};
		for (let i = 0; i < 60; i++) {
			e.style.color = theme.fill("package", data, i).fill;
			out[data.names[i]] = getComputedStyle(e).color;
		}
		e.remove();
		return out;
	})()`, script)) {
		var got rgb
		want := Package.color(name, "")
		if _, err := fmt.Sscanf(color, "rgb(%d, %d, %d)", &got.r, &got.g, &got.b); err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(got.r)-float64(want.r))+math.Abs(float64(got.g)-float64(want.g))+math.Abs(float64(got.b)-float64(want.b)) > 3 { // roundings
			t.Errorf("%q: the page has %v, the program %v", name, got, want)
		}
	}

	// What the page decodes is what the graph holds.
	for i, v := range views {
		type columns struct {
			Name   []string  `json:"name"`
			Parent []int32   `json:"parent"`
			Value  []int64   `json:"value"`
			Base   []int64   `json:"base"`
			Block  []float64 `json:"block"`
		}
		page := chromium.Eval[columns](b.Tab, fmt.Sprintf(`(() => { %s
			const data = JSON.parse(document.getElementById("flame-data").textContent), f = data.flames[%d];
			const t = new Tree(data, f, readNodes(f.nodes, f.count, f.differential));
			return {name: Array.from(t.name, (_, i) => t.nameOf(i)), parent: [...t.parent], value: [...t.value], base: [...(t.base ?? [])], block: [...t.block]};
		})()`, script, i))
		if len(page.Name) != len(v.Graph.Nodes) {
			t.Fatalf("%d nodes, want %d", len(page.Name), len(v.Graph.Nodes))
		}
		for j, n := range v.Graph.Nodes {
			if page.Name[j] != v.Graph.Frames[n.Frame].Name || page.Parent[j] != n.Parent || page.Value[j] != n.Value || page.Block[j] != float64(n.Collapsed) ||
				v.Graph.Differential && page.Base[j] != n.Base {
				t.Fatalf("view %d: node %d differs from %+v", i, j, n)
			}
		}
	}

	// The layout, at three zooms: every frame is drawn or counted, in order.
	var frames float64 = 1
	for _, n := range g.Nodes[1:] {
		frames += float64(max(n.Collapsed, 1))
	}
	for i, s := range chromium.Eval[[][]float64](b.Tab, fmt.Sprintf(`(() => { %s
		const data = JSON.parse(document.getElementById("flame-data").textContent), f = data.flames[0];
		const tree = new Tree(data, f, readNodes(f.nodes, f.count, false)), l = new Layout();
		return [320, 1280, 1e9].map(width => {
			let frames = 0, worst = 0, wrong = 0;
			l.make(tree, {node: 0, x0: 0, x1: tree.total}, width, 2);
			for (let row = 0; row < l.depth; row++) {
				let end = 0;
				for (let b = l.rows[row]; b < l.rows[row + 1]; b++) {
					frames += l.block[b] || 1;
					worst = Math.max(worst, end - l.x0[b]);
					end = l.x1[b];
					if (l.find(row, (l.x0[b] + l.x1[b]) / 2) !== b) wrong++;
				}
			}
			return [frames, worst, wrong];
		});
	})()`, script)) {
		if s[0] != frames || s[1] > 0 || s[2] > 0 {
			t.Errorf("width %d: %g frames drawn or counted of %g, boxes overlap by %g, %g are not found", i, s[0], frames, s[1], s[2])
		}
	}

	// The sandwich of each function, as the program sums it.
	for _, name := range []string{"encoding/json.Marshal", "runtime.mallocgc", "main.main"} {
		p, err := flamegraph.Sandwich(shop(t), name, func(n string) bool { return n == name }, flamegraph.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		sums := chromium.Eval[[][]any](b.Tab, fmt.Sprintf(`(() => { %s
			const data = JSON.parse(document.getElementById("flame-data").textContent), f = data.flames[1];
			const s = sandwich(new Tree(data, f, readNodes(f.nodes, f.count, false)), data.names.indexOf(%q));
			return [s.callers, s.callees].map(t => Array.from(t.name, (_, i) => t.nameOf(i) + " " + t.value[i] + " " + t.parent[i]));
		})()`, script, name))
		for half, g := range []*flamegraph.Graph{p.Callers, p.Callees} {
			for i, n := range g.Nodes {
				want := fmt.Sprintf("%s %d %d", g.Frames[n.Frame].Name, n.Value, n.Parent)
				if len(sums[half]) != len(g.Nodes) || sums[half][i] != want {
					t.Fatalf("half %d of %s: %v, want %q at %d", half, name, sums[half], want, i)
				}
			}
		}
	}
	b.Quiet()
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Names that want to be more than names are shown, and do nothing.
func TestBrowserHostileNames(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	v := View{Label: hostile[0], Unit: hostile[1], Graph: hostileGraph(t)}
	b := openFile(t, "flame.html", htmlOf(t, Page{Title: hostile[0], Subtitle: hostile[7], Views: []View{v, v}, Warnings: hostile, Link: "https://example.com/{function}", RootBottom: true}))
	if n := chromium.Eval[int](b.Tab, `document.querySelectorAll("img, iframe, object, link, [src], [onerror], [onmouseover]").length`); n != 0 {
		t.Errorf("%d elements came out of names", n)
	}
	b.set("flame-search", "input", "onerror=alert")
	b.Want("flame-match", "1 frame match")
	b.keys(chromium.ArrowUp + chromium.ArrowUp)
	seen := make(map[string]bool)
	for _, key := range []string{chromium.ArrowRight, chromium.ArrowLeft} {
		for range len(hostile) {
			name, _, _ := strings.Cut(b.Text("flame-detail"), " · ")
			seen[name] = true
			b.keys(key)
		}
	}
	for _, name := range hostile {
		if want := visible(name); !seen[want] {
			t.Errorf("no frame says %.60q", want)
		}
	}
	b.Quiet()
}

// The picture's own script: zoom, search, and back.
func TestBrowserSVG(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	o := DefaultSVGOptions()
	o.Title = "shop"
	b := openFile(t, "flame.svg", svgOf(t, View{Graph: graphOf(t, shop(t))}, o))
	if got := chromium.Eval[string](b.Tab, `document.documentElement.dataset.ready`); got != "yes" {
		t.Fatal("the script has not run")
	}
	frame := func(name string) string {
		return fmt.Sprintf(`[...document.querySelectorAll("g.f")].find(g => g.querySelector("title").textContent.startsWith(%q + " ("))`, name)
	}
	width := func(name string) float64 {
		return chromium.Eval[float64](b.Tab, fmt.Sprintf(`(g => g.style.display === "none" ? 0 : Number(g.querySelector("rect").getAttribute("width")))(%s)`, frame(name)))
	}
	click := func(name string) {
		b.Run(fmt.Sprintf(`%s.dispatchEvent(new MouseEvent("click", {bubbles: true}))`, frame(name)))
	}
	click("example.com/shop.(*Server).Cart")
	if w := width("encoding/json.Marshal"); math.Abs(w-1180*400/600) > 1 {
		t.Errorf("zoomed into Cart, Marshal is %g wide, want %g", w, 1180*400.0/600)
	}
	if w := width("runtime.scanobject"); w != 0 {
		t.Errorf("zoomed into Cart, the collector is %g wide", w)
	}
	if w := width("all"); w < 1179 {
		t.Errorf("zoomed into Cart, the root is %g wide", w)
	}
	b.Keys(chromium.Escape)
	if w := width("runtime.scanobject"); math.Abs(w-1180*0.2) > 1 {
		t.Errorf("Escape: the collector is %g wide", w)
	}
	b.Run(`window.prompt = () => "json"; document.getElementById("search").dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	if got := b.Text("matched"); got != "Matched: 55.0 %" {
		t.Errorf("search says %q", got)
	}
	b.Quiet()
}
