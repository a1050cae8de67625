package flamegraph

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	pprof "github.com/google/pprof/profile"

	"whet/internal/analyze/selection"
	"whet/internal/format/profile"
)

// TestAgainstPprof folds every fixture with google/pprof's own reader and
// compares: all sample types, whole and reversed, with and without the sketch.
func TestAgainstPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	files, err := filepath.Glob("../../format/profile/testdata/*.pb.gz")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := pprof.ParseData(data)
		if err != nil {
			continue // damaged: profile's own tests hold it to its intact member
		}
		p, err := profile.Read(bytes.NewReader(data), int64(len(data)), profile.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		for column, typ := range theirs.SampleType {
			s, err := selection.New([]selection.Source{{Profile: p}}, selection.Options{SampleIndex: typ.Type})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []Options{{Parts: 500}, {Parts: 20_000, Reversed: true}} {
				if len(theirs.Sample) > 5000 && o.Reversed == (column == 0) {
					continue // of the large one, each column in one way
				}
				o.MaxDepth, o.MaxNodes = 4096, 1<<22
				orient := same
				if o.Reversed {
					orient = backward
				}
				var samples []sample
				for _, one := range theirs.Sample {
					var names []string
					for _, l := range slices.Backward(one.Location) {
						for _, line := range slices.Backward(l.Line) {
							names = append(names, line.Function.Name)
						}
					}
					samples = append(samples, sample{names, one.Value[column]})
				}
				sums := make(map[string]sides)
				reference(samples, 0, sums, orient)
				g, err := built(s, o, plainSteps)
				if err != nil {
					t.Fatal(err)
				}
				against(t, g, sums, o.Parts)
				sketched, err := built(s, o, 0)
				if err != nil {
					t.Fatal(err)
				}
				closeTo(t, g, sketched)
			}
		}
	}
}

// closeTo compares with the sketch's graph, whose blocks may count a few frames
// fewer or more.
func closeTo(t *testing.T, g, sketched *Graph) {
	t.Helper()
	if g == nil || sketched == nil {
		if g != sketched {
			t.Error("one of two graphs is empty")
		}
		return
	}
	if len(g.Nodes) != len(sketched.Nodes) {
		t.Fatalf("%d nodes, with the sketch %d", len(g.Nodes), len(sketched.Nodes))
	}
	for i, n := range g.Nodes {
		m := sketched.Nodes[i]
		if g.Frames[n.Frame].Name != sketched.Frames[m.Frame].Name || n.Parent != m.Parent || n.Value != m.Value || n.Base != m.Base ||
			n.Collapsed > 0 != (m.Collapsed > 0) || abs(n.Collapsed-m.Collapsed) > 2+n.Collapsed/20 {
			t.Fatalf("node %d is %+v, with the sketch %+v", i, n, m)
		}
	}
}

func abs(n int64) int64 { return max(n, -n) }
