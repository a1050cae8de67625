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
		p := packed(drawnSamples(t))
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
		at := rapid.IntRange(0, p.Len()).Draw(t, "at")
		first, second := p.Cursor(0), p.Cursor(0)
		first.Part(0, at)
		second.Part(at, p.Len())
		got := append(read(first), read(second)...)
		if want := read(p.Cursor(0)); !slices.EqualFunc(got, want, func(a, b sample) bool {
			return a.index == b.index && slices.Equal(a.path, b.path) && a.value == b.value && a.set == b.set
		}) {
			t.Fatalf("parts up to %d and from there on:\n%v\nthe whole:\n%v", at, got, want)
		}
	})
}
