package flame

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whet/internal/analyze/flamegraph"
)

// rect is a frame of a picture.
type rect struct {
	title, label, fill, href string
	x, y, width              float64
}

// rects reads a picture's frames, as strictly as XML is read.
func rects(t testing.TB, svg []byte) []rect {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	var out []rect
	var into *string
	inFrame := false
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			a := make(map[string]string)
			for _, attr := range tok.Attr {
				if strings.HasPrefix(attr.Name.Local, "on") {
					t.Fatalf("<%s %s>", tok.Name.Local, attr.Name.Local)
				}
				a[attr.Name.Local] = attr.Value
			}
			switch name := tok.Name.Local; {
			case name == "g" && a["class"] == "f":
				inFrame = true
				out = append(out, rect{})
			case !slices.Contains([]string{"svg", "title", "style", "defs", "pattern", "rect", "text", "g", "a", "script"}, name):
				t.Fatalf("element <%s>", name)
			case !inFrame:
			case name == "a":
				out[len(out)-1].href = a["href"]
			case name == "title":
				into = &out[len(out)-1].title
			case name == "text":
				into = &out[len(out)-1].label
			case name == "rect":
				r := &out[len(out)-1]
				r.x, r.y, r.width, r.fill = number(a["x"]), number(a["y"]), number(a["width"]), a["fill"]
			}
		case xml.CharData:
			if into != nil {
				*into += string(tok)
			}
		case xml.EndElement:
			into = nil
			if tok.Name.Local == "g" {
				inFrame = false
			}
		}
	}
}

func find(t testing.TB, all []rect, name string) rect {
	t.Helper()
	i := slices.IndexFunc(all, func(r rect) bool { return strings.HasPrefix(r.title, name+" (") })
	if i < 0 {
		t.Fatalf("no frame %q in %+v", name, all)
	}
	return all[i]
}

func TestSVG(t *testing.T) {
	o := DefaultSVGOptions()
	o.Width, o.Title, o.Subtitle, o.Link, o.Module = 1020, "The <shop>", "before & after", "https://git.example.com/{file}#L{line}", "example.com/shop"
	v := View{Graph: graphOf(t, shop(t))}
	doc := svgOf(t, v, o)
	if !bytes.Contains(doc, []byte("The &lt;shop&gt;")) || !bytes.Contains(doc, []byte("before &amp; after")) || !bytes.Contains(doc, []byte("<script>")) {
		t.Error("title, subtitle or script is missing")
	}
	all := rects(t, doc)
	// 1,000 pixels for 1,000: Cart holds 600 of it, from the left; Pay 200.
	cart, pay, root := find(t, all, "example.com/shop.(*Server).Cart"), find(t, all, "example.com/shop.(*Server).Pay"), find(t, all, "all")
	if cart.x != 10 || math.Abs(cart.width-600) > 1 || pay.x != 610 || math.Abs(pay.width-200) > 1 || root.width < 999 {
		t.Errorf("Cart %+v\nPay %+v\nall %+v", cart, pay, root)
	}
	if want := "example.com/shop.(*Server).Cart (600 ns, 60.0 %)"; cart.title != want || cart.label != "example.com/shop.(*Server).Cart" {
		t.Errorf("Cart says %q and %q, want %q", cart.title, cart.label, want)
	}
	if want := "https://git.example.com/example.com/shop/x.go#L12"; cart.href != want {
		t.Errorf("the link is %q, want %q", cart.href, want)
	}
	if root.y-cart.y != 3*float64(o.Height) {
		t.Errorf("the root is at %g, the third frame on it at %g", root.y, cart.y)
	}
	// Each package has its colour, wherever it stands and however it is drawn.
	o.Inverted, o.Interactive = true, false
	doc = svgOf(t, v, o)
	other := rects(t, doc)
	if bytes.Contains(doc, []byte("<script")) || bytes.Contains(doc, []byte("data-")) {
		t.Error("a still picture has a script")
	}
	if c, r := find(t, other, "example.com/shop.(*Server).Cart"), find(t, other, "all"); c.y-r.y != 3*float64(o.Height) || c.fill != cart.fill {
		t.Errorf("inverted: Cart %+v, all %+v", c, r)
	}
	divided := *v.Graph
	divided.Ratio = 0.001
	if c := find(t, rects(t, svgOf(t, View{Graph: &divided}, o)), "example.com/shop.(*Server).Cart"); !strings.Contains(c.title, "(0.600 ns, 60.0 %)") {
		t.Errorf("divided by 1,000: %q", c.title)
	}
	o.CountName = "samples"
	if c := find(t, rects(t, svgOf(t, v, o)), "example.com/shop.(*Server).Cart"); !strings.Contains(c.title, "(600 samples, 60.0 %)") {
		t.Errorf("with a count name: %q", c.title)
	}
	// Frames below the minimum width are counted, and not lost.
	o.MinWidth = 160
	var found bool
	for _, r := range rects(t, svgOf(t, v, o)) {
		// Below Pay: Marshal and what it called with 150, and Print with 50.
		found = found || r.title == "(3 frames, 20.0 %) (200 samples, 20.0 %)"
		if strings.Contains(r.title, "log.Print") {
			t.Errorf("%q is narrower than the minimum", r.title)
		}
	}
	if !found {
		t.Error("the narrow frames are not counted")
	}
}

func TestSVGDifferential(t *testing.T) {
	v, o := View{Graph: diffOf(t)}, DefaultSVGOptions()
	all := rects(t, svgOf(t, v, o))
	for name, want := range map[string]string{
		"example.com/shop.(*Server).Pay": "gone", "example.com/shop.cache": "new", "example.com/shop.price": "+25.0 %",
		"runtime.mallocgc": "−66.7 %", "runtime.scanobject": "=",
	} {
		r := find(t, all, name)
		if !strings.HasPrefix(r.label, want) && r.width > 100 || !strings.Contains(r.title, ": "+want+",") {
			t.Errorf("%s says %q and %q, want %q", name, r.label, r.title, want)
		}
	}
	more, less := find(t, all, "example.com/shop.price").fill, find(t, all, "runtime.mallocgc").fill
	if !strings.HasPrefix(more, "rgb(255,") || !strings.HasSuffix(less, ",255)") {
		t.Errorf("more is %s, less is %s", more, less)
	}
	o.Negate = true
	all = rects(t, svgOf(t, v, o))
	if got := find(t, all, "example.com/shop.price").fill; !strings.HasSuffix(got, ",255)") {
		t.Errorf("negated, more is %s", got)
	}
}

// A name loses what frames beside it have in common before it is cut.
func TestSVGLabels(t *testing.T) {
	const name = "encoding/json.(*decodeState).value"
	p := &picture{}
	for chars, want := range map[int]string{34: name, 33: "json.(*decodeState).value", 24: "(*decodeState).value", 19: "value", 4: "val…", 2: ""} {
		if got := p.fit(name, float64(chars)*charWidth*10+0.01, 10); got != want {
			t.Errorf("%d characters: %q, want %q", chars, got, want)
		}
	}
	if got := p.fit("main.(*T[go.shape.int]).set", 3*charWidth*10+0.01, 10); got != "set" {
		t.Errorf("the method of a type with arguments: %q", got)
	}
}

func TestSVGSandwich(t *testing.T) {
	p, err := flamegraph.Sandwich(shop(t), "encoding/json.Marshal", func(name string) bool { return name == "encoding/json.Marshal" }, flamegraph.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	all := rects(t, svgOf(t, View{Graph: p.Callees, Callers: p.Callers}, DefaultSVGOptions()))
	root, caller, callee := find(t, all, "encoding/json.Marshal"), find(t, all, "example.com/shop.(*Server).Cart"), find(t, all, "runtime.mallocgc")
	if !(caller.y < root.y && root.y < callee.y) || !strings.Contains(root.title, "(550 ns, 100.0 %)") {
		t.Errorf("root %+v, caller %+v, callee %+v", root, caller, callee)
	}
}

func TestSVGHostile(t *testing.T) {
	o := DefaultSVGOptions()
	o.Title, o.Subtitle, o.CountName, o.NameType, o.Link = hostile[0], hostile[7], hostile[8], hostile[1], "https://example.com/{function}/{file}"
	doc := svgOf(t, View{Label: hostile[9], Graph: hostileGraph(t)}, o)
	all := rects(t, doc)
	if len(all) != 1+len(hostile) {
		t.Errorf("%d frames, want %d", len(all), 1+len(hostile))
	}
	if bad := regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]").Find(doc); bad != nil {
		t.Errorf("%q is in the file", bad)
	}
	if len(doc) > 100<<10 {
		t.Errorf("%d bytes: the name of 64 KB is not cut", len(doc))
	}
	for _, r := range all {
		if r.href != "" && !strings.HasPrefix(r.href, "https://example.com/") {
			t.Errorf("link to %q", r.href)
		}
	}
}

func TestSVGOptionsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*SVGOptions){
		"width": func(o *SVGOptions) { o.Width = 5 }, "height": func(o *SVGOptions) { o.Height = 0 }, "font size": func(o *SVGOptions) { o.FontSize = math.NaN() },
		"minimum": func(o *SVGOptions) { o.MinWidth = -1 }, "font": func(o *SVGOptions) { o.FontType = "x}</style>" }, "palette": func(o *SVGOptions) { o.Palette = "mauve" },
		"link": func(o *SVGOptions) { o.Link = "javascript:alert({line})" },
	} {
		o := DefaultSVGOptions()
		change(&o)
		if err := WriteSVG(io.Discard, View{Graph: graphOf(t, shop(t))}, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := WriteSVG(io.Discard, View{}, DefaultSVGOptions()); err == nil {
		t.Error("a picture of nothing")
	}
	if err := WriteSVG(broken{}, View{Graph: graphOf(t, shop(t))}, DefaultSVGOptions()); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// TestLayoutConserves: whatever the least width, each row's boxes do not
// overlap, and every frame is drawn or counted.
func TestLayoutConserves(t *testing.T) {
	for name, g := range map[string]*flamegraph.Graph{"shop": graphOf(t, shop(t)), "diff": diffOf(t), "large": largeGraph(t)} {
		var all int64 = 1
		for _, n := range g.Nodes[1:] {
			all += max(n.Collapsed, 1)
		}
		for _, least := range []float64{0, 1e-6, 0.001, 0.1, 1} {
			var frames, value, base int64
			end := make(map[int]float64)
			for _, b := range layout(g, least) {
				frames += max(b.frames, 1)
				if b.depth == 1 {
					value += b.value
					base += b.base
				}
				if b.x0 < end[b.depth]-1e-9 {
					t.Fatalf("%s, least %g: boxes overlap in row %d", name, least, b.depth)
				}
				end[b.depth] = b.x1
			}
			if value != g.Nodes[0].Value || base != g.Nodes[0].Base { // no sample ends at the root
				t.Errorf("%s, least %g: the first row holds %d against %d, the root %d against %d", name, least, value, base, g.Nodes[0].Value, g.Nodes[0].Base)
			}
			if frames != all {
				t.Errorf("%s, least %g: %d frames drawn or counted of %d", name, least, frames, all)
			}
		}
	}
}
