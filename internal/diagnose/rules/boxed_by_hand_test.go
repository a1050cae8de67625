package rules_test

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/format/compiler"
)

const boxedSource = `package app

import (
	"container/heap"
	"fmt"
	"sync"
)

type stack struct{ items []any }

func (s *stack) push(x any) { s.items = append(s.items, x) }

func pushes(s *stack, n int) {
	s.push(n * 1000) // boxed: int
}

type typed[T any] struct{ items []T }

func (s *typed[T]) push(x T) { s.items = append(s.items, x) }

func pushesTyped(s *typed[int], n int) {
	s.push(n * 1000) // silent
}

func pushesPointer(s *stack, n *int) {
	s.push(n) // silent
}

func pushesConstant(s *stack) {
	s.push(1000) // silent
}

var pool = sync.Pool{New: func() any { return []byte(nil) }}

func puts(b []byte) {
	pool.Put(b[:0]) // pooled: []byte
}

func putsPointer(b *[]byte) {
	pool.Put(b) // silent
}

var byName sync.Map

func pushesText(s *stack, name string) {
	s.push(name) // boxed: string
}

func looks(name string) bool {
	_, ok := byName.Load(name) // silent
	return ok
}

type job struct{ at, id int }

type jobs []job

func (j jobs) Len() int           { return len(j) }
func (j jobs) Less(a, b int) bool { return j[a].at < j[b].at }
func (j jobs) Swap(a, b int)      { j[a], j[b] = j[b], j[a] }
func (j *jobs) Push(x any)        { *j = append(*j, x.(job)) }
func (j *jobs) Pop() any          { last := (*j)[len(*j)-1]; *j = (*j)[:len(*j)-1]; return last }

func queues(j *jobs, at int) {
	heap.Push(j, job{at, 1}) // boxed: job
}

var queue jobs

func queuesShared(at int) {
	heap.Push(&queue, job{at, 1}) // boxed: job
}

func queuesDirectly(j *jobs, next job) {
	j.Push(next) // silent
}

func handsOn(n int) {
	show(n * 1000) // silent
}

//go:noinline
func show(x any) { fmt.Println(x) }

func stays(n int) bool {
	return isInt(n * 1000) // silent
}

//go:noinline
func isInt(x any) bool { _, ok := x.(int); return ok }

func formats(n int) string {
	return fmt.Sprint(n * 1000) // silent
}

func two(s *stack, n int, name string) {
	s.pair(n*1000, name) // silent
}

func (s *stack) pair(x, y any) { s.items = append(s.items, x, y) }
`

// exports are the files with what packages of the standard library export, by path. The
// go command is asked for those that are new: the compiler alone is much faster.
var exports = make(map[string]string)

// importcfg tells the compiler where what a source imports is.
func importcfg(t *testing.T, src string) []byte {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"list", "-export", "-deps", "-f", "{{with .Export}}{{$.ImportPath}} {{.}}{{end}}"}
	known := len(args)
	for _, spec := range file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); exports[path] == "" {
			args = append(args, path)
		}
	}
	if len(args) > known {
		out, err := exec.Command("go", args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
			exports[path] = file
		}
	}
	var b bytes.Buffer
	for path, file := range exports {
		fmt.Fprintf(&b, "packagefile %s=%s\n", path, file)
	}
	return b.Bytes()
}

// decisionsOn asks the compiler that is installed about a file app.go.
func decisionsOn(t *testing.T, src string) func(diagnose.SourceLine) []string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string][]byte{"importcfg": importcfg(t, src), "app.go": []byte(src)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("go", "tool", "compile", "-p", "m/app", "-importcfg", "importcfg", "-m=2", "-o", "app.a", "app.go")
	c.Dir = dir
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	said := make(map[diagnose.SourceLine][]string)
	for _, d := range compiler.Parse(text, compiler.Escapes, compiler.MovedToHeap, compiler.CannotInline) {
		at := diagnose.SourceLine{File: filepath.Base(d.File), Line: d.Line}
		said[at] = append(said[at], d.Text)
	}
	return func(at diagnose.SourceLine) []string { return said[at] }
}

// Each statement marked has a tenth of the time in the runtime's conversion to an
// interface, and half of the bytes in blocks of its value's size. A rule speaks of
// those that box a value, for the sake of which the compiler says it is on the heap.
func TestBoxedByHand(t *testing.T) {
	decisions := decisionsOn(t, boxedSource)
	sizes := map[string]int64{"int": 8, "string": 16, "[]byte": 24, "job": 16}
	for i, line := range strings.Split(boxedSource, "\n") {
		_, mark, ok := strings.Cut(line, " // ")
		if !ok {
			continue
		}
		sort, of, _ := strings.Cut(mark, ": ")
		id := map[string]string{"boxed": "boxed-value", "pooled": "pool-of-values"}[sort]
		at := "m/app.f:" + strconv.Itoa(i+1)
		for _, test := range []struct {
			size  int64
			bytes float64
		}{{max(sizes[of], 8), 0.5}, {512, 0}} {
			ask := func(decisions func(diagnose.SourceLine) []string) []finding.Finding {
				s := app(t, boxedSource, known, []stack{{frames: at + " runtime.convT runtime.mallocgc", n: 100}, {frames: "m/app.work:1", n: 900}},
					[]stack{{at, 1000, test.size}, {"m/app.work:1", 1000, test.size}})
				s.Decisions = decisions
				return slices.Concat(said(t, "boxed-value", s), said(t, "pool-of-values", s))
			}
			got := ask(decisions)
			switch {
			case id == "" && len(got) > 0:
				t.Errorf("%s: %s", line, describe(got[0]))
			case id != "" && (len(got) != 1 || got[0].Rule != id || got[0].Line != i+1 || !near(got[0].CPURatio, 0.1) || !near(got[0].AllocBytesRatio, test.bytes) || !strings.Contains(got[0].Why, of)):
				t.Errorf("%s: %+v", line, got)
			}
			if got := ask(nil); len(got) > 0 {
				t.Errorf("%s: without the compiler's text: %s", line, describe(got[0]))
			}
		}
	}
}
