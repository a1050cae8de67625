package view

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
)

// peeked is in some of each fixture's stacks.
const peeked = `runtime\.(mallocgc|gopark|systemstack)$|^net/http|(?i)encode`

// textView is a view that pprof prints, too.
type textView struct {
	command string
	make    func(*selection.Selection, *optionSet) (printed, error)
}

type printed interface {
	Write(io.Writer) error
	WriteJSON(io.Writer) error
}

var texts = []textView{
	{"-top", func(s *selection.Selection, a *optionSet) (printed, error) {
		return NewTop(s, a.graph(callgraph.ForTop()), a.view()), nil
	}},
	{"-tree", func(s *selection.Selection, a *optionSet) (printed, error) {
		return NewTree(s, a.graph(callgraph.ForTree()), a.view()), nil
	}},
	{"-peek=" + peeked, func(s *selection.Selection, a *optionSet) (printed, error) {
		return NewPeek(s, regexp.MustCompile(peeked), a.graph(callgraph.ForTree()), a.view())
	}},
	{"-tags", func(s *selection.Selection, a *optionSet) (printed, error) {
		return NewTags(s, a.view()), nil
	}},
	{"-raw", func(s *selection.Selection, a *optionSet) (printed, error) {
		return NewRaw(s, a.view()), nil
	}},
	{"-traces", func(s *selection.Selection, a *optionSet) (printed, error) {
		return NewStacks(s, a.view()), nil
	}},
}

// combinations of options, each tried with every view of every fixture.
var combinations = []optionSet{
	{},
	{cum: true, nodeCount: 7},
	{untrimmed: true},
	{nodeCount: 20, nodeFraction: 0.02, edgeFraction: 0.03},
	{Options: selection.Options{SampleIndex: "0", Unit: "auto"}},
	{Options: selection.Options{Mean: true, Unit: "ms"}, cum: true},
	{Options: selection.Options{Granularity: "filefunctions", Unit: "MB"}},
	{Options: selection.Options{Granularity: "files"}},
	{Options: selection.Options{Granularity: "lines", ShowColumns: true, TrimPath: "/usr/local"}},
	{Options: selection.Options{Granularity: "addresses"}, nodeCount: 30},
	{Options: selection.Options{Granularity: "addresses", NoInlines: true, DivideBy: 3}},
	{Options: selection.Options{NoInlines: true}, compact: true},
	{Options: selection.Options{Focus: "runtime", Ignore: "gopark|syscall", RelativePercentages: true}},
	{Options: selection.Options{Hide: `^runtime\.`, DivideBy: 0.5}, cum: true},
	{Options: selection.Options{Show: `http|compile|main`}},
	{Options: selection.Options{ShowFrom: `http|compile`, PruneFrom: `mallocgc|json`}},
	{Options: selection.Options{TagFocus: "endpoint|.*:.*"}},
	{Options: selection.Options{TagIgnore: "bytes=:1kb", TagHide: "bytes"}},
	{Options: selection.Options{TagRoot: []string{"endpoint", "bytes"}, TagLeaf: []string{"worker"}, TagShow: "end"}},
	{base: selection.DiffBase},
	{base: selection.DiffBase, untrimmed: true, cum: true},
	{base: selection.DiffBase, Options: selection.Options{DropNegative: true}},
	{base: selection.Base, Options: selection.Options{Normalize: true}},
	{base: selection.Base, Options: selection.Options{Granularity: "lines"}, nodeCount: 15},
}

// ties reports whether pprof leaves the order of a view's lines to chance:
//   - edges and tags of a difference that are v and -v: it does not say which is
//     first, and by name only those that are equal;
//   - nodes of equal names, as files are of which several functions have nodes.
//
// whet's order is always the same.
func (a *optionSet) ties(command string) bool {
	return a.base != selection.Measured && command != "-top" || a.Granularity == "files"
}

var percentage = regexp.MustCompile(`[\d.e+-]+%`)

// settled puts lines in an order of their own where their order is open:
// neighbours that begin with the same share, and the nodes of a tree. The sums
// over the nodes before are left out: they are of an order.
func settled(text string) string {
	blocks := strings.Split(text, treeSeparator)
	for i, b := range blocks {
		lines := strings.SplitAfter(b, "\n")
		first := make([]string, len(lines))
		for n, l := range lines {
			if at := percentage.FindAllStringIndex(l, -1); len(at) >= 3 {
				lines[n] = strings.TrimRight(l[:at[1][0]], " ") + l[at[1][1]:]
			}
			first[n] = percentage.FindString(l)
		}
		for from := 0; from < len(lines); {
			to := from + 1
			for to < len(lines) && first[to] != "" && first[to] == first[from] {
				to++
			}
			slices.Sort(lines[from:to])
			from = to
		}
		blocks[i] = strings.Join(lines, "")
	}
	if len(blocks) > 2 {
		slices.Sort(blocks[1:])
	}
	return strings.Join(blocks, treeSeparator)
}

// thorough leaves some combinations out for large fixtures, of which pprof
// takes up to half a second for each text: those with few nodes on their stacks
// go through all.
func thorough(name string, i int) bool { return i%stride(name) == 0 }

func stride(name string) int {
	switch name {
	case "httpsrv_labels.cpu.pb.gz", "goroutine_1k.pb.gz":
		return 3
	case "compile_stdcmd_merged.cpu.pb.gz":
		return 12
	}
	return 1
}

// forget ends a test of pprof with its defaults: it keeps options for the next
// run in a process, and not every test names all of them.
func forget(t *testing.T) {
	s := readFixture(t, "http.goroutine.pb.gz")
	t.Cleanup(func() {
		if _, err := s.pprof("-top", &optionSet{}); err != nil {
			t.Error(err)
		}
	})
}

func TestTextsAreThoseOfPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	forget(t)
	for _, name := range fixtures(t) {
		s := readFixture(t, name)
		for i := range combinations {
			a := &combinations[i]
			for _, v := range texts {
				graph := v.command == "-top" || v.command == "-tree"
				if !thorough(name, i) || !graph && i%(3*stride(name)) != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d%s", name, i, strings.SplitN(v.command, "=", 2)[0]), func(t *testing.T) {
					s.sameText(t, v, a)
				})
			}
		}
	}
}

// sameText compares what pprof and whet print.
func (s *fixture) sameText(t *testing.T, v textView, a *optionSet) {
	t.Helper()
	want, wantErr := s.pprof(v.command, a)
	own := *a
	own.RawPaths = v.command == "-traces"
	d, err := v.make(s.selection(t, &own), &own)
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%v; pprof: %v", err, wantErr)
	}
	if err != nil {
		return
	}
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for strings.HasPrefix(got, "Warning: ") { // pprof's are not in its text
		_, got, _ = strings.Cut(got, "\n")
	}
	if want != got && a.ties(v.command) {
		want, got = settled(want), settled(got)
	}
	if want != got {
		t.Errorf("%s %+v (-pprof +whet):\n%.3000s", v.command, *a, cmp.Diff(strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")))
	}
}
