package compiler

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	format "whet/internal/format/compiler"
	"whet/internal/gobench"
)

// decidedDir is that of decided, "" until it is asked for.
var decidedDir string

// decided is a module with what the compiler decides about, and what it decided.
var decided = sync.OnceValues(func() (d struct {
	dir      string
	report   *format.Report
	warnings []string
}, err error) {
	if d.dir, err = os.MkdirTemp("", "decided"); err != nil {
		return d, err
	}
	decidedDir = d.dir
	if d.dir, err = filepath.EvalSymlinks(d.dir); err != nil {
		return d, err
	}
	for name, text := range map[string]string{
		"go.mod": "module example.com/d\n\ngo 1.26\n",
		"d.go": `package d

import (
	"fmt"
	"strings"
)

type T struct{ next *T; buf [64]byte }

var kept *T

func keep(p *T, n int) int {
	for i := range n {
		n += i * len(p.buf[:i])
		if n%7 == 3 { fmt.Println("odd"); n -= strings.Count("abc", "b") * i * n * (n + i) }
	}
	kept = p
	return n
}

func pass(n int, p *T) int { defer func() { n++ }(); return keep(p, n) }

func Direct() { var x T; keep(&x, 1) }

func Passed() { var y T; pass(2, &y) }

func Dynamic(f func(*T)) { var z T; f(&z) }

func small(a int) int { return a + 1 }

func At(b []int, i int) int { return small(b[i]) }

func Cut(b []int, i, j int) []int { return b[i:j] }

func (t *T) First() byte { return t.buf[0] }

func Second(t *T) byte { return t.next.First() }

func Sized(n int) []byte { return append(make([]byte, n), "x"...) }

func Boxed(n int) any { return n }

type List[A any] struct{ of []A }

func (l *List[A]) At(i int) *A { return &l.of[i] }

func Both(a *List[int], b *List[string]) int { return *a.At(1) + len(*b.At(2)) }
`,
		"gen.go":    "package d\n\n//line gen.y:10\nfunc Generated(b []string) *int { n := len(b[3]); return &n }\n",
		"asm.go":    "package d\n\nfunc sum(b *byte) int\n\nfunc Sum(b []byte) int { return sum(&b[0]) }\n",
		"asm.s":     "TEXT ·sum(SB), 4, $0-16\n\tRET\n",
		"d_test.go": "package d\n\nimport \"testing\"\n\nvar sink any\n\nfunc BenchmarkAt(b *testing.B) { for b.Loop() { sink = At(make([]int, b.N), 0) } }\n",
	} {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o644); err != nil {
			return d, err
		}
	}
	target, err := gobench.Resolve(context.Background(), d.dir, ".", gobench.BuildOptions{})
	if err != nil {
		return d, err
	}
	d.report, d.warnings, err = Decisions(context.Background(), target, gobench.BuildOptions{}, []string{"example.com/d"}, false)
	return d, err
})

// The text of -m=2, and of the flags that print checks, read line by line, says the
// same as text and JSON together.
func TestDecisions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	d, err := decided()
	if err != nil || len(d.warnings) > 0 {
		t.Fatal(err, d.warnings)
	}
	c := exec.Command("go", "build", "-gcflags=-m=2 -d=nil=1,ssa/check_bce/debug=1", ".")
	c.Dir = d.dir
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	said := make(map[string]int)
	line := regexp.MustCompile(`^(?:\./)?([\w.]+):(\d+)(?::(\d+))?: (.*)$`)
	for l := range strings.Lines(string(text)) {
		m := line.FindStringSubmatch(strings.TrimSpace(l))
		if m == nil {
			continue
		}
		at := m[1] + ":" + m[2] + ":" + cmp.Or(m[3], "0") + " "
		switch words := m[4]; {
		case strings.HasPrefix(words, " "):
		case strings.HasPrefix(words, "moved to heap: "), strings.HasSuffix(words, " escapes to heap"), strings.HasPrefix(words, "inlining call to "):
			said[at+words] = 1 // again for each shape
		case strings.HasPrefix(words, "can inline "):
			words, _, _ = strings.Cut(words, " as: ")
			said[at+words] = 1
		case strings.HasPrefix(words, "cannot inline "):
			said[at+words] = 1
		case words == "Found IsInBounds":
			said[at+string(format.IndexCheck)]++
		case words == "Found IsSliceInBounds":
			said[at+string(format.SliceCheck)]++
		case words == "generated nil check":
			said[at+string(format.NilCheck)]++
		}
	}
	got := make(map[string]int)
	at := func(p format.Position) string { return fmt.Sprintf("%s:%d:%d ", filepath.Base(p.File), p.Line, p.Col) }
	for _, e := range d.report.Escapes {
		words := e.Verdict()
		if strings.HasPrefix(words, "append(") {
			words = "append escapes to heap"
		}
		got[at(e.Position)+words] = 1
		if e.Function == "" || len(e.Flow) == 0 || e.Flow[len(e.Flow)-1].To != format.Heap && !strings.HasPrefix(e.Flow[len(e.Flow)-1].To, "~r") {
			t.Errorf("%s at %v in %q: flow %v", e.Verdict(), e.Position, e.Function, e.Flow)
		}
		if !filepath.IsAbs(e.File) || e.Package != "example.com/d" {
			t.Errorf("%v of %q", e.Position, e.Package)
		}
	}
	for _, n := range d.report.Inlining {
		switch n.Outcome {
		case format.CallInlined:
			got[at(n.Position)+"inlining call to "+n.Function] = 1
		case format.CanBeInlined:
			got[at(n.Position)+fmt.Sprintf("can inline %s with cost %d", n.Function, n.Cost)] = 1
		case format.CannotBeInlined:
			got[at(n.Position)+"cannot inline "+n.Function+": "+n.Reason] = 1
		}
	}
	for _, c := range d.report.Checks {
		at := at(c.Position)
		if strings.HasPrefix(at, "gen.go:4:") { // a line directive's, of which the text has no column
			at = "gen.y:10:0 "
		}
		got[at+string(c.Kind)] += c.Times
	}
	for _, key := range slices.Sorted(maps.Keys(said)) {
		if n := got[key]; n == 0 || n != said[key] {
			t.Errorf("the compiler says %d times %s, whet %d times", said[key], key, n)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if said[key] == 0 {
			t.Errorf("only whet says %s", key)
		}
	}
	if len(d.report.Checks) < 5 || !d.report.JSON {
		t.Errorf("%d checks", len(d.report.Checks))
	}
}
