package flame

import (
	"bytes"
	"maps"
	"strings"
	"testing"
)

func TestColors(t *testing.T) {
	in := "main.main->rgb(1,2,3)\r\nodd->name->rgb(255,0,7)\n\n"
	c, err := ReadColors(strings.NewReader(in))
	if err != nil || len(c) != 2 || c["main.main"] != "rgb(1,2,3)" || c["odd->name"] != "rgb(255,0,7)" {
		t.Fatalf("%v, %v", c, err)
	}
	// A name that is there keeps its colour under any palette; new ones are added.
	o := DefaultSVGOptions()
	o.Palette, o.Colors = Hot, c
	all := rects(t, svgOf(t, View{Graph: graphOf(t, shop(t))}, o))
	if got := find(t, all, "main.main").fill; got != "rgb(1,2,3)" {
		t.Errorf("main.main is %s", got)
	}
	price := find(t, all, "example.com/shop.price").fill
	if c["example.com/shop.price"] != price {
		t.Errorf("the palette has %q, the picture %q", c["example.com/shop.price"], price)
	}
	o.Palette = Blue
	if got := find(t, rects(t, svgOf(t, View{Graph: graphOf(t, later(t))}, o)), "example.com/shop.price").fill; got != price {
		t.Errorf("in the next picture it is %q, not %q", got, price)
	}
	for _, bad := range []string{"main", "->rgb(1,2,3)", "a->red", "a->rgb(1,2,300)", "a->rgb(1,2,3);x", "a->rgb(1,2)", "a->rgb( 1,2,3)", strings.Repeat("x", 2<<20)} {
		if _, err := ReadColors(strings.NewReader(bad)); err == nil {
			t.Errorf("%.40q is accepted", bad)
		}
	}
	if (Colors{"a": "rgb(1,2,3)"}).Write(broken{}) == nil {
		t.Error("no error of a broken writer")
	}
}

// FuzzColors: what is read is written so that it is read as the same.
func FuzzColors(f *testing.F) {
	f.Add("main.main->rgb(1,2,3)\nx->y->rgb(0,0,0)\n")
	f.Add("a->rgb(01,2,3)")
	f.Fuzz(func(t *testing.T, in string) {
		c, err := ReadColors(strings.NewReader(in))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		for name := range c { // what a line cannot hold is left out
			if strings.ContainsAny(name, "\r\n") || len(name) > 1<<19 {
				delete(c, name)
			}
		}
		again, err := ReadColors(&b)
		if err != nil || !maps.Equal(c, again) {
			t.Fatalf("%q becomes %q, %v", c, again, err)
		}
	})
}

func TestPalettes(t *testing.T) {
	for _, p := range Palettes() {
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
		if a, b := p.color("main.main", ""), p.color("main.main", ""); a != b {
			t.Errorf("%s: %v and %v", p, a, b)
		}
	}
	if Hot.color("a.b", "") == Hot.color("a.c", "") || Package.color("a.b", "") != Package.color("a.c", "") {
		t.Error("hot tells functions apart, package does not")
	}
	if Chain.color("x_[w]", "") != Aqua.color("x_[w]", "") || Chain.color("x", "") != Blue.color("x", "") || Wakeup.color("x", "") != Aqua.color("x", "") {
		t.Error("chain and wakeup are aqua where a waker stands")
	}
	if Java.color("a/b.c_[k]", "") != Orange.color("a/b.c_[k]", "") || JS.color("x::y", "") != Yellow.color("x::y", "") {
		t.Error("annotated names have their own palettes")
	}
	// CSS Color 4's own examples of hsl().
	for _, c := range []struct {
		h, s, l float64
		want    rgb
	}{{0, 1, 0.5, rgb{255, 0, 0}}, {120, 1, 0.25, rgb{0, 128, 0}}, {240, 1, 0.5, rgb{0, 0, 255}}, {39, 1, 0.5, rgb{255, 166, 0}}, {-6, 0, 0.5, rgb{128, 128, 128}}} {
		if got := hsl(c.h, c.s, c.l); got != c.want {
			t.Errorf("hsl(%g %g %g) is %v, want %v", c.h, c.s, c.l, got, c.want)
		}
	}
}

func TestLink(t *testing.T) {
	for _, bad := range []Link{"javascript:x", "JavaScript:x", "data:text/html,x", "{file}", "/x", "vbscript:x", "https\x00://x", "\u200bhttps://x"} {
		if bad.Validate() == nil {
			t.Errorf("%q is accepted", string(bad))
		}
	}
	for _, good := range []Link{"", "https://x/{file}#L{line}", "vscode://file{file}:{line}", "file://{file}"} {
		if err := good.Validate(); err != nil {
			t.Error(err)
		}
	}
	l := Link("https://x/{file}#L{line}?{function}")
	if got, want := l.to("/a b/c\"d?.go", 0, "f&g"), `https://x//a%20b/c%22d%3F.go#L1?f%26g`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := l.to("", 3, "f"); got != "" {
		t.Errorf("a link to no file: %q", got)
	}
}
