package callstack

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Parts of a cursor show, one after the other, what the whole shows; the first
// sample of a part shares nothing, the others what they share.
func TestPartsAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuilder(ValueType{Type: "a"}, ValueType{Type: "b"})
		for i := range 6 {
			b.NewLocation(NoMapping, uint64(i+1), false)
		}
		n := rapid.IntRange(0, 40).Draw(t, "samples")
		for range n {
			stack := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 5), func(i int) LocationID { return LocationID(i) }), 0, 8).Draw(t, "stack")
			labels := []Label{{Key: "k", Num: int64(rapid.IntRange(0, 2).Draw(t, "label"))}}
			b.Add(stack, labels, rapid.Int64Range(-1, 1).Draw(t, "a"), rapid.Int64().Draw(t, "b"))
		}
		p := b.Profile()
		type sample struct {
			index int
			path  []LocationID
			value int64
			set   LabelSet
		}
		read := func(c *Cursor) (out []sample) {
			var before []LocationID
			for c.Next() {
				if same := min(c.Shared, len(before)); same != c.Shared || !slices.Equal(before[:same], c.Path[:same]) {
					t.Fatalf("sample %d: of %v and %v it says that %d are shared", c.Index(), before, c.Path, c.Shared)
				}
				before = slices.Clone(c.Path)
				out = append(out, sample{c.Index(), before, c.Value(0), c.LabelSet()})
			}
			return out
		}
		at := rapid.IntRange(0, n).Draw(t, "at")
		first, second := p.Cursor(0), p.Cursor(0)
		first.Part(0, at)
		second.Part(at, n)
		got := append(read(first), read(second)...)
		if want := read(p.Cursor(0)); !slices.EqualFunc(got, want, func(a, b sample) bool {
			return a.index == b.index && slices.Equal(a.path, b.path) && a.value == b.value && a.set == b.set
		}) {
			t.Fatalf("parts up to %d and from there on:\n%v\nthe whole:\n%v", at, got, want)
		}
	})
}
