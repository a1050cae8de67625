package report

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whet/internal/callstack"
)

var nanoseconds = callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}

// lines prints a tree for comparison: indented names with values.
func (f *Flame) lines() []string {
	depth := make([]int, len(f.Nodes))
	var out []string
	for i, n := range f.Nodes {
		if n.Parent >= 0 {
			depth[i] = depth[n.Parent] + 1
		}
		name := f.Names[n.Name]
		if n.Collapsed > 0 {
			name = fmt.Sprintf("(%d frames)", n.Collapsed)
		}
		out = append(out, fmt.Sprintf("%s%s %d", strings.Repeat(" ", depth[i]), name, n.Value))
	}
	return out
}

func TestFlameByHand(t *testing.T) {
	p := handmade(nanoseconds,
		stack{[]string{"main", "b", "c"}, 3},
		stack{[]string{"main", "a"}, 5},
		stack{[]string{"main", "b"}, 4},
		stack{[]string{"main", "b", "c", "b"}, 2}, // recursion
		stack{[]string{"other"}, 1},
		stack{nil, 7},
		stack{[]string{"main", ""}, 11},
		stack{[]string{"main", "a"}, 0},
	)
	got := BuildFlame(p, 0, nil, strings.ToUpper).lines()
	want := []string{"all 33", " (no stack) 7", " main 25", "  (unknown) 11", "  a 5", "  b 9", "   c 5", "    b 2", " other 1"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if BuildFlame(p, 0, func(int) bool { return false }, nil) != nil {
		t.Error("a tree of no sample")
	}
	kept := BuildFlame(p, 0, func(i int) bool { return i == 1 || i == 4 }, nil).lines()
	if d := cmp.Diff([]string{"all 6", " main 5", "  a 5", " other 1"}, kept); d != "" {
		t.Errorf("kept: -want +got\n%s", d)
	}
}

func TestFlameCollapses(t *testing.T) {
	// 1/20,000 of 20,001,000 is 1,000.05: 1,000 is below it, 1,001 not.
	p := handmade(nanoseconds,
		stack{[]string{"main", "wide"}, 20_001_000 - 1000 - 1001 - 3},
		stack{[]string{"main", "narrow", "under", "under2"}, 1000},
		stack{[]string{"main", "enough"}, 1001},
		stack{[]string{"main", "n2"}, 3},
	)
	got := BuildFlame(p, 0, nil, nil).lines()
	want := []string{"all 20001000", " main 20001000", "  enough 1001", "  wide 19998996", "  (4 frames) 1003"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// A frame of exactly 1/20,000 is drawn.
func TestFlameCutIsExact(t *testing.T) {
	p := handmade(nanoseconds, stack{[]string{"a"}, 20_000_000 - 1000 - 999}, stack{[]string{"b"}, 1000}, stack{[]string{"c"}, 999})
	if d := cmp.Diff([]string{"all 20000000", " a 19998001", " b 1000", " (1 frames) 999"}, BuildFlame(p, 0, nil, nil).lines()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestFlameDepth(t *testing.T) {
	var frames []string
	for i := range 2000 {
		frames = append(frames, fmt.Sprintf("f%d", i))
	}
	f := BuildFlame(handmade(nanoseconds, stack{frames, 10}), 0, nil, nil)
	last := f.Nodes[len(f.Nodes)-1]
	if len(f.Nodes) != 1+flameDepth+1 || last.Collapsed != 2000-flameDepth || last.Value != 10 {
		t.Errorf("%d nodes, the last is %+v", len(f.Nodes), last)
	}
}

func TestFlameNodesAreBounded(t *testing.T) {
	// 150 towers of 500 frames, each wide enough to draw: 75,000.
	var stacks []stack
	for i := range 150 {
		var frames []string
		for d := range 500 {
			frames = append(frames, fmt.Sprintf("f%d_%d", i, d))
		}
		stacks = append(stacks, stack{frames, int64(100 + i)})
	}
	f := BuildFlame(handmade(nanoseconds, stacks...), 0, nil, nil)
	if len(f.Nodes) > flameNodes {
		t.Errorf("%d nodes", len(f.Nodes))
	}
	checkFlame(t, f, 150*100+149*75)
	if n := countFrames(f); n != 75_000 {
		t.Errorf("%d frames drawn or counted, want 75,000", n)
	}
}

func countFrames(f *Flame) int {
	n := 0
	for _, node := range f.Nodes[1:] {
		n += max(node.Collapsed, 1)
	}
	return n
}

func TestFlameNegativeAndHuge(t *testing.T) {
	f := BuildFlame(handmade(nanoseconds, stack{[]string{"a"}, -3}, stack{[]string{"b"}, 2}), 0, nil, nil)
	if d := cmp.Diff([]string{"all 5", " a 3", " b 2"}, f.lines()); d != "" {
		t.Error(d)
	}
	if len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "1 samples are negative") {
		t.Errorf("warnings %q", f.Warnings)
	}
	var stacks []stack
	for i := range 9 {
		stacks = append(stacks, stack{[]string{fmt.Sprint("f", i)}, math.MaxInt64})
	}
	f = BuildFlame(handmade(nanoseconds, append(stacks, stack{[]string{"min"}, math.MinInt64})...), 0, nil, nil)
	if f.Nodes[0].Value <= 0 || bits.Len64(uint64(f.Nodes[0].Value)) > 62 || len(f.Nodes) != 11 || len(f.Warnings) != 2 {
		t.Errorf("root %d, %d nodes, warnings %q", f.Nodes[0].Value, len(f.Nodes), f.Warnings)
	}
}

// checkFlame holds a tree to its contract; total is the sum of the samples.
func checkFlame(t interface{ Fatalf(string, ...any) }, f *Flame, total int64) {
	if f.Nodes[0].Parent != -1 || f.Nodes[0].Value != total {
		t.Fatalf("root %+v, want the total %d", f.Nodes[0], total)
	}
	if len(f.Names) != len(f.Files) {
		t.Fatalf("%d names, %d files", len(f.Names), len(f.Files))
	}
	children := make([]int64, len(f.Nodes))
	last := make([]string, len(f.Nodes)) // name of the child before
	for i, n := range f.Nodes[1:] {
		if n.Parent < 0 || n.Parent > i {
			t.Fatalf("node %d stands before its parent %d", i+1, n.Parent)
		}
		if f.Nodes[n.Parent].Collapsed > 0 {
			t.Fatalf("node %d lies in a block", i+1)
		}
		children[n.Parent] += n.Value
		if n.Collapsed == 0 {
			if name := f.Names[n.Name]; name <= last[n.Parent] {
				t.Fatalf("%q follows %q below one parent", name, last[n.Parent])
			}
			last[n.Parent] = f.Names[n.Name]
		}
	}
	for i, sum := range children {
		if sum > f.Nodes[i].Value {
			t.Fatalf("children of node %d hold %d, it holds %d", i, sum, f.Nodes[i].Value)
		}
	}
}

// The tree against a map from path to value, the plainest way to say what a
// flame graph is; and nothing is lost by collapsing.
func TestFlameConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c", "d.e", "", "z"}
		var stacks []stack
		for range rapid.IntRange(0, 40).Draw(t, "samples") {
			frames := rapid.SliceOfN(rapid.SampledFrom(names), 0, 8).Draw(t, "frames")
			value := rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64Range(0, 1_000_000)).Draw(t, "value")
			stacks = append(stacks, stack{frames, value})
		}
		p := handmade(nanoseconds, stacks...)
		byPath := make(map[string]int64)
		flat := make(map[string]int64)
		for _, s := range stacks {
			if s.value == 0 {
				continue
			}
			path := ""
			frames := s.frames
			if len(frames) == 0 {
				frames = []string{flameNoStack}
			}
			for _, name := range frames {
				if name == "" {
					name = flameUnknown
				}
				path += "/" + name
				byPath[path] += s.value
			}
			flat[path] += s.value
		}
		f := BuildFlame(p, 0, nil, nil)
		total := p.Total(0)
		if total == 0 {
			if f != nil {
				t.Fatalf("a tree of nothing")
			}
			return
		}
		checkFlame(t, f, total)
		if n := countFrames(f); n != len(byPath) {
			t.Fatalf("%d frames drawn or counted, want %d", n, len(byPath))
		}
		paths := make([]string, len(f.Nodes))
		own := make([]int64, len(f.Nodes))
		for i, n := range f.Nodes {
			own[i] += n.Value
			if i == 0 {
				continue
			}
			own[n.Parent] -= n.Value
			if n.Collapsed > 0 {
				continue
			}
			paths[i] = paths[n.Parent] + "/" + f.Names[n.Name]
			if n.Value != byPath[paths[i]] {
				t.Fatalf("%s holds %d, want %d", paths[i], n.Value, byPath[paths[i]])
			}
			if n.Value*flameCut < total {
				t.Fatalf("%s holds %d of %d and is drawn", paths[i], n.Value, total)
			}
		}
		for i, n := range f.Nodes {
			if i > 0 && n.Collapsed == 0 && own[i] != flat[paths[i]] {
				t.Fatalf("%s holds %d beyond its children, its samples %d", paths[i], own[i], flat[paths[i]])
			}
		}
		// The order of the samples is nobody's business.
		slices.Reverse(stacks)
		if d := cmp.Diff(f.lines(), BuildFlame(handmade(nanoseconds, stacks...), 0, nil, nil).lines()); d != "" {
			t.Fatalf("reversed samples give another tree:\n%s", d)
		}
	})
}

func TestPackageOf(t *testing.T) {
	for name, want := range map[string]string{
		"main.main":                   "main",
		"runtime.mallocgc":            "runtime",
		"github.com/x/y.(*T).m.func1": "github.com/x/y",
		"slices.SortFunc[go.shape.[]github.com/x/y.T,go.shape.int]": "slices",
		"gopkg.in/yaml%2ev3.Unmarshal":                              "gopkg.in/yaml%2ev3",
		"a/b.T[c/d.E].m":                                            "a/b",
		"gogo":                                                      "",
		"0x4a5b6c":                                                  "",
		"":                                                          "",
		"(unknown)":                                                 "",
	} {
		if got := packageOf(name); got != want {
			t.Errorf("packageOf(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPackageGroups(t *testing.T) {
	for _, c := range []struct {
		pkg, module string
		want        int
	}{
		{"whet/internal/x", "whet", groupOwn}, {"whet", "whet", groupOwn}, {"main", "", groupOwn}, {"whet_test", "whet", groupOwn},
		{"whetstone/x", "whet", groupOther}, {"example.com/m/v2/x", "example.com/m", groupOwn}, {"example.com/more", "example.com/m", groupOther},
		{"runtime", "whet", groupRuntime}, {"internal/runtime/maps", "whet", groupRuntime}, {"runtime/pprof", "whet", groupStd},
		{"net/http", "whet", groupStd}, {"github.com/x/y", "", groupOther}, {"mytool/x", "", groupOwn}, {"", "whet", groupNone},
	} {
		if got := packageGroup(c.pkg, c.module); got != c.want {
			t.Errorf("packageGroup(%q, %q) = %d, want %d", c.pkg, c.module, got, c.want)
		}
	}
}

func BenchmarkBuildFlame(b *testing.B) {
	var stacks []stack
	for i := range 50_000 {
		frames := []string{"main.main"}
		for d := range 20 {
			frames = append(frames, fmt.Sprintf("p.f%d", (i>>d)%7+d*7))
		}
		stacks = append(stacks, stack{frames, int64(i%97 + 1)})
	}
	p := handmade(nanoseconds, stacks...)
	for b.Loop() {
		BuildFlame(p, 0, nil, nil)
	}
}
