package flame

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/flamegraph"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/symbolname"
)

// sample is a written out, its path from the root separated by ";".
type sample struct {
	path  string
	value int64
}

func selectionOf(t testing.TB, samples ...sample) *selection.Selection {
	t.Helper()
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for _, s := range samples {
		var leafFirst []callstack.LocationID
		for _, name := range slices.Backward(strings.Split(s.path, ";")) {
			file := ""
			if pkg := symbolname.Package(name); pkg != "" {
				file = pkg + "/x.go"
			}
			f := b.Function(callstack.Function{Name: name, File: file, Start: 12})
			leafFirst = append(leafFirst, b.Location(callstack.NoMapping, 0, false, callstack.SourceLine{Function: f, Line: 20}))
		}
		b.Add(leafFirst, nil, s.value)
	}
	s, err := selection.New([]selection.Source{{Profile: b.Profile()}}, selection.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func graphOf(t testing.TB, s *selection.Selection) *flamegraph.Graph {
	t.Helper()
	g, err := flamegraph.Build(s, flamegraph.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// shop returns a small service: 1,000 in all.
func shop(t testing.TB) *selection.Selection {
	return selectionOf(t,
		sample{"main.main;net/http.(*conn).serve;example.com/shop.(*Server).Cart;encoding/json.Marshal;runtime.mallocgc", 300},
		sample{"main.main;net/http.(*conn).serve;example.com/shop.(*Server).Cart;encoding/json.Marshal", 100},
		sample{"main.main;net/http.(*conn).serve;example.com/shop.(*Server).Cart;example.com/shop.price", 200},
		sample{"main.main;net/http.(*conn).serve;example.com/shop.(*Server).Pay;encoding/json.Marshal;encoding/json.Marshal", 150},
		sample{"main.main;net/http.(*conn).serve;example.com/shop.(*Server).Pay;github.com/x/log.Print", 50},
		sample{"runtime.gcBgMarkWorker;runtime.scanobject", 200},
	)
}

// later returns the same service after a change.
func later(t testing.TB) *selection.Selection {
	return selectionOf(t,
		sample{"main.main;net/http.(*conn).serve;example.com/shop.(*Server).Cart;encoding/json.Marshal;runtime.mallocgc", 100},
		sample{"main.main;net/http.(*conn).serve;example.com/shop.(*Server).Cart;encoding/json.Marshal", 100},
		sample{"main.main;net/http.(*conn).serve;example.com/shop.(*Server).Cart;example.com/shop.price", 250},
		sample{"main.main;net/http.(*conn).serve;example.com/shop.(*Server).Cart;example.com/shop.cache", 20},
		sample{"runtime.gcBgMarkWorker;runtime.scanobject", 200},
	)
}

func diffOf(t testing.TB) *flamegraph.Graph {
	t.Helper()
	g, err := flamegraph.Diff(shop(t), later(t), flamegraph.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// hostile are names that want to be more than names.
var hostile = []string{
	`</script><img src=x onerror=alert(1)>`, `" onmouseover="alert(2)" x='{{.}}`, "]]>", "<!--<script>", "javascript:alert(3)", "&lt;b&gt;", "a;b",
	"\x1b]0;owned\x07\x1b[2J\u009b31m\x7f\r\nmain.x", "main.\u202egnp.exe\u2066\u200b\u2028\u2029", "main.\xff\xfe\x80", strings.Repeat("x", 64<<10),
}

func hostileGraph(t testing.TB) *flamegraph.Graph {
	b := callstack.NewBuilder(callstack.ValueType{Type: hostile[0], Unit: hostile[1]})
	for i, name := range hostile {
		f := b.Function(callstack.Function{Name: name, File: hostile[(i+1)%len(hostile)]})
		l := b.Location(callstack.NoMapping, 0, false, callstack.SourceLine{Function: f, Line: i})
		b.Add([]callstack.LocationID{l}, nil, int64(100+i))
	}
	s, err := selection.New([]selection.Source{{Profile: b.Profile()}}, selection.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return graphOf(t, s)
}

// largeGraph has some 100,000 nodes, half of which a screen shows.
func largeGraph(t testing.TB) *flamegraph.Graph {
	var samples []sample
	for i := range 25_000 {
		samples = append(samples, sample{fmt.Sprintf("main.main;p%d.F;p%d.g%d;q.h%d;q.i%d;r.j", i%7, i%11, i%1000, i, i%5), int64(1 + i%13)})
	}
	o := flamegraph.DefaultOptions()
	o.Parts = 0
	g, err := flamegraph.Build(selectionOf(t, samples...), o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func htmlOf(t testing.TB, p Page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHTML(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func svgOf(t testing.TB, v View, o SVGOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSVG(&b, v, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
