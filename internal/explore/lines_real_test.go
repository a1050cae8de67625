package explore

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"whet/internal/analyze/lines"
	"whet/internal/recording"
	"whet/internal/report/listing"
)

const realProgram = `package main

import (
	"os"
	"runtime/pprof"
)

var kept [][]byte
var boxes []*box

type box struct {
	next *box
	n    int
}

//go:noinline
func rows(n int) {
	for i := range n {
		kept[i] = make([]byte, 100)
	}
}

func newBox(x int) *box {
	return &box{n: x}
}

//go:noinline
func boxed(n int) {
	for i := range n {
		boxes[i] = newBox(i)
	}
}

func main() {
	kept, boxes = make([][]byte, 5000), make([]*box, 3000)
	rows(5000)
	boxed(2000)
	grammar(700)
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := pprof.Lookup("allocs").WriteTo(f, 0); err != nil {
		panic(err)
	}
}

//line gram.y:40
//go:noinline
func grammar(n int) {
	for i := range n {
		boxes[i] = new(box)
	}
}
`

// TestLinesOfAProgram: of a program that allocates so many objects at certain lines, and
// counts all of them, each line has just these, and what the compiler said of it; what
// was inlined and what a //line directive moved too. The recording has its binary
// without debug information, and another build's is doubted.
func TestLinesOfAProgram(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(env, name string, args ...string) []byte {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir, c.Env = dir, append(os.Environ(), env)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return out
	}
	write("go.mod", "module realprog\n\ngo 1.26\n")
	write("main.go", realProgram)
	said := run("GOFLAGS=", "go", "build", "-gcflags=-m=2", "-o", "prog", ".")
	run("GODEBUG=memprofilerate=1", filepath.Join(dir, "prog"), "allocs.pb.gz")
	binary := readFile(t, filepath.Join(dir, "prog"))
	// As a recorder writes it: positions by the names that frames have.
	named := regexp.MustCompile(`(?m)^\./`).ReplaceAllString(string(said), dir+"/")
	allocs := readFile(t, filepath.Join(dir, "allocs.pb.gz"))
	record := func(name string, binary, allocs []byte) string {
		w, err := recording.Create(filepath.Join(dir, name), time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		w.Manifest.Kind = recording.TargetProgram
		for _, a := range []struct {
			path, kind string
			data       []byte
		}{
			{"profiles/allocs.pb.gz", recording.KindAllocs, allocs},
			{"build/compiler.txt", recording.KindDiagnostics, []byte(named)},
			{"build/target", recording.KindBinary, binary},
		} {
			if err := w.Write(recording.Artifact{Path: a.path, Kind: a.kind}, a.data); err != nil {
				t.Fatal(err)
			}
		}
		path, err := w.Finish(0, "")
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	main := func(path string) *listing.Page {
		t.Helper()
		p, err := new(linesView).page(t.Context(), path, "", listing.Options{Match: regexp.MustCompile(`^main\.`)})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	slim := recording.Slim(binary)
	if len(slim) != len(binary) || string(slim) == string(binary) {
		t.Error("the binary is as it was")
	}
	path := record("slim.whet", slim, allocs)
	p := main(path)
	row := func(function, text string) *listing.Row {
		t.Helper()
		for _, f := range p.Functions {
			for i := range f.Rows {
				if f.Name == "main."+function && strings.Contains(f.Rows[i].Text, text) {
					return &f.Rows[i]
				}
			}
		}
		t.Fatalf("no line %q of %s", text, function)
		return nil
	}
	objects := func(l *listing.Row) [2]int64 {
		c := l.Costs[lines.AllocObjects]
		return [2]int64{c.Flat, c.Cum}
	}
	decided := func(l *listing.Row, want string) bool {
		return strings.Contains(strings.Join(listing.Decisions(&l.Line), "\n"), want)
	}
	if l := row("rows", "make([]byte, 100)"); objects(l) != [2]int64{5000, 5000} || !decided(l, "make([]byte, 100) escapes to heap") {
		t.Errorf("rows: %+v", l)
	}
	if l := row("newBox", "return &box"); objects(l) != [2]int64{2000, 2000} || !decided(l, "&box{...} escapes to heap") {
		t.Errorf("newBox: %+v", l)
	}
	l := row("boxed", "newBox(i)")
	if objects(l) != [2]int64{0, 2000} || !decided(l, "inlines newBox") || len(l.Inlined) != 1 || l.Inlined[0].Function != "main.newBox" || l.Inlined[0].Costs[lines.AllocObjects].Flat != 2000 {
		t.Errorf("boxed: %+v", l)
	}
	if l := row("main", "rows(5000)"); objects(l) != [2]int64{0, 5000} {
		t.Errorf("main: %+v", l)
	}
	grammar := p.Functions[len(p.Functions)-1]
	for _, f := range p.Functions {
		if f.Name == "main.grammar" {
			grammar = f
		}
	}
	if filepath.Base(grammar.File) != "gram.y" || grammar.Missing == "" || grammar.Undecided || grammar.Costs[lines.AllocObjects].Flat != 700 {
		t.Errorf("grammar: %+v", grammar)
	}
	if i := len(grammar.Rows) - 1; grammar.Rows[i].Number != 43 || !decided(&grammar.Rows[i], "new(box) escapes to heap") {
		t.Errorf("grammar's lines: %+v", grammar.Rows)
	}
	if len(p.Warnings) > 0 {
		t.Errorf("warnings %q", p.Warnings)
	}
	// A file that only a line directive names is the user's, too.
	all, err := new(linesView).page(t.Context(), path, "", listing.Options{All: true})
	if err != nil || !slices.ContainsFunc(all.Functions, func(f *listing.Function) bool { return f.Name == "main.grammar" }) {
		t.Errorf("of the user's own code: %v, %d functions without main.grammar", err, len(all.Functions))
	}
	for _, f := range main(record("nameless.whet", slim, nameless(t, allocs))).Functions {
		if f.Name == "main.rows" && f.Costs[lines.AllocObjects].Flat != 5000 || f.Name == "main.newBox" && f.Costs[lines.AllocObjects].Flat != 2000 {
			t.Errorf("without names: %s has %v", f.Name, f.Costs[lines.AllocObjects])
		}
		if f.Name == "main.rows" {
			named = ""
		}
	}
	if named != "" {
		t.Error("without names: no main.rows")
	}
	// Missing source gives a warning, and its lines keep their costs.
	if err := os.Remove(filepath.Join(dir, "main.go")); err != nil {
		t.Fatal(err)
	}
	for _, f := range main(path).Functions {
		if f.Missing == "" || f.Name == "main.rows" && f.Costs[lines.AllocObjects].Flat != 5000 {
			t.Errorf("%s: %q, %v", f.Name, f.Missing, f.Costs[lines.AllocObjects])
		}
	}
}

// nameless returns a profile without functions and lines.
func nameless(t *testing.T, data []byte) []byte {
	t.Helper()
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	p.Function = nil
	for _, l := range p.Location {
		l.Line = nil
	}
	for _, m := range p.Mapping {
		m.HasFunctions, m.HasFilenames, m.HasLineNumbers, m.HasInlineFrames = false, false, false, false
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
