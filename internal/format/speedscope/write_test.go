package speedscope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// document is what speedscope's file-format-schema.json describes, as far as
// sampled profiles go: every key it names, pointers where it requires one.
type document struct {
	Schema *string `json:"$schema"`
	Shared *struct {
		Frames *[]struct {
			Name *string `json:"name"`
			File string  `json:"file"`
			Line float64 `json:"line"`
			Col  float64 `json:"col"`
		} `json:"frames"`
	} `json:"shared"`
	Profiles *[]struct {
		Type       *string    `json:"type"`
		Name       *string    `json:"name"`
		Unit       *string    `json:"unit"`
		StartValue *float64   `json:"startValue"`
		EndValue   *float64   `json:"endValue"`
		Samples    *[][]int   `json:"samples"`
		Weights    *[]float64 `json:"weights"`
	} `json:"profiles"`
	Name               string  `json:"name"`
	ActiveProfileIndex float64 `json:"activeProfileIndex"`
	Exporter           string  `json:"exporter"`
}

// units are the six that the schema allows.
var units = []string{"bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"}

// check reads a document and holds it to the schema, and to what its types say
// in words: as many weights as samples, indices into the frames, an end that
// is not before the start.
func check(data []byte) (*document, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var doc document
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	switch {
	case doc.Schema == nil || *doc.Schema != "https://www.speedscope.app/file-format-schema.json":
		return nil, errors.New("no $schema")
	case doc.Shared == nil || doc.Shared.Frames == nil:
		return nil, errors.New("no shared.frames")
	case doc.Profiles == nil || len(*doc.Profiles) == 0:
		return nil, errors.New("no profiles")
	case doc.ActiveProfileIndex < 0 || int(doc.ActiveProfileIndex) >= len(*doc.Profiles):
		return nil, fmt.Errorf("activeProfileIndex is %v", doc.ActiveProfileIndex)
	}
	for i, f := range *doc.Shared.Frames {
		if f.Name == nil {
			return nil, fmt.Errorf("frame %d has no name", i)
		}
	}
	for i, p := range *doc.Profiles {
		switch {
		case p.Type == nil || *p.Type != "sampled" || p.Name == nil || p.StartValue == nil || p.EndValue == nil || p.Samples == nil || p.Weights == nil:
			return nil, fmt.Errorf("profile %d lacks a key", i)
		case p.Unit == nil || !slices.Contains(units, *p.Unit):
			return nil, fmt.Errorf("profile %d: unit %v", i, p.Unit)
		case *p.EndValue < *p.StartValue || len(*p.Samples) != len(*p.Weights):
			return nil, fmt.Errorf("profile %d: from %v to %v, %d samples, %d weights", i, *p.StartValue, *p.EndValue, len(*p.Samples), len(*p.Weights))
		}
		for _, s := range *p.Samples {
			for _, f := range s {
				if f < 0 || f >= len(*doc.Shared.Frames) {
					return nil, fmt.Errorf("profile %d: frame %d of %d", i, f, len(*doc.Shared.Frames))
				}
			}
		}
	}
	return &doc, nil
}

// stacks writes out the samples of a document's profile, root first.
func (d *document) stacks(i int) []string {
	var out []string
	for n, s := range *(*d.Profiles)[i].Samples {
		var line strings.Builder
		for _, f := range s {
			fr := (*d.Shared.Frames)[f]
			fmt.Fprintf(&line, "%s %s:%v; ", *fr.Name, fr.File, fr.Line)
		}
		fmt.Fprintf(&line, "%.0f", (*(*d.Profiles)[i].Weights)[n])
		out = append(out, line.String())
	}
	return out
}

// stacks writes out the samples of a column in the same way.
func stacks(p *callstack.Profile, column int) []string {
	var out []string
	for c := p.Cursor(column); c.Next(); {
		var line strings.Builder
		for _, id := range c.Path {
			for _, l := range slices.Backward(p.Lines(id)) {
				f := p.Functions[l.Function]
				fmt.Fprintf(&line, "%s %s:%d; ", f.Name, f.File, f.Start)
			}
		}
		fmt.Fprintf(&line, "%d", c.Value(0))
		out = append(out, line.String())
	}
	return out
}

func TestWrite(t *testing.T) {
	b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}, callstack.ValueType{Type: "alloc_space", Unit: "bytes"})
	p := b.Profile()
	p.DefaultType = 1
	p.Mappings = []callstack.Mapping{{File: "/bin/x"}}
	f := b.Function(callstack.Function{Name: "main.f", File: "f.go", Start: 3})
	g := b.Function(callstack.Function{Name: "\"</script>\u2028\xff", File: "g.go"})
	none := b.Function(callstack.Function{})
	one := b.Location(0, 0x10, false, callstack.SourceLine{Function: g, Line: 5}, callstack.SourceLine{Function: f, Line: 4})
	two := b.Location(0, 0x20, false, callstack.SourceLine{Function: f, Line: 9})
	bare, unnamed, nothing := b.Location(0, 0x30, false), b.Location(0, 0x40, false, callstack.SourceLine{Function: none}), b.Location(callstack.NoMapping, 0, false, callstack.SourceLine{Function: none})
	b.Add([]callstack.LocationID{one, two}, nil, 1, 100, 0)
	b.Add([]callstack.LocationID{bare, unnamed, nothing}, nil, 2, 200, 0)
	b.Add(nil, nil, 3, 0, 7)
	var out bytes.Buffer
	if err := Write(&out, p, "a name"); err != nil {
		t.Fatal(err)
	}
	doc, err := check(out.Bytes())
	if err != nil {
		t.Fatal(err, out.String())
	}
	name := "\"</script>\u2028\ufffd g.go:0; "
	both := []string{"main.f f.go:3; main.f f.go:3; " + name, "<unknown> :0; 0x40 :0; 0x30 /bin/x:0; "}
	for i, want := range [][]string{{both[0] + "1", both[1] + "2", "3"}, {both[0] + "100", both[1] + "200"}, {"7"}} {
		if d := cmp.Diff(want, doc.stacks(i)); d != "" {
			t.Errorf("profile %d: %s", i, d)
		}
		pr := (*doc.Profiles)[i]
		if got, want := fmt.Sprintf("%s %s %.0f", *pr.Name, *pr.Unit, *pr.EndValue), []string{"samples none 6", "cpu nanoseconds 300", "alloc_space bytes 7"}[i]; got != want {
			t.Errorf("profile %d is %s, want %s", i, got, want)
		}
	}
	if n := len(*doc.Shared.Frames); n != 5 || doc.Name != "a name" || doc.ActiveProfileIndex != 1 {
		t.Errorf("%d frames, name %q, active %v", n, doc.Name, doc.ActiveProfileIndex)
	}
	out.Reset()
	if err := Write(&out, p, "", 2); err != nil {
		t.Fatal(err)
	}
	if doc, err = check(out.Bytes()); err != nil || len(*doc.Profiles) != 1 || *(*doc.Profiles)[0].Name != "alloc_space" || doc.ActiveProfileIndex != 0 {
		t.Error("one column:", err, out.String())
	}
}

// TestRefused are profiles that speedscope could not show, and a full disk.
func TestRefused(t *testing.T) {
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	b.Add(nil, nil, 1)
	if err := Write(failing{}, b.Profile(), ""); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("a writer that fails: %v", err)
	}
	b.Add(nil, nil, -1)
	if err := Write(&bytes.Buffer{}, b.Profile(), ""); err == nil || !strings.Contains(err.Error(), "cpu has negative values") {
		t.Errorf("a difference: %v", err)
	}
	if err := Write(&bytes.Buffer{}, callstack.NewBuilder().Profile(), ""); err == nil {
		t.Error("no columns: no error")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestProfiles writes real profiles and reads them again, stack by stack.
func TestProfiles(t *testing.T) {
	for _, name := range []string{"http.heap.pb.gz", "http.mutex.pb.gz"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.Read(bytes.NewReader(data), int64(len(data)), profile.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := Write(&out, p, name); err != nil {
			t.Fatal(err)
		}
		doc, err := check(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for column := range p.Types {
			want := stacks(p, column)
			if d := cmp.Diff(want, doc.stacks(column)); d != "" || len(want) == 0 {
				t.Errorf("%s, column %d: %d samples, -profile +document:\n%.1000s", name, column, len(want), d)
			}
		}
	}
}

// TestAny writes profiles of all shapes.
func TestAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := callstack.NewBuilder(callstack.ValueType{Type: rapid.String().Draw(t, "type"), Unit: rapid.String().Draw(t, "unit")})
		var ids []callstack.LocationID
		for i := range rapid.IntRange(1, 5).Draw(t, "locations") {
			var lines []callstack.SourceLine
			for range rapid.IntRange(1, 3).Draw(t, "inlined") {
				f := b.Function(callstack.Function{Name: rapid.StringMatching(`[a-z"\\<\x{1}\x{2028}é]{1,4}`).Draw(t, "name"), File: rapid.StringMatching(`[a-z]{0,2}`).Draw(t, "file"), Start: rapid.IntRange(0, 3).Draw(t, "start")})
				lines = append(lines, callstack.SourceLine{Function: f, Line: rapid.IntRange(0, 9).Draw(t, "line")})
			}
			ids = append(ids, b.Location(callstack.NoMapping, uint64(i), false, lines...))
		}
		for range rapid.IntRange(0, 9).Draw(t, "samples") {
			b.Add(rapid.SliceOfN(rapid.SampledFrom(ids), 0, 5).Draw(t, "stack"), nil, rapid.Int64Range(0, 1<<50).Draw(t, "value"))
		}
		p := b.Profile()
		var out bytes.Buffer
		if err := Write(&out, p, rapid.String().Draw(t, "title")); err != nil {
			t.Fatal(err)
		}
		doc, err := check(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(stacks(p, 0), doc.stacks(0)); d != "" {
			t.Fatal(d)
		}
	})
}
