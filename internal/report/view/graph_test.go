package view

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/analyze/selection"
)

// element is a part of a drawing: what it is, and all text in it.
type element struct {
	name  string
	attrs map[string]string
	texts []string // of <text> inside, in order
	title string   // the first inside
}

// elements reads a drawing; it fails where it is not XML or holds anything but
// shapes and text.
func elements(t *testing.T, doc []byte) []*element {
	t.Helper()
	known := []string{"svg", "title", "style", "g", "rect", "path", "text"}
	var all, open []*element
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: make(map[string]string)}
			if !slices.Contains(known, e.name) {
				t.Fatalf("an element %s", e.name)
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || strings.HasSuffix(a.Name.Local, "href") {
					t.Fatalf("an attribute %s of %s", a.Name.Local, e.name)
				}
				e.attrs[a.Name.Local] = a.Value
			}
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for i, e := range open {
				switch last := open[len(open)-1]; {
				case last.name == "text" && i < len(open)-1:
					e.texts = append(e.texts, string(token))
				case last.name == "title" && e.title == "" && i < len(open)-1:
					e.title = string(token)
				}
			}
		}
	}
}

func (e *element) is(class string) bool {
	return slices.Contains(strings.Fields(e.attrs["class"]), class)
}

func drawn(t *testing.T, v *Graph) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := v.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var (
	dotNode = regexp.MustCompile(`(?m)^N(\d+) \[label="((?:[^"\\]|\\.)*)" id="node`)
	dotEdge = regexp.MustCompile(`(?m)^N(\d+) -> N(\d+) \[label="((?:[^"\\]|\\.)*)"(.*)\]$`)
	dotTags = regexp.MustCompile(`(?m)^N+(\d+)_\S+ \[label = "((?:[^"\\]|\\.)*)".* tooltip="([^"]*)"\]$`)
)

// squeezed leaves out where lines and parts of names begin: the numbers of
// closures stay on their function's line in whet's picture.
func squeezed(parts ...string) string {
	return strings.NewReplacer(`\n`, "", ".", "", " ", "", "·", "").Replace(strings.Join(parts, ""))
}

// The picture says what pprof's says: every node with its name, flat and cum,
// every call with its value, whether it is inlined or residual, every tag.
func TestPictureSaysWhatPprofsSays(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	tree := optionSet{callTree: true, nodeCount: 30, Options: selection.Options{Granularity: "filefunctions"}}
	for _, c := range []struct {
		name string
		optionSet
	}{
		{"compile_stdcmd_merged.cpu.pb.gz", optionSet{}}, {"http.heap.pb.gz", optionSet{}}, {"httpsrv_labels.cpu.pb.gz", optionSet{}}, {"httpsrv_labels.cpu.pb.gz", tree},
	} {
		t.Run(fmt.Sprint(c.name, c.callTree), func(t *testing.T) {
			a := c.optionSet
			subject := readFixture(t, c.name)
			v := subject.graph(t, &a)
			theirs, err := subject.pprof("-dot", &a)
			if a.callTree { // where pprof numbers nodes of one name by chance
				var b bytes.Buffer
				err = v.WriteDOT(&b)
				theirs = b.String()
			}
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			for _, m := range dotNode.FindAllStringSubmatch(theirs, -1) {
				want = append(want, m[1]+" "+squeezed(m[2]))
			}
			for _, m := range dotTags.FindAllStringSubmatch(theirs, -1) {
				want = append(want, m[1]+" tag "+squeezed(m[2], m[3]))
			}
			for _, m := range dotEdge.FindAllStringSubmatch(theirs, -1) {
				residual := strings.Contains(m[4], `style="dotted"`)
				want = append(want, fmt.Sprint(m[1], " to ", m[2], squeezed(m[3]), residual))
			}
			all := elements(t, drawn(t, v))
			for i, e := range all {
				switch {
				case e.attrs["data-node"] != "":
					n, _ := strconv.Atoi(e.attrs["data-node"])
					own := e.texts
					for _, chip := range all[i+1:] { // its chips stand after it
						if chip.attrs["data-node"] != "" {
							break
						}
						if chip.is("chip") {
							got = append(got, fmt.Sprint(n+1, " tag ", squeezed(chip.texts...)))
							own = own[:len(own)-len(chip.texts)]
						}
					}
					got = append(got, fmt.Sprint(n+1, " ", squeezed(own...)))
				case e.attrs["data-edge"] != "":
					n, _ := strconv.Atoi(e.attrs["data-edge"])
					got = append(got, fmt.Sprint(v.Edges[n].From+1, " to ", v.Edges[n].To+1, squeezed(e.texts...), e.is("residual")))
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-pprof +whet:\n%.4000s", diff)
			}
		})
	}
}

func TestPictureOfHostileNames(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	subject := oddSubject(t, hostileProfile())
	long := odd()
	for i, f := range long.Function[:3] {
		f.Name = strings.Repeat("a/b.世界"+f.Name, 8000)[:60_000] + fmt.Sprint(i)
	}
	for _, s := range []struct {
		name string
		*Graph
	}{
		{"hostile", subject.graph(t, &optionSet{Options: selection.Options{Granularity: "lines"}})},
		{"long", oddSubject(t, long).graph(t, &optionSet{})},
	} {
		doc := drawn(t, s.Graph)
		elements(t, doc)
		if bytes.ContainsAny(doc, "\x1b\u202e") {
			t.Errorf("%s: a control character is in the picture", s.name)
		}
		var page bytes.Buffer
		if err := s.WriteHTML(&page); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(bytes.ToLower(page.Bytes()), []byte("<script")); n != 2 {
			t.Errorf("%s: %d scripts in the page, want the data and the page's own", s.name, n)
		}
		if bytes.Contains(page.Bytes(), []byte("<b>")) || bytes.ContainsAny(page.Bytes(), "\x1b\u202e") {
			t.Errorf("%s: a name is markup in the page", s.name)
		}
		if len(doc) > 1<<20 || page.Len() > 1<<20 {
			t.Errorf("%s: the picture has %d bytes, the page %d", s.name, len(doc), page.Len())
		}
	}
}

func TestPictureIsTheSameEveryTime(t *testing.T) {
	subject := readFixture(t, "httpsrv_labels.cpu.pb.gz")
	first := drawn(t, subject.graph(t, &optionSet{}))
	for range 3 {
		if !bytes.Equal(first, drawn(t, subject.graph(t, &optionSet{}))) {
			t.Fatal("another picture of the same profile")
		}
	}
}

func TestPictureOfNothing(t *testing.T) {
	subject := readFixture(t, "http.mutex.pb.gz")
	v := subject.graph(t, &optionSet{Options: selection.Options{Focus: "no such function"}})
	if len(v.Nodes) != 0 {
		t.Fatalf("%d nodes match", len(v.Nodes))
	}
	elements(t, drawn(t, v))
	if err := v.WriteHTML(io.Discard); err != nil {
		t.Error(err)
	}
}

// What can be seen of a value must grow with it: the colour by cum, the bar by
// cum, the text by flat, the line by its weight.
func TestPictureGrowsWithValues(t *testing.T) {
	v := readFixture(t, "compile_stdcmd_merged.cpu.pb.gz").graph(t, &optionSet{})
	p, err := v.draw()
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range v.Nodes {
		for j, b := range v.Nodes {
			if a.Cum > b.Cum && (p.nodes[i].heat < p.nodes[j].heat || p.nodes[i].share <= p.nodes[j].share) {
				t.Errorf("%s has more cum than %s, heat %d and %d", a.Name, b.Name, p.nodes[i].heat, p.nodes[j].heat)
			}
			if a.Flat > b.Flat && p.nodes[i].largest() < p.nodes[j].largest() {
				t.Errorf("%s has more flat than %s and smaller text", a.Name, b.Name)
			}
		}
		if want := float64(a.Cum) / float64(v.Total); math.Abs(p.nodes[i].share-want) > 1e-12 {
			t.Errorf("%s: bar of %v, want %v", a.Name, p.nodes[i].share, want)
		}
	}
	for i := 1; i < len(v.Edges); i++ {
		if p.edges[i].width > p.edges[i-1].width {
			t.Errorf("edge %d is wider than the one before, which is heavier", i)
		}
		if l, line := p.edges[i].label[0], p.edges[i].route.Label; l.x < line.X+p.edges[i].width/2+2 {
			t.Errorf("edge %d: its label begins at %v, the line is at %v", i, l.x, line.X)
		}
	}
}

func (n *pictureNode) largest() float64 {
	size := 0.0
	for _, l := range n.lines {
		size = max(size, l.size)
	}
	return size
}

func TestDifferenceIsWarmAndCold(t *testing.T) {
	s := readFixture(t, "httpsrv_labels.cpu.pb.gz")
	more := s.graph(t, &optionSet{base: selection.DiffBase})
	s.ours, s.ourBase = s.ourBase, s.ours
	less := s.graph(t, &optionSet{base: selection.DiffBase})
	for _, v := range []*Graph{more, less} {
		seen := false
		for _, n := range v.Nodes {
			h := v.heat(n.Cum)
			if h != 0 && h > 0 != (n.Cum > 0) {
				t.Errorf("%s: cum %d has heat %d", n.Name, n.Cum, h)
			}
			seen = seen || h != 0 && h > 0 == (v == more)
		}
		doc := drawn(t, v)
		if said := bytes.Contains(doc, []byte("blue: below zero")); said != (v == less) {
			t.Errorf("the key explains blue: %v, though there are values below zero: %v", said, v == less)
		}
		_, nodes, _ := bytes.Cut(doc, []byte(`class="nodes"`)) // after the key
		if cold := bytes.Contains(nodes, []byte(`class="node c`)); !seen || cold != (v == less) {
			t.Errorf("of more than its base %v: nodes of its colour %v, cold ones in the picture %v", v == more, seen, cold)
		}
	}
}

func TestGraphJSON(t *testing.T) {
	subject := readFixture(t, "httpsrv_labels.cpu.pb.gz")
	v := subject.graph(t, &optionSet{nodeCount: 30})
	var b bytes.Buffer
	if err := v.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema   string
		Warnings []string
		TotalNs  int64 `json:"total_ns"`
		ShownNs  int64 `json:"shown_ns"`
		Nodes    []struct {
			ID     int
			Name   string
			FlatNs int64   `json:"flat_ns"`
			CumNs  int64   `json:"cum_ns"`
			Ratio  float64 `json:"cum_ratio"`
			Tags   []struct {
				Labels   []string
				WeightNs int64 `json:"weight_ns"`
			}
		}
		Edges []struct {
			From, To          int
			WeightNs          int64 `json:"weight_ns"`
			Residual, Inlined bool
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "whet/graph/1" || got.Warnings == nil || got.TotalNs != v.Total || len(got.Nodes) != len(v.Nodes) || len(got.Edges) != len(v.Edges) {
		t.Fatalf("%s of %d, %d nodes, %d edges", got.Schema, got.TotalNs, len(got.Nodes), len(got.Edges))
	}
	var flat int64
	tags := 0
	for i, n := range got.Nodes {
		flat += n.FlatNs
		tags += len(n.Tags)
		if n.ID != i || n.Name != v.Nodes[i].Name || n.CumNs < n.FlatNs || n.Ratio != float64(n.CumNs)/float64(got.TotalNs) {
			t.Errorf("node %d: %+v", i, n)
		}
	}
	if flat != got.ShownNs || tags == 0 {
		t.Errorf("flat sums to %d, shown are %d; %d tags", flat, got.ShownNs, tags)
	}
	for i, e := range got.Edges {
		if from, to := got.Nodes[e.From], got.Nodes[e.To]; e.WeightNs > from.CumNs || e.WeightNs > to.CumNs {
			t.Errorf("edge %d weighs %d, more than what it leads from or to", i, e.WeightNs)
		}
		if i > 0 && e.WeightNs > got.Edges[i-1].WeightNs {
			t.Errorf("edge %d is heavier than the one before", i)
		}
	}
}

func TestShortenKeepsBothEnds(t *testing.T) {
	for _, s := range []string{"short", strings.Repeat("x", 44), strings.Repeat("ab", 400), strings.Repeat("世", 100), strings.Repeat("a世", 30)} {
		got := shorten(s, 44)
		if cells(got) > 44 {
			t.Errorf("%q takes %d cells", got, cells(got))
		}
		if cells(s) <= 44 && got != s {
			t.Errorf("%q is shortened to %q", s, got)
		}
		if before, after, cut := strings.Cut(got, "…"); cut && (!strings.HasPrefix(s, before) || !strings.HasSuffix(s, after) || before == "" || after == "") {
			t.Errorf("%q is shortened to %q", s, got)
		}
	}
}
