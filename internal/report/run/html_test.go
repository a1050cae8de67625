package run

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/flame"
	"whet/internal/report/pagetest"
)

// documents returns the HTML files of all test pages, and of their flame graphs.
func documents(t *testing.T) map[string][]byte {
	out := make(map[string][]byte)
	for name, p := range pages() {
		out[name] = html(t, p)
		var b bytes.Buffer
		if err := flame.WriteHTML(&b, flame.Page{Title: p.Target, Module: p.Module, Views: FlameViews(p.Profiles)}); err != nil {
			t.Fatal(err)
		}
		out[name+" flame"] = b.Bytes()
	}
	return out
}

func TestHTMLHoldsOnlyItsOwnMarkup(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	for name, doc := range documents(t) {
		pagetest.CheckMarkup(t, name, doc)
		pagetest.CheckPolicy(t, name, doc, 1000)
	}
}

// Every name is there to be read, as text.
func TestHTMLShowsHostileNames(t *testing.T) {
	all, err := pagetest.Walk(html(t, hostilePage()))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pagetest.Tag, pagetest.Quote, pagetest.Terminal, pagetest.Bidi, pagetest.UTF8} {
		for where, is := range map[string]func(*pagetest.Element) bool{
			"a finding's title": func(e *pagetest.Element) bool { return e.Name == "h3" && e.Text == printable.Line(name) },
			"a warning":         func(e *pagetest.Element) bool { return e.Name == "li" && e.Text == printable.Line(name) },
			"a listing": func(e *pagetest.Element) bool {
				return e.Attrs["class"] == "src" && strings.TrimSpace(e.Text) == printable.Line(name)
			},
			"a remedy": func(e *pagetest.Element) bool { return e.Name == "pre" && e.Text == printable.Line(name) },
		} {
			if where == "a remedy" && strings.Contains(name, "\n") {
				continue // two lines there
			}
			if !slices.ContainsFunc(all, is) {
				t.Errorf("%q is not in %s", printable.Line(name), where)
			}
		}
	}
}

func TestHTMLDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	for name := range pages() {
		a, b := html(t, pages()[name]), html(t, pages()[name])
		if !bytes.Equal(a, b) {
			t.Errorf("%s: two writings differ", name)
		}
	}
}

// The golden file holds the page without its style, script and data, which
// other tests hold to their contracts.
func TestHTMLGolden(t *testing.T) {
	for name, p := range pages() {
		doc := pagetest.Bare(html(t, p))
		doc = regexp.MustCompile(`(Security-Policy" content=")[^"]*`).ReplaceAll(doc, []byte("$1"))
		pagetest.Golden(t, name+".html", doc)
	}
}

// The flame graphs of a page stand in the order of its profiles.
// TestFlamesAlone: on a page of its own a graph says what it is of.
func TestFlamesAlone(t *testing.T) {
	p := visitsPage()
	p.Profiles = append([]Profile{{Kind: "cpu"}}, p.Profiles...) // without a graph
	views := FlamesAlone(p, p.Profiles)
	if len(views) != len(p.Profiles)-1 {
		t.Fatalf("%d views of %d profiles", len(views), len(p.Profiles))
	}
	for i, v := range views {
		f := &p.Profiles[i+1]
		want := quantity.Value(float64(f.Values[hot.Base]), f.Unit)
		if len(v.About) != 1 || !strings.Contains(v.About[0], want) || !strings.Contains(v.About[0], f.Benchmark) || !strings.Contains(v.About[0], "recorded 2026-") {
			t.Errorf("%s of %s: %q, want %s", f.Kind, f.Benchmark, v.About, want)
		}
	}
}

func TestFlameViews(t *testing.T) {
	var labels []string
	for _, v := range FlameViews(visitsPage().Profiles) {
		labels = append(labels, v.Label)
	}
	if want := []string{"CPU time", "Allocated bytes", "CPU time · BenchmarkReused", "CPU time · BenchmarkFresh"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
	p := servicePage()
	if n := len(FlameViews(p.Profiles)); n != len(p.Profiles) {
		t.Errorf("%d flame graphs of %d profiles", n, len(p.Profiles))
	}
}
