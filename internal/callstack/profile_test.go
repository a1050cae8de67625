package callstack

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// plain is a sample written out, root first.
type plain struct {
	Path   []LocationID
	Labels []Label
	Values []int64
}

// drawnSamples are samples of locations 0 to 4, and sometimes those of a fan.
func drawnSamples(t *rapid.T) []plain {
	label := rapid.Custom(func(t *rapid.T) Label {
		l := Label{Key: rapid.SampledFrom([]string{"bytes", "endpoint"}).Draw(t, "key")}
		if rapid.Bool().Draw(t, "string") {
			l.Str = rapid.SampledFrom([]string{"/a", "/b"}).Draw(t, "value")
		} else {
			l.Num, l.Unit = rapid.Int64().Draw(t, "number"), "bytes"
		}
		return l
	})
	sample := rapid.Custom(func(t *rapid.T) plain {
		return plain{
			Path:   rapid.SliceOfN(rapid.Custom(func(t *rapid.T) LocationID { return LocationID(rapid.IntRange(0, 4).Draw(t, "location")) }), 0, 6).Draw(t, "path"),
			Labels: rapid.SliceOfN(label, 0, 2).Draw(t, "labels"),
			Values: []int64{rapid.SampledFrom([]int64{0, 0, 1, -1, 1 << 62, -1 << 63}).Draw(t, "first"), rapid.Int64Range(0, 2).Draw(t, "second")},
		}
	})
	samples := rapid.SliceOfN(sample, 0, 40).Draw(t, "samples")
	if rapid.Bool().Draw(t, "has a fan") {
		samples = append(samples, fan(t)...)
	}
	return samples
}

// fan is samples whose stacks begin alike, pass to one after the other of about as many
// locations as a number of one byte tells apart, or one of two, and go on alike.
func fan(t *rapid.T) (samples []plain) {
	path := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 199), func(i int) LocationID { return LocationID(i) }), 0, 12)
	before, after := path.Draw(t, "before"), path.Draw(t, "after")
	of := func(i int) plain {
		return plain{Path: slices.Concat(before, []LocationID{LocationID(i)}, after), Values: []int64{1, int64(i % 2)}}
	}
	width := rapid.SampledFrom([]int{30, 31, 32, 33, 31 + 127, 31 + 128, 31 + 129, 200}).Draw(t, "width")
	for i := range width {
		samples = append(samples, of(i))
	}
	for _, i := range rapid.SliceOfN(rapid.IntRange(0, width-1), 0, 9).Draw(t, "again") {
		samples = append(samples, of(i))
	}
	return samples
}

func packed(samples []plain) *Profile {
	b := NewBuilder(ValueType{"first", "count"}, ValueType{"second", "count"})
	locations := 5
	for _, s := range samples {
		for _, id := range s.Path {
			locations = max(locations, int(id)+1)
		}
	}
	for i := range locations {
		f := b.Function(Function{Name: fmt.Sprint("f", i), File: "f.go"})
		g := b.Function(Function{Name: "inlined", File: "f.go"})
		lines := []SourceLine{{Function: g, Line: 1}, {Function: f, Line: i}}
		b.Location(NoMapping, uint64(i), false, lines[i%2:]...)
	}
	for _, s := range samples {
		leafFirst := slices.Clone(s.Path)
		slices.Reverse(leafFirst)
		b.Add(leafFirst, s.Labels, s.Values...)
	}
	return b.Profile()
}

// TestProfileHolds reads back what was packed, by one column, by both and by
// none, and holds Shared to what it says.
func TestProfileHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawnSamples(t)
		p := packed(samples)
		for _, columns := range [][]int{{}, {0}, {1}, {1, 0}} {
			var want, got []plain
			for _, s := range samples {
				values := make([]int64, 0, 2)
				any := len(columns) == 0
				for _, c := range columns {
					values = append(values, s.Values[c])
					any = any || s.Values[c] != 0
				}
				if any {
					want = append(want, plain{s.Path, s.Labels, values})
				}
			}
			var before []LocationID
			c := p.Cursor(columns...)
			for c.Next() {
				if c.Shared > len(before) || !slices.Equal(before[:c.Shared], c.Path[:c.Shared]) {
					t.Fatalf("the first %d of %v are not those of %v", c.Shared, c.Path, before)
				}
				before = slices.Clone(c.Path)
				one := plain{Path: before, Labels: p.Labels(c.LabelSet()), Values: []int64{}}
				for i := range columns {
					one.Values = append(one.Values, c.Value(i))
				}
				got = append(got, one)
				if s := samples[c.Index()]; !slices.Equal(s.Path, c.Path) {
					t.Fatalf("sample %d has the path %v, want %v", c.Index(), c.Path, s.Path)
				}
			}
			same := cmp.Comparer(func(a, b plain) bool {
				return slices.Equal(a.Path, b.Path) && slices.Equal(a.Labels, b.Labels) && slices.Equal(a.Values, b.Values)
			})
			if d := cmp.Diff(want, got, same); d != "" {
				t.Fatalf("columns %v: -want +got:\n%s", columns, d)
			}
		}
	})
}

// TestFrames compares with stacks that are expanded by hand, of all samples and
// of some.
func TestFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := drawnSamples(t)
		p, err := packed(samples).Frames(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		if p.Len() != len(samples) {
			t.Fatalf("%d samples, want %d", p.Len(), len(samples))
		}
		every := rapid.IntRange(1, 3).Draw(t, "every")
		column := rapid.IntRange(-1, 1).Draw(t, "column")
		var columns []int
		if column >= 0 {
			columns = append(columns, column)
		}
		stacks := p.Stacks(func(i int) bool { return i%every == 0 }, columns...)
		var before []FrameID
		for i, s := range samples {
			if i%every != 0 || column >= 0 && s.Values[column] == 0 {
				continue
			}
			if !stacks.Next() || stacks.Index() != i {
				t.Fatalf("at sample %d, want %d", stacks.Index(), i)
			}
			if n := stacks.Shared; !slices.Equal(before[len(before)-n:], stacks.Stack[len(stacks.Stack)-n:]) {
				t.Fatalf("sample %d has the stack %v, of which %d frames are those of %v", i, stacks.Stack, n, before)
			}
			before = slices.Clone(stacks.Stack)
			var want, got []string
			for _, id := range slices.Backward(s.Path) {
				if id%2 == 0 {
					want = append(want, "inlined:1 true")
				}
				want = append(want, fmt.Sprintf("f%d:%d false", id, id))
			}
			for _, f := range stacks.Stack {
				got = append(got, fmt.Sprintf("%s:%d %v", p.Frame(f).Function, p.Frame(f).Line, p.Frame(f).Inlined))
			}
			if !slices.Equal(want, got) || !slices.Equal(stacks.Labels(), s.Labels) || stacks.Value(0) != s.Values[0] || stacks.Value(1) != s.Values[1] {
				t.Fatalf("sample %d is %v %v, want %v %v", i, got, stacks.Labels(), want, s.Labels)
			}
		}
		if stacks.Next() {
			t.Fatalf("sample %d comes after the last", stacks.Index())
		}
	})
	long := packed([]plain{{Path: []LocationID{0, 1, 2}, Values: []int64{1, 1}}})
	if _, err := long.Frames(4); err == nil { // 0 and 2 are two frames each
		t.Error("5 frames where 4 are allowed: no error")
	}
	if _, err := long.Frames(5); err != nil {
		t.Error(err)
	}
}

// TestTape crosses from piece to piece, with records of all sizes.
func TestTape(t *testing.T) {
	var samples []plain
	for i := range 3000 {
		path := make([]LocationID, i%700)
		for j := range path {
			path[j] = LocationID((i + j) % 5)
		}
		samples = append(samples, plain{Path: path, Values: []int64{int64(i) << 40, int64(max(0, i%97-95))}})
	}
	p := packed(samples)
	if len(p.stacks.chunks) < 3 {
		t.Fatalf("%d pieces: this tests no crossing", len(p.stacks.chunks))
	}
	c := p.Samples()
	n := 0
	for ; c.Next(); n++ {
		want := samples[c.Index()]
		if !slices.Equal(want.Path, c.Path) || c.Value(0) != want.Values[0] {
			t.Fatalf("sample %d differs", c.Index())
		}
	}
	if n != len(samples) {
		t.Errorf("%d samples of %d", n, len(samples))
	}
	few := 0
	for c := p.Cursor(1); c.Next(); few++ {
		if !slices.Equal(samples[c.Index()].Path, c.Path) {
			t.Fatalf("sample %d differs where those between are zero", c.Index())
		}
	}
	if few != len(samples)/97 || p.Total(1) != int64(few) {
		t.Errorf("%d samples of one in 97 of %d, %d counted", few, len(samples), p.Total(1))
	}
}
