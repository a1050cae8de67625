package havlak_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"whet/casebook/havlak"
	"whet/casebook/havlak/best"
	"whet/casebook/havlak/cached"
	"whet/casebook/havlak/dense"
	"whet/casebook/havlak/havlaktest"
	"whet/casebook/havlak/original"
	"whet/casebook/havlak/slices"
)

var stages = []struct {
	name string
	make havlak.New
}{
	{"original", func(g havlak.Graph) havlak.Finder { return original.New(g) }},
	{"dense", func(g havlak.Graph) havlak.Finder { return dense.New(g) }},
	{"slices", func(g havlak.Graph) havlak.Finder { return slices.New(g) }},
	{"cached", func(g havlak.Graph) havlak.Finder { return cached.New(g) }},
	{"best", func(g havlak.Graph) havlak.Finder { return best.New(g) }},
}

// FuzzStages: every stage finds in any graph what the definition says, and for
// a reducible one what dominators say too. The first byte is the number of
// blocks, each two after it an edge.
func FuzzStages(f *testing.F) {
	for _, seed := range []string{
		"", "\x00", "\x00\x00\x00", "\x02\x00\x01\x01\x02\x02\x01",
		"\x03\x00\x01\x00\x02\x01\x02\x02\x01", "\x04\x00\x01\x00\x03\x01\x02\x02\x03\x03\x02\x03\x01",
		"\x05\x00\x01\x01\x02\x02\x01\x02\x03\x03\x04\x04\x02\x00\x04", "\x04\x00\x01\x00\x02\x00\x03\x01\x02\x01\x03\x02\x01\x02\x03\x03\x01\x03\x02",
		"\x06\x00\x01\x01\x02\x02\x01\x03\x02\x03\x03\x04\x05\x05\x04",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			b = []byte{0}
		}
		blocks := int(b[0]) % 32
		var edges []havlak.Edge
		for b = b[1:]; blocks > 0 && len(b) > 1 && len(edges) < 128; b = b[2:] {
			edges = append(edges, havlak.Edge{From: int(b[0]) % blocks, To: int(b[1]) % blocks})
		}
		g, err := havlak.NewGraph(blocks, edges)
		if err != nil {
			t.Fatal(err)
		}
		want := havlaktest.ByDefinition(g)
		if natural, ok := havlaktest.ByDominators(g); ok && !natural.Equal(want) {
			t.Fatalf("%+v by dominators, %+v by definition, in %s", natural, want, havlaktest.Text(g))
		}
		for _, s := range stages {
			if err := havlaktest.Check(s.make, g, want); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
		}
	})
}

// The depth of inner loops stayed 0 in the published program.
func TestNestingDepth(t *testing.T) {
	for _, s := range stages {
		t.Run(s.name, func(t *testing.T) { havlaktest.RunNesting(t, s.make) })
	}
}

func small(t *testing.T) havlak.Graph {
	t.Helper()
	g, err := havlak.Nested(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestAnalyze(t *testing.T) {
	for _, s := range stages {
		var out bytes.Buffer
		if err := havlak.Analyze(t.Context(), &out, small(t), s.make); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if want := "76 loops and the root, in 256 blocks\ndepth 1: 1 loops\ndepth 2: 25 loops\ndepth 3: 50 loops\n"; out.String() != want {
			t.Errorf("%s prints %q, want %q", s.name, out.String(), want)
		}
	}
}

// counting is a finder that does something at a call.
type counting struct {
	havlak.Finder
	calls int
	at    func(call int, found havlak.Forest) havlak.Forest
}

func (c *counting) Find() havlak.Forest {
	c.calls++
	return c.at(c.calls, c.Finder.Find())
}

// longer is a forest that counts one loop too many.
type longer struct{ havlak.Forest }

func (l longer) Len() int { return l.Forest.Len() + 1 }

type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(b), nil
}

func TestAnalyzeFails(t *testing.T) {
	g := small(t)
	run := func(ctx context.Context, room int, at func(call int, found havlak.Forest) havlak.Forest) (calls int, message string) {
		c := &counting{at: at}
		err := havlak.Analyze(ctx, &full{room}, g, func(g havlak.Graph) havlak.Finder {
			c.Finder = best.New(g)
			return c
		})
		if err == nil {
			return c.calls, ""
		}
		return c.calls, err.Error()
	}
	as := func(_ int, found havlak.Forest) havlak.Forest { return found }
	if calls, got := run(t.Context(), 1000, as); calls != 51 || got != "" {
		t.Errorf("%d calls, %q; want 51 and no error", calls, got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls, got := run(ctx, 1000, func(call int, found havlak.Forest) havlak.Forest {
		if call == 3 {
			cancel()
		}
		return found
	})
	if calls != 3 || got != "analyze: ended after 3 of 51 times: context canceled" {
		t.Errorf("%d calls, %q when it is told to end at call 3", calls, got)
	}
	calls, got = run(t.Context(), 1000, func(call int, found havlak.Forest) havlak.Forest {
		if call == 5 {
			return longer{found}
		}
		return found
	})
	if calls != 5 || got != "analyze: 77 loops the first time and 78 when repeated 4 times" {
		t.Errorf("%d calls, %q when call 5 finds another number of loops", calls, got)
	}
	for _, room := range []int{0, 40} {
		if _, got := run(t.Context(), room, as); !strings.HasPrefix(got, "print what was found: no space") {
			t.Errorf("%q where %d bytes can be printed", got, room)
		}
	}
}

func TestGraphs(t *testing.T) {
	for _, tt := range []struct {
		blocks int
		edges  []havlak.Edge
		want   string
	}{
		{-1, nil, "new graph: -1 blocks: want 0 to 16777216"},
		{havlak.MaxBlocks + 1, nil, "new graph: 16777217 blocks: want 0 to 16777216"},
		{2, []havlak.Edge{{0, 1}, {1, 2}}, "new graph: edge 1 leads from 1 to 2: there are 2 blocks, numbered from 0"},
		{2, []havlak.Edge{{-1, 1}}, "new graph: edge 0 leads from -1 to 1: there are 2 blocks, numbered from 0"},
		{2, []havlak.Edge{{0, -1}}, "new graph: edge 0 leads from 0 to -1: there are 2 blocks, numbered from 0"},
		{2, []havlak.Edge{{2, 0}}, "new graph: edge 0 leads from 2 to 0: there are 2 blocks, numbered from 0"},
		{0, []havlak.Edge{{0, 0}}, "new graph: edge 0 leads from 0 to 0: there are 0 blocks, numbered from 0"},
	} {
		if _, err := havlak.NewGraph(tt.blocks, tt.edges); err == nil || err.Error() != tt.want {
			t.Errorf("%d blocks, edges %v: %v, want %s", tt.blocks, tt.edges, err, tt.want)
		}
	}
	for _, size := range [][2]int{{-1, 1}, {1, -1}, {1, 1 << 62}, {1 << 62, 1}, {1 << 32, 1 << 32}, {100, 1000}} {
		if _, err := havlak.Nested(size[0], size[1]); err == nil || !strings.HasPrefix(err.Error(), "nested graph: ") {
			t.Errorf("%d rows of %d nests: %v, want an error", size[0], size[1], err)
		}
	}
	// Reading may end at any edge, and start again.
	g := small(t)
	edges := 0
	for range g.Edges() {
		edges++
	}
	if want := 1 + 1*(1+1) + 378; edges != want {
		t.Errorf("%d edges, want %d", edges, want)
	}
	for stop := 1; stop <= edges; stop++ {
		n := 0
		for range g.Edges() {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("%d edges were read, want %d", n, stop)
		}
	}
}
