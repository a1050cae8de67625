package rules_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/knowledge"
	"whet/internal/diagnose/rules"
	"whet/internal/diagnose/shape"
	"whet/internal/finding"
)

// Each shape speaks about its example as it is before, at one place, and no row
// speaks about the same after.
func TestShapeByExample(t *testing.T) {
	for _, row := range shape.Table() {
		t.Run(row.ID, func(t *testing.T) {
			places := make(map[int]bool)
			// Each line has blocks of several sizes; what grows in an example is not
			// what others are about.
			ask := func(body string) []finding.Finding {
				return slices.DeleteFunc(lineByLine(t, &row.Example, body, false), func(f finding.Finding) bool {
					return f.Rule != row.Cause && (f.Rule == "map-growth" || f.Rule == "text-growth")
				})
			}
			for _, f := range ask(row.Example.Before) {
				if f.Row != row.ID {
					t.Errorf("before: another speaks too; %s", summary([]finding.Finding{f}))
				}
				places[f.Line] = true
			}
			if len(places) != 1 {
				t.Errorf("before: it speaks of %d places", len(places))
			}
			if after := ask(row.Example.After); len(after) > 0 {
				t.Errorf("after: %s", summary(after))
			}
			if g := knowledge.GainOf(row.ID); g == nil || !g.Worth() {
				t.Errorf("it was not measured (go run ./bench/knowledge -row %s), or gains too little: %+v", row.ID, g)
			}
		})
	}
}

// A finding about work that grows with a square names the benchmark that would show
// it, unless the benchmarks have lengths already.
func TestShapeNamesBenchmark(t *testing.T) {
	for _, test := range []struct {
		row, benchmark string
		names          bool
	}{
		{"scanned-in-loop", "BenchmarkX", true},
		{"scanned-in-loop", "BenchmarkX/small", true},
		{"scanned-in-loop", "BenchmarkX/n=10", false},
		{"scanned-in-loop", "./cmd/x", false},
		{"bytes-xored", "BenchmarkX", false},
		{"slices-contains-in-loop", "BenchmarkX", true},
	} {
		all := rules.Rows()
		row := all[slices.IndexFunc(all, func(r knowledge.Row) bool { return r.ID == test.row })]
		found := linesOf(t, &row.Example, row.Example.Before, false, test.benchmark)
		if len(found) == 0 {
			t.Fatalf("%s is silent", test.row)
		}
		names := slices.ContainsFunc(found[0].Evidence, func(e finding.Evidence) bool {
			return strings.Contains(e.Text, test.benchmark+"/n=100 and "+test.benchmark+"/n=1000")
		})
		if names != test.names {
			t.Errorf("%s in %s: %v", test.row, test.benchmark, found[0].Evidence)
		}
	}
}

// Shapes are looked for in what does not compile too: they may be silent, and must not
// fail.
func TestShapeBroken(t *testing.T) {
	lists := []string{"", `"a", 1, 'b', nil, f, []missing{}`}
	if testing.Short() {
		lists = lists[:1]
	}
	for _, row := range shape.Table() {
		t.Run(row.ID, func(t *testing.T) {
			broken := row.Example
			broken.Params, broken.Decls = "", "type missing missing\n"+broken.Decls
			lineByLine(t, &broken, row.Example.Before, true)
			broken.Params = row.Example.Params
			for _, with := range lists {
				for _, body := range brokenCalls(t, row.Example.Before, with) {
					lineByLine(t, &broken, body, true)
				}
			}
		})
	}
}

// lineByLine returns what rows say of a function with this body where each of its lines
// in turn holds all samples, its own and those of each function of the runtime that
// stands for statements.
func lineByLine(t *testing.T, example *knowledge.Example, body string, broken bool) []finding.Finding {
	t.Helper()
	return linesOf(t, example, body, broken, "BenchmarkX")
}

func linesOf(t *testing.T, example *knowledge.Example, body string, broken bool, benchmark string) (found []finding.Finding) {
	t.Helper()
	reg := registry(t)
	src, err := example.Source("app", "f", body)
	if err != nil {
		t.Fatal(err)
	}
	if pkg := typedProgram(t, src).Package("m/app"); (pkg.Errors > 0) != broken {
		t.Fatalf("%s\n%s", pkg.Reason, src)
	}
	var decisions func(diagnose.SourceLine) []string
	if !broken && strings.Contains(src, "//go:noinline") { // else the compiler may put the function into its caller
		decisions = decisionsOn(t, src)
	}
	var all, blocks []stack // of all lines
	function := "f"
	for i, line := range strings.Split(src, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if name, ok := strings.CutPrefix(line, "func "); ok {
			function, _, _ = strings.Cut(name, "(") // "" of a method
		}
		at := fmt.Sprintf("m/app.%s:%d", cmp.Or(function, "f"), i+1)
		cpu := []stack{{frames: at, n: 1000}}
		for _, fn := range strings.Fields("mapaccess1_faststr mapaccess2_fast64 mapassign_faststr mapdelete_faststr memmove growslice concatstrings duffcopy typedmemmove strings.(*Builder).WriteRune strings.ToLower strings.Join unicode/utf8.DecodeRuneInString slices.Clone sort.Strings runtime.newobject runtime.deferprocStack m/app.(*sorted).Add sync/atomic.(*Int64).Add slices.Contains[...] m/app.contains m/app.key m/app.half m/app.counted m/app.first net.JoinHostPort strconv.Itoa bytes.IndexByte compress/flate.NewWriter newproc makeslice sync.(*Pool).Get bytes.(*Buffer).WriteString image.(*RGBA).At image.(*RGBA).Set") {
			if !strings.Contains(fn, ".") {
				fn = "runtime." + fn
			}
			cpu = append(cpu, stack{frames: at + " " + fn, n: 1000})
		}
		allocs := []stack{{frames: at, n: 1000, size: 64}, {frames: at, n: 500, size: 128}, {frames: at, n: 250, size: 256}, {frames: at + " strings.(*Builder).WriteByte", n: 4, size: 8}, {frames: at + " strings.(*Builder).WriteByte", n: 4, size: 16}, {frames: at + " strings.(*Builder).WriteByte", n: 4, size: 32},
			{frames: at + " bytes.(*Buffer).WriteString", n: 4, size: 8}, {frames: at + " bytes.(*Buffer).WriteString", n: 4, size: 16}, {frames: at + " bytes.(*Buffer).WriteString", n: 4, size: 32}}
		if broken {
			all, blocks = append(all, cpu...), append(blocks, allocs...)
			continue
		}
		s := app(t, src, known, cpu, allocs)
		s.Benchmark, s.Decisions = benchmark, decisions
		res := run(t, reg, []*diagnose.Subject{s})
		for _, f := range slices.Concat(res.Findings, res.Below) {
			if f.Row != "" {
				found = append(found, f)
			}
		}
	}
	if broken { // all that counts is that no rule fails
		run(t, reg, []*diagnose.Subject{app(t, src, known, all, blocks)})
	}
	return found
}

// silence is a function of which a shape must not speak.
type silence struct{ row, params, result, body, decls string }

func (s *silence) check(t *testing.T) {
	t.Run(s.row, func(t *testing.T) {
		if !slices.ContainsFunc(shape.Table(), func(r knowledge.Row) bool { return r.ID == s.row }) {
			t.Fatal("there is no such row")
		}
		for _, f := range lineByLine(t, &knowledge.Example{Params: s.params, Result: s.result, Decls: s.decls}, s.body, false) {
			if f.Row == s.row {
				t.Errorf("line %d: %s\n%s", f.Line, f.Why, s.body)
			}
		}
	})
}

// Of these functions a shape would be wrong, or gains nothing.
func TestShapeSilent(t *testing.T) {
	for _, s := range []silence{
		{"map-read-twice", "m map[string]int, k string", "int", "n := m[k]\nm[k] = 3\nreturn n + m[k]", ""},
		{"map-read-twice", "m, o map[string]int, k string", "int", "n := m[k]\no[k] = 3\nreturn n + m[k]", ""},
		{"map-read-twice", "m map[string]int, k string", "int", "n := m[k]\ndelete(m, k)\nreturn n + m[k]", ""},
		{"map-read-twice", "m map[string]int, k string", "int", "n := m[k]\nk += \"x\"\nreturn n + m[k]", ""},
		{"map-read-twice", "m map[string]int, k string, f func()", "int", "n := m[k]\nf()\nreturn n + m[k]", ""},
		{"map-read-twice", "m map[string]int, k string, c chan int", "int", "n := m[k]\n<-c\nreturn n + m[k]", ""},
		{"map-read-twice", "m map[string]int, k, l string", "int", "n := m[k]\nreturn n + m[l]", ""},
		{"map-read-twice", "m, o map[string]int, k string", "int", "n := m[k]\nm = o\nreturn n + m[k]", ""},
		{"map-read-twice", "m map[string]int, next func() string", "int", "return m[next()] + m[next()]", ""},
		{"map-read-twice", "m map[string]int, k string", "", "if m[k] == 0 {\n\tm[k] = 1\n}\nm[k]++\nm[k] += 2", ""},
		{"map-read-twice", "m map[string][]int, k string", "", "m[k] = append(m[k], 1)", ""},
		{"map-read-twice", "m map[int]int, list []int", "int", "k, n := 0, m[0]\nn += m[k]\nfor k = range list {\n\tn += m[k]\n}\nreturn n", ""},
		{"map-read-twice", "list []int, i int", "int", "return list[i] + list[i]", ""},
		{"map-read-twice", "m map[string]int, k string", "func() int", "n := m[k]\nreturn func() int { return n + m[k] }", ""},
		{"map-read-twice", "m map[string]int, k string, mu *sync.Mutex", "int", "n := m[k]\nmu.Unlock()\nmu.Lock()\nreturn n + m[k]", ""},
		{"map-read-twice", "m map[string]int, k string", "int", "p := &k\nn := m[k]\n*p = \"x\"\nreturn n + m[k]", ""},
		{"elements-copied", "to, from []byte", "", "for i, c := range from {\n\tto[i] = c + 1\n}", ""},
		{"elements-copied", "to []int, from []byte", "", "for i, c := range from {\n\tto[i] = int(c)\n}", ""},
		{"elements-copied", "to, from []byte", "", "for i := range from {\n\tto[i+1] = from[i]\n}", ""},
		{"elements-copied", "to []any, from []string", "", "for i, s := range from {\n\tto[i] = s\n}", ""},
		{"elements-copied", "to map[int]byte, from []byte", "", "for i, c := range from {\n\tto[i] = c\n}", ""},
		{"elements-copied", "s []byte", "", "for i := range s {\n\ts[i] = 0\n}", ""},
		{"bytes-counted", "s []int", "int", "n := 0\nfor _, c := range s {\n\tif c == 3 {\n\t\tn++\n\t}\n}\nreturn n", ""},
		{"bytes-counted", "s string", "int", "n := 0\nfor _, c := range s {\n\tif c == 'ö' {\n\t\tn++\n\t}\n}\nreturn n", ""},
		{"bytes-counted", "s []byte, f func(byte) byte", "int", "n := 0\nfor _, c := range s {\n\tif c == f(c) {\n\t\tn++\n\t}\n}\nreturn n", ""},
		{"bytes-counted", "s []byte", "int", "n := 0\nfor _, c := range s {\n\tif c == 'a' {\n\t\tn++\n\t} else {\n\t\tn--\n\t}\n}\nreturn n", ""},
		{"byte-searched", "s []byte", "int", "for i, c := range s {\n\tif c == 'a' || c == 'b' {\n\t\treturn i\n\t}\n}\nreturn -1", ""},
		{"byte-searched", "s []byte, f func() int", "int", "for _, c := range s {\n\tif c == 'a' {\n\t\treturn f()\n\t}\n}\nreturn -1", ""},
		{"byte-searched", "s []byte", "int", "for i := 1; i < len(s); i++ {\n\tif s[i] == s[i-1] {\n\t\treturn i\n\t}\n}\nreturn -1", ""},
		{"bytes-searched", "s []byte", "int", "for i, c := range s {\n\tif c == 'a' || c == 'b' && i > 3 {\n\t\treturn i\n\t}\n}\nreturn -1", ""},
		{"goroutine-per-item", "c chan int", "", "for x := range c {\n\tgo println(x)\n}", ""},
		{"goroutine-per-item", "workers int", "", "for i := range workers {\n\tgo println(i)\n}", ""},
		{"goroutine-per-item", "workers int", "", "for i := 0; i < workers; i++ {\n\tgo println(i)\n}", ""},
		{"goroutine-per-item", "next func() int", "", "for {\n\tgo println(next())\n}", ""},
		{"goroutine-per-item", "list []int", "", "go func() {\n\tfor _, x := range list {\n\t\tprintln(x)\n\t}\n}()", ""},
		{"compressor-returned", "w io.Writer", "io.Writer", "if w == nil {\n\treturn gzip.NewWriter(os.Stdout)\n}\nreturn gzip.NewWriter(w)", ""},
		{"compressor-returned", "w io.Writer", "error", "z := gzip.NewWriter(w)\nreturn z.Close()", ""},
		{"compressor-returned", "w io.Writer", "*sync.Pool", "return &sync.Pool{New: func() any { return gzip.NewWriter(nil) }}", ""},
		{"bytes-searched", "s []byte, d byte", "int", "for i, c := range s {\n\tif c == 'a' || c == d {\n\t\treturn i\n\t}\n}\nreturn -1", ""},
		{"bytes-searched", "s []int", "int", "for i, c := range s {\n\tif c == 'a' || c == 'b' {\n\t\treturn i\n\t}\n}\nreturn -1", ""},
		{"bytes-searched", "s string, f func()", "", "for _, c := range s {\n\tif c == 'a' || c == 'b' {\n\t\tf()\n\t\tbreak\n\t}\n}", ""},
		{"bytes-searched", "s string", "int", "for i, c := range s {\n\tif c == 'a' || c == 'b' || c == 'c' || c == 'd' || c == 'e' {\n\t\treturn i\n\t}\n}\nreturn -1", ""},
		{"runes-written", "s string", "string", "var b strings.Builder\nfor _, c := range s {\n\tb.WriteRune(unicode.ToLower(c))\n}\nreturn b.String()", ""},
		{"runes-written", "s string", "string", "var b strings.Builder\nfor _, c := range s {\n\tif c != ' ' {\n\t\tb.WriteRune(c + 1)\n\t} else {\n\t\tb.WriteByte('-')\n\t}\n}\nreturn b.String()", ""},
		{"runes-written", "s []string", "string", "var b strings.Builder\nfor _, c := range s {\n\tif c != \"\" {\n\t\tb.WriteString(c)\n\t} else {\n\t\tb.WriteByte('-')\n\t}\n}\nreturn b.String()", ""},
		{"runes-written", "s string", "string", "var b strings.Builder\nfor _, c := range []byte(s) {\n\tif 'A' <= c && c <= 'Z' {\n\t\tc += 'a' - 'A'\n\t}\n\tif c != ' ' {\n\t\tb.WriteByte(c)\n\t} else {\n\t\tb.WriteByte('-')\n\t}\n}\nreturn b.String()", ""},
		{"runes-written", "s string", "string", "var b strings.Builder\nfor _, c := range s {\n\tb.WriteRune(c)\n\tb.WriteByte(' ')\n}\nreturn b.String()", ""},
		{"constant-map", "k int", "int", "return table[k]", "var table = map[int]int{1: 2, n: 3}\nvar n = len(os.Args)"},
		{"constant-map", "k int", "int", "table[3] = 4\nreturn table[k]", "var table = map[int]int{1: 2}"},
		{"constant-map", "k int", "int", "m := table\nm[3] = 4\nreturn table[k]", "var table = map[int]int{1: 2}"},
		{"constant-map", "k int", "int", "return Table[k]", "var Table = map[int]int{1: 2}"},
		{"constant-map", "k any", "int", "return table[k]", "var table = map[any]int{1: 2}"},
		{"constant-map", "k int", "int", "return table[k]", "var table = map[int]int{}"},
		{"key-per-comparison", "list []string", "", "slices.SortFunc(list, func(a, b string) int { return strings.Compare(a, b) })", ""},
		{"key-per-comparison", "list []string", "", "sort.Slice(list, func(i, j int) bool { return len(list[i]) < len(list[j]) })", ""},
		{"key-per-comparison", "list []string", "int", "return slices.IndexFunc(list, func(s string) bool { return strings.ToLower(s) == \"a\" })", ""},
		{"scanned-in-loop", "list []int", "int", "for _, x := range list {\n\tif x == len(list) {\n\t\treturn x\n\t}\n}\nreturn 0", ""},
		{"scanned-in-loop", "list []int, k int", "int", "n := 0\nfor range list {\n\tfor _, x := range list {\n\t\tif x == k {\n\t\t\tn++\n\t\t\tbreak\n\t\t}\n\t}\n}\nreturn n", ""},
		{"scanned-in-loop", "list []int", "int", "n := 0\nfor i, k := range list {\n\tfor _, x := range list {\n\t\tif x == k {\n\t\t\tn++\n\t\t\tbreak\n\t\t}\n\t}\n\tlist[i]++\n}\nreturn n", ""},
		{"scanned-in-loop", "lists [][]int", "int", "n := 0\nfor _, list := range lists {\n\tfor i, x := range list {\n\t\tif x == i {\n\t\t\tn++\n\t\t\tbreak\n\t\t}\n\t}\n}\nreturn n", ""},
		{"scanned-in-loop", "list []int", "int", "n, few := 0, []int{1, 2, 3}\nfor _, k := range list {\n\tfor _, x := range few {\n\t\tif x == k {\n\t\t\tn++\n\t\t\tbreak\n\t\t}\n\t}\n}\nreturn n", ""},
		{"scan-called-in-loop", "list []int", "bool", "return contains(list, 3)", contains},
		{"scan-called-in-loop", "lists [][]int", "bool", "for i, list := range lists {\n\tif contains(list, i) {\n\t\treturn true\n\t}\n}\nreturn false", contains},
		{"scan-called-in-loop", "list []int, k int", "", "for contains(list, k) {\n}", contains},
		{"made-of-settings", "s *server, port int", "string", "return net.JoinHostPort(s.host, strconv.Itoa(port))", serverSet},
		{"made-of-settings", "s *server", "string", "return net.JoinHostPort(s.name, \"80\")", serverSet},
		{"made-of-settings", "s *server", "string", "return net.JoinHostPort(s.Zone, \"80\")", serverSet},
		{"made-of-settings", "s *server", "string", "return strings.ToLower(\"ABC\")", serverSet},
		{"made-of-settings", "list []*server", "string", "return net.JoinHostPort(list[0].host, \"80\")", serverSet},
		{"needed-in-one-branch", "n int", "string", "text := strconv.Itoa(n * 1000)\nif n < 0 {\n\treturn report(text)\n}\nreturn text", reports},
		{"needed-in-one-branch", "n int", "string", "text := strconv.Itoa(n * 1000)\nif len(text) > 4 {\n\treturn report(text)\n}\nreturn report(\"\")", reports},
		{"needed-in-one-branch", "n int", "string", "text := strconv.Itoa(n * 1000)\nn++\nif n < 0 {\n\treturn text\n}\nreturn report(\"\")", reports},
		{"needed-in-one-branch", "n int", "string", "text := strconv.Itoa(n * 1000)\nfor n < 0 {\n\treturn report(text)\n}\nreturn report(\"\")", reports},
		{"needed-in-one-branch", "n int", "string", "text := counted(n)\nif n < 0 {\n\treturn report(text)\n}\nreturn report(\"\")", reports},
		{"needed-in-one-branch", "n int", "func() string", "text := strconv.Itoa(n * 1000)\nif n < 0 {\n\treturn func() string { return report(text) }\n}\nreturn nil", reports},
		{"map-ranged", "m map[string]int", "map[string]int", "all := make(map[string]int)\nfor name, i := range m {\n\tall[name] = i\n}\nreturn all", ""},
		{"map-ranged", "m map[string]int", "int", "all := make(map[string]int)\nfor name, i := range m {\n\tall[name] = i\n}\nreturn all[\"a\"]", ""},
		{"map-ranged", "list []string", "int", "all, n := make(map[string]int), 0\nfor i, name := range list {\n\tall[name] = i\n}\nfor _, i := range all {\n\tn += i\n}\nreturn n", ""},
		{"map-ranged", "m map[string]int, ms []map[string]int", "int", "all, n := make(map[string]int), 0\nfor _, m := range ms {\n\tfor name, i := range m {\n\t\tall[name] = i\n\t}\n}\nfor _, i := range all {\n\tn += i\n}\nreturn n", ""},
		{"joined-compared", "a, b string", "bool", "s := a + b\nprintln(s)\nreturn s == a", ""},
		{"joined-compared", "a, b string", "bool", "return strings.Contains(a, a+b)", ""},
		{"joined-compared", "a, b string", "bool", "return a < a+b", ""},
		{"joined-compared", "a string", "bool", "return a == \"x\"+\"y\"", ""},
		{"joined-key", "m map[string]int, a string", "int", "return m[\"a\"+\"b\"]", ""},
		{"joined-key", "m map[string]int, a string", "int", "k := a + \"b\"\nprintln(k)\nreturn m[k]", ""},
		{"bits-asked", "set []uint64", "int", "n := 0\nfor i := range 64 {\n\tif set[i] != 0 {\n\t\tn++\n\t}\n}\nreturn n", ""},
		{"bits-asked", "set []uint64, f func(int)", "", "for i := range 64 {\n\tif set[i>>6]&(1<<(i&63)) != 0 {\n\t\tf(i)\n\t}\n}", ""},
		{"bits-asked", "set []uint64", "", "for i := range 64 {\n\tset[i>>6] |= 1 << (i & 63)\n}", ""},
		{"bits-asked", "set []int, k int", "int", "n := 0\nfor i := range 64 {\n\tn += set[i>>6]\n}\nreturn n", ""},
		{"bits-written", "b []byte", "", "for i := range 64 {\n\tb[i>>3] |= 1 << (i & 7)\n}", ""},
		{"bits-written", "b []byte", "", "for range 64 {\n\tb[len(b)-1] |= 1\n}", ""},
		{"bits-written", "b []byte, n int", "", "b[len(b)-1] |= 1 << n", ""},
		{"large-value-ranged", "list []record", "int", "n := 0\nfor _, r := range list {\n\tr.id++\n\tn += r.id\n}\nreturn n", larges},
		{"large-value-ranged", "list []record", "int", "n := 0\nfor _, r := range list {\n\tkept = append(kept, r)\n\tn += r.id\n}\nreturn n", larges},
		{"large-value-ranged", "list []*record", "int", "n := 0\nfor _, r := range list {\n\tn += r.id\n}\nreturn n", larges},
		{"large-value-ranged", "m map[int]record", "int", "n := 0\nfor _, r := range m {\n\tn += r.id\n}\nreturn n", larges},
		{"large-value-passed", "r record", "int", "return read(r)", larges},
		{"large-value-passed", "list []record", "int", "n := 0\nfor i := range list {\n\tn += changed(list[i])\n}\nreturn n", larges},
		{"large-value-passed", "list []*record", "int", "n := 0\nfor _, r := range list {\n\tn += pointed(r)\n}\nreturn n", larges},
		{"runes-checked", "s string", "int", "for i, r := range s {\n\tif r == 'ö' || r == 'x' {\n\t\treturn i\n\t}\n}\nreturn -1", ""},
		{"runes-checked", "s string", "int", "n := 0\nfor _, r := range s {\n\tif r < 'a' || r > 'z' {\n\t\tn++\n\t}\n}\nreturn n", ""},
		{"runes-checked", "s string", "bool", "for _, r := range s {\n\tif unicode.IsUpper(r) {\n\t\treturn true\n\t}\n}\nreturn false", ""},
		{"runes-checked", "s string", "rune", "for _, r := range s {\n\tif r < 'a' || r > 'z' {\n\t\treturn r\n\t}\n}\nreturn 0", ""},
		{"byte-keyed-map", "m map[int]int, k int", "int", "return m[k]", ""},
		{"byte-keyed-map", "m map[rune]int, k rune", "int", "return m[k]", ""},
		{"put-first-in-loop", "list []int", "int", "list = append([]int{3}, list...)\nreturn list[0]", ""},
		{"put-first-in-loop", "lists [][]int", "int", "n := 0\nfor _, list := range lists {\n\tlist = append([]int{3}, list...)\n\tn += len(list)\n}\nreturn n", ""},
		{"put-first-in-loop", "list []int", "[]int", "for i := range 3 {\n\tlist = slices.Insert(list, i, 3)\n}\nreturn list", ""},
		{"put-first-in-loop", "list, more []int", "[]int", "for range 3 {\n\tlist = append([]int{3}, more...)\n}\nreturn list", ""},
		{"removed-in-loop", "list []int", "[]int", "for i, n := range list {\n\tif n == 0 {\n\t\tlist = append(list[:i], list[i+1:]...)\n\t\tbreak\n\t}\n}\nreturn list", ""},
		{"removed-in-loop", "list []int, i int", "[]int", "return append(list[:i], list[i+1:]...)", ""},
		{"removed-in-loop", "list []int", "[]int", "for range 3 {\n\tlist = append(list[:1], 3)\n}\nreturn list", ""},
		{"steady-in-loop", "list []int", "int", "n := 0\nfor _, i := range list {\n\tn += half(i)\n}\nreturn n", halves},
		{"steady-in-loop", "list []int, k int", "int", "n := 0\nfor range list {\n\tn += counted(k)\n}\nreturn n", halves},
		{"steady-in-loop", "list []int, k int", "int", "n := 0\nfor range list {\n\tk++\n\tn += half(k)\n}\nreturn n", halves},
		{"steady-in-loop", "list []int, k int", "int", "n := half(k)\nfor range list {\n\tn += first(list)\n}\nreturn n", halves},
		{"elements-appended", "from []int", "[]int", "var to []int\nfor _, x := range from {\n\tif x > 0 {\n\t\tto = append(to, x)\n\t}\n}\nreturn to", ""},
		{"elements-appended", "from []int", "[]any", "var to []any\nfor _, x := range from {\n\tto = append(to, x)\n}\nreturn to", ""},
		{"elements-appended", "from []int", "[]int", "var to []int\nfor _, x := range from {\n\tto = append(to, x+1)\n}\nreturn to", ""},
		{"elements-appended", "from map[int]int", "[]int", "var to []int\nfor _, x := range from {\n\tto = append(to, x)\n}\nreturn to", ""},
		{"bytes-compared", "a, b []int", "bool", "for i := range a {\n\tif a[i] != b[i] {\n\t\treturn false\n\t}\n}\nreturn true", ""},
		{"bytes-compared", "a, b []byte", "bool", "for i := range a {\n\tif a[i] != b[len(b)-1-i] {\n\t\treturn false\n\t}\n}\nreturn true", ""},
		{"bytes-compared", "a, b []byte", "int", "n := 0\nfor i := range a {\n\tif a[i] != b[i] {\n\t\tn++\n\t}\n}\nreturn n", ""},
		{"bytes-xored", "a []byte, k byte", "", "for i := range a {\n\ta[i] ^= k\n}", ""},
		{"bytes-xored", "a, b []uint16", "", "for i := range a {\n\ta[i] ^= b[i]\n}", ""},
		{"bytes-xored", "a, b []byte", "", "for i := range a {\n\ta[i] |= b[i]\n}", ""},
		{"bytes-filled", "a []byte", "", "for i := range a {\n\ta[i] = 0\n}", ""},
		{"bytes-filled", "a []byte", "", "for i := range a {\n\ta[i] = byte(i)\n}", ""},
		{"bytes-filled", "a []int", "", "for i := range a {\n\ta[i] = 3\n}", ""},
		{"byte-written-again", "n int", "string", "var b strings.Builder\nfor i := range n {\n\tb.WriteByte(byte(i))\n}\nreturn b.String()", ""},
		{"byte-written-again", "n int", "string", "var b strings.Builder\nfor range n {\n\tb.WriteString(\"ab\")\n}\nreturn b.String()", ""},
		{"byte-written-again", "n int", "string", "var b strings.Builder\nfor range n {\n\tb.WriteByte(' ')\n\tb.WriteByte('x')\n}\nreturn b.String()", ""},
		{"field-scanned", "t *tools", "int", "for i := range t.list {\n\tif t.list[i] == \"a\" {\n\t\treturn i\n\t}\n}\nreturn -1", toolbox},
		{"field-scanned", "list []string, name string", "int", "for i := range list {\n\tif list[i] == name {\n\t\treturn i\n\t}\n}\nreturn -1", ""},
		{"field-scanned", "t *tools, name string", "int", "n := 0\nfor i := range t.list {\n\tif t.list[i] == name {\n\t\tn++\n\t}\n}\nreturn n", toolbox},
		{"field-scanned", "name string", "int", "for i := range few {\n\tif few[i] == name {\n\t\treturn i\n\t}\n}\nreturn -1", toolbox},
		{"pieces-joined", "list []string", "[]string", "var parts []string\nfor _, s := range list {\n\tparts = append(parts, s)\n}\nprintln(strings.Join(parts, \",\"))\nreturn parts", ""},
		{"pieces-joined", "list, parts []string", "string", "for _, s := range list {\n\tparts = append(parts, s)\n}\nreturn strings.Join(parts, \",\")", ""},
		{"pieces-joined", "list []string", "string", "var parts []string\nfor _, s := range list {\n\tparts = append(parts, s)\n}\nslices.Sort(parts)\nreturn strings.Join(parts, \",\")", ""},
		{"rune-decoded", "s string", "rune", "r, _ := utf8.DecodeRuneInString(s)\nreturn r", ""},
		{"rune-decoded", "s string", "int", "n := 0\nfor i := 0; i < len(s); n++ {\n\tif s[i] < utf8.RuneSelf {\n\t\ti++\n\t\tcontinue\n\t}\n\t_, size := utf8.DecodeRuneInString(s[i:])\n\ti += size\n}\nreturn n", ""},
		{"copy-only-read", "list []int", "int", "of := slices.Clone(list)\nof[0] = 3\nreturn of[1]", ""},
		{"copy-only-read", "list []int", "[]int", "of := slices.Clone(list)\nreturn of", ""},
		{"copy-only-read", "list []int", "int", "of := slices.Clone(list)\nlist[0] = 3\nreturn of[0]", ""},
		{"copy-only-read", "list []int, f func([]int)", "int", "of := slices.Clone(list)\nf(of)\nreturn of[0]", ""},
		{"copy-only-read", "list []int, mu *sync.Mutex", "int", "mu.Lock()\nof := slices.Clone(list)\nmu.Unlock()\nreturn of[0]", ""},
		{"copy-only-read", "list []*int", "int", "of := slices.Clone(list)\nreturn *of[0]", ""},
		{"sorted-per-call", "m map[string]int", "string", "var keys []string\nfor k := range m {\n\tkeys = append(keys, k)\n}\nsort.Strings(keys)\nreturn keys[0]", ""},
		{"sorted-per-call", "list []string", "string", "var keys []string\nfor _, k := range list {\n\tkeys = append(keys, k)\n}\nsort.Strings(keys)\nreturn keys[0]", ""},
		{"runes-searched", "list []int, k int", "int", "low, high := 0, len(list)\nfor low < high {\n\tmid := (low + high) / 2\n\tif list[mid] < k {\n\t\tlow = mid + 1\n\t} else {\n\t\thigh = mid\n\t}\n}\nreturn low", ""},
		{"runes-searched", "list []rune, k rune", "int", "for i, n := 0, len(list); i < n; i++ {\n\tif list[i] > k {\n\t\treturn i\n\t}\n}\nreturn -1", ""},
		{"one-by-one", "list []int", "int", "n := 0\nfor _, x := range list {\n\tvar s sorted\n\ts.Add(x)\n\tn += len(s.list)\n}\nreturn n", adders},
		{"one-by-one", "list []int", "int", "var s lone\nfor _, x := range list {\n\ts.Add(x)\n}\nreturn len(s.list)", adders},
		{"one-by-one", "s *sorted", "", "s.Add(3)", adders},
		{"closure-per-round", "list []int, f func(func() int)", "", "for i := range list {\n\tf(func() int { return i })\n}", ""},
		{"closure-per-round", "list []int, f func(func() int)", "", "k := 0\nfor range list {\n\tk++\n\tf(func() int { return k })\n}", ""},
		{"closure-per-round", "list []int", "int", "n := 0\nfor range list {\n\tfunc() { n++ }()\n}\nreturn n", ""},
		{"closure-per-round", "list []*time.Time, f func(func() int)", "", "for _, t := range list {\n\tf(t.Year)\n}", ""},
		{"drawn-until-new", "k, n int", "int", "set, sum := make(map[int]bool), 0\nfor range k {\n\tx := rand.Intn(n)\n\tif set[x] {\n\t\tsum++\n\t}\n}\nreturn sum", ""},
		{"drawn-until-new", "k, n int", "int", "set := make(map[int]bool)\nfor i := 0; i < k; i++ {\n\tx := i * n\n\tif !set[x] {\n\t\tset[x] = true\n\t}\n}\nreturn len(set)", ""},
		{"drawn-until-new", "k, n int, seen map[int]bool", "int", "set := make(map[int]bool)\nfor i := 0; i < k; i++ {\n\tx := rand.Intn(n)\n\tif !seen[x] {\n\t\tset[x] = true\n\t}\n}\nreturn len(set)", ""},
		{"array-for-sort", "list []int", "int", "var room [8]int\nn := copy(room[:], list)\nsort.Ints(list)\nreturn n", ""},
		{"array-for-sort", "list []int", "[]int", "var room [8]int\nsorted := append(room[:0], list...)\nsort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })\nreturn sorted", "//go:noinline\nfunc double(x int) int { return 2 * x }\n"},
		{"bytes-xored", "a, b []byte, k int", "", "for i := 0; i < k; i++ {\n\ta[i] ^= b[i*k]\n}", ""},
		{"bytes-xored", "a []byte, k int", "", "for i := 0; i < k; i++ {\n\ta[i] ^= a[i]\n}", ""},
		{"bytes-xored", "a []byte, k int", "", "for i := 0; i < k; i++ {\n\ta[i+16] ^= a[i]\n}", ""},
		{"copy-address-returned", "t *table", "*mask", "t.mu.Lock()\nm := t.masks[3]\nt.mu.Unlock()\nreturn &m", "type mask [4]uint64\n\ntype table struct{\n\tmu sync.Mutex\n\tmasks [8]mask\n}\n\n//go:noinline\nfunc first(m *mask) uint64 { return m[0] }\n"},
		{"steady-condition", "s *bufio.Scanner", "int", "n := 0\nfor s.Scan() {\n\tn++\n}\nreturn n", ""},
		{"steady-condition", "l *list", "int", "n := 0\nfor l.next() {\n\tn++\n}\nreturn n", "type list struct{ rest []int }\n\n//go:noinline\nfunc (l *list) next() bool {\n\tif len(l.rest) == 0 {\n\t\treturn false\n\t}\n\tl.rest = l.rest[1:]\n\treturn true\n}\n"},
		{"steady-condition", "began time.Time", "int", "n := 0\nfor time.Since(began) < time.Second {\n\tn++\n}\nreturn n", ""},
		{"steady-condition", "done *atomic.Bool", "int", "n := 0\nfor !done.Load() {\n\tn++\n}\nreturn n", ""},
		{"moved-for-branch", "each func(func(int) bool)", "int", "last := -1\neach(func(x int) bool {\n\tif x > 3 {\n\t\tlast = x\n\t\treturn false\n\t}\n\treturn true\n})\nreturn last", ""},
		{"copy-address-returned", "t *table", "*mask", "m := t.masks[3]\nm[0]++\nreturn &m", "type mask [4]uint64\n\ntype table struct{ masks [8]mask }\n\n//go:noinline\nfunc first(m *mask) uint64 { return m[0] }\n"},
		{"copy-address-returned", "t *table", "*mask", "m := t.masks[3]\nreturn &m", "type mask [4]uint64\n\ntype table struct{ masks map[int]mask }\n\n//go:noinline\nfunc first(m *mask) uint64 { return m[0] }\n"},
		{"field-copied-whole", "c *scope", "int", "return len(Child(c).names)", "type scope struct{ names []string }\n\nfunc Child(c *scope) *scope { return &scope{names: append([]string{}, c.names...)} }\n"},
		{"field-copied-whole", "names []string", "int", "return len((&scope{names: append([]string{}, names...)}).names)", "type scope struct{ names []string }\n"},
		{"scanned-in-loop", "s *keys, other []string", "int", "n := 0\nfor _, k := range other {\n\ts.list = s.list[1:]\n\tfor _, x := range s.list {\n\t\tif x == k {\n\t\t\tn++\n\t\t\tbreak\n\t\t}\n\t}\n}\nreturn n", "type keys struct{ list []string }\n"},
		{"steady-condition", "parts [][]byte", "int", "sum := 0\nfor i := 0; i < counted(parts); i++ {\n\tparts = parts[1:]\n}\nreturn sum", "//go:noinline\nfunc counted(parts [][]byte) (n int) {\n\tfor _, p := range parts {\n\t\tn += len(p)\n\t}\n\treturn n\n}\n"},
		{"steady-condition", "parts [][]byte, f func()", "", "for i := 0; i < counted(parts); i++ {\n\tf()\n}", "//go:noinline\nfunc counted(parts [][]byte) (n int) {\n\tfor _, p := range parts {\n\t\tn += len(p)\n\t}\n\treturn n\n}\n"},
		{"steady-condition", "parts [][]byte, n *int", "", "for i := 0; i < counted(parts); i++ {\n\t*n += i\n}", "//go:noinline\nfunc counted(parts [][]byte) (n int) {\n\tfor _, p := range parts {\n\t\tn += len(p)\n\t}\n\treturn n\n}\n"},
		{"steady-condition", "parts [][]byte, done chan int", "", "for i := 0; i < counted(parts); i++ {\n\tdone <- i\n}", "//go:noinline\nfunc counted(parts [][]byte) (n int) {\n\tfor _, p := range parts {\n\t\tn += len(p)\n\t}\n\treturn n\n}\n"},
		{"joined-then-added", "tags []string", "string", "return strings.Join(tags, \",\")", ""},
		{"joined-then-added", "name string, tags []string, m map[string]int", "string", "all := strings.Join(tags, \",\")\nm[all]++\nreturn name + all", ""},
		{"bytes-multiplied", "words []uint32", "uint64", "v := uint64(1)\nfor i, w := range words {\n\tv += uint64(w) * 58\n\twords[i] = uint32(v)\n\tv >>= 32\n}\nreturn v", ""},
		{"bytes-multiplied", "text []byte", "uint32", "v := uint32(1)\nfor i, c := range text {\n\tv += uint32(c) * 58\n\ttext[i] = byte(v)\n\tv ^= 8\n}\nreturn v", ""},
		{"bytes-classified", "text string", "bool", "for i := 0; i < len(text); i++ {\n\tif text[i] < 'a' || text[i] > 'z' {\n\t\treturn false\n\t}\n}\nreturn true", ""},
		{"bytes-classified", "text string, a, b, c, d byte", "bool", "for i := 0; i < len(text); i++ {\n\tif text[i] == a || text[i] == b || text[i] == c || text[i] == d {\n\t\treturn false\n\t}\n}\nreturn true", ""},
		{"bytes-classified", "text string, n int", "bool", "for i := 0; i < len(text); i++ {\n\tif n > 3 && (text[i] == 'a' || text[i] == 'b' || text[i] == 'c' || text[i] == 'd') {\n\t\treturn false\n\t}\n}\nreturn true", ""},
		{"bytes-classified", "list []int", "bool", "for _, n := range list {\n\tif n == 1 || n == 2 || n == 7 || n == 9 {\n\t\treturn false\n\t}\n}\nreturn true", ""},
		{"big-int-per-round", "x *big.Int, list []*big.Int", "[]*big.Int", "for range 3 {\n\td := new(big.Int)\n\td.Add(x, x)\n\tlist = append(list, d)\n}\nreturn list", ""},
		{"big-int-per-round", "x *big.Int", "*big.Int", "sum := x\nfor range 3 {\n\td := new(big.Int)\n\tsum = d.Add(sum, x)\n}\nreturn sum", ""},
		{"big-int-per-round", "x *big.Int", "int64", "d := new(big.Int)\nd.Add(x, x)\nreturn d.Int64()", ""},
		{"modulo-step", "i int", "int", "i = (i + 1) % 10\nreturn i", ""},
		{"modulo-step", "i, n int", "int", "i = (i + 2) % n\nreturn i", ""},
		{"modulo-step", "i, k, n int", "int", "i = (k + 1) % n\nreturn i", ""},
		{"defer-recorded", "mu *sync.Mutex, n int", "int", "mu.Lock()\ndefer mu.Unlock()\nif n > 3 {\n\treturn 1\n}\nreturn 2", ""},
		{"defer-recorded", "list []int, mu *sync.Mutex", "", "for range list {\n\tfunc() {\n\t\tmu.Lock()\n\t\tdefer mu.Unlock()\n\t}()\n}", ""},
		{"map-read-in-loop", "m map[string]int, list []string", "int", "n := 0\nfor _, k := range list {\n\tn += m[k]\n}\nreturn n", ""},
		{"map-read-in-loop", "m map[string]int, list []string", "int", "n := 0\nfor _, k := range list {\n\tn += m[\"all\"]\n\tm[k]++\n}\nreturn n", ""},
		{"map-read-in-loop", "m map[string]int, f func() bool", "int", "n := 0\nfor f() {\n\tn += m[\"all\"]\n}\nreturn n", ""},
		{"elements-copied", "b []byte, n int", "", "from, to := b[:n], b[3:]\nfor i := range from {\n\tto[i] = from[i]\n}", ""},
		{"elements-copied", "r *record, n int", "", "from := r.b[:n]\nto := r.b[n:]\nto = to[:n]\nfor i := range from {\n\tto[i] = from[i]\n}", "type record struct{ b []byte }\n"},
		{"runes-written", "s string", "string", "var b strings.Builder\nfrom := 0\nfor i := 0; i < len(s); i++ {\n\tif s[i] == '*' {\n\t\tb.WriteString(s[from:i])\n\t\tb.WriteByte('x')\n\t\tb.WriteByte(s[i])\n\t\tfrom = i + 1\n\t}\n}\nreturn b.String()", ""},
		{"steady-in-loop", "list []int, k int", "int", "n := 0\nfor range list {\n\tn += half(k)\n}\nreturn n", halves},
		{"large-value-ranged", "list []record", "int", "n := 0\nfor _, r := range list {\n\tr.in.add()\n\tn += r.id\n}\nreturn n", "type inner struct{ n int }\n\nfunc (i *inner) add() { i.n++ }\n\ntype record struct {\n\tid   int\n\tin   inner\n\tsums [48]int\n}\n"},
		{"made-of-settings", "s *server", "bool", "return strings.Contains(s.host, \"local\")", serverSet},
		{"pairs-compared", "list []int", "int", "n := 0\nfor i := range list {\n\tfor j := i + 1; j < len(list); j++ {\n\t\tif list[i] == list[j] {\n\t\t\tn++\n\t\t}\n\t}\n}\nreturn n", ""},
		{"pairs-compared", "list []int", "bool", "for i := range list {\n\tfor j := i + 1; j < len(list); j++ {\n\t\tif list[i] < list[j] {\n\t\t\treturn true\n\t\t}\n\t}\n}\nreturn false", ""},
		{"pairs-compared", "list, other []int", "bool", "for i := range list {\n\tfor j := i + 1; j < len(other); j++ {\n\t\tif list[i] == other[j] {\n\t\t\treturn true\n\t\t}\n\t}\n}\nreturn false", ""},
		{"map-scanned", "m map[string]int, v int", "string", "for k, n := range m {\n\tif n == v {\n\t\treturn k\n\t}\n}\nreturn \"\"", ""},
		{"map-scanned", "m map[string]int, f func() string", "int", "for k, n := range m {\n\tif k == f() {\n\t\treturn n\n\t}\n}\nreturn 0", ""},
		{"map-scanned", "list []int, v int", "bool", "for k := range list {\n\tif k == v {\n\t\treturn true\n\t}\n}\nreturn false", ""},
		{"rows-made-singly", "t [][]int, sizes []int", "", "for i := range t {\n\tt[i] = make([]int, sizes[i])\n}", ""},
		{"rows-made-singly", "t []map[int]int, n int", "", "for i := range t {\n\tt[i] = make(map[int]int, n)\n}", ""},
		{"rows-made-singly", "t [][]int, n int", "", "for i := range t {\n\tt[i] = make([]int, n)\n\tn++\n}", ""},
		{"bits-by-hand", "x int", "int", "n := 0\nfor x != 0 {\n\tx &= x - 1\n\tn++\n}\nreturn n", ""},
		{"bits-by-hand", "x uint", "int", "n := 0\nfor x != 0 {\n\tx >>= 2\n\tn++\n}\nreturn n", ""},
		{"bits-by-hand", "x uint, f func()", "", "for x != 0 {\n\tx &= x - 1\n\tf()\n}", ""},
		{"map-read-in-loop", "m map[string]int", "int", "return m[\"all\"]", ""},
		{"atomic-in-loop", "list []atomic.Int64", "", "for i := range list {\n\tlist[i].Add(1)\n}", ""},
		{"atomic-in-loop", "n *atomic.Int64, c chan int", "", "for range c {\n\tn.Add(1)\n}", ""},
		{"atomic-in-loop", "n *atomic.Int64, list []int", "int64", "sum := int64(0)\nfor range list {\n\tsum += n.Add(1)\n}\nreturn sum", ""},
		{"atomic-in-loop", "n *atomic.Int64, list []int, f func()", "", "for range list {\n\tf()\n\tn.Add(1)\n}", ""},
		{"steady-in-loop", "s string, list []string", "int", "n := 0\nfor _, t := range list {\n\tn += strings.Count(t, s)\n}\nreturn n", ""},
		{"map-read-twice", "m map[int]int, f func() int", "int", "n := 0\nif k := f(); m[k] > 0 {\n\tn++\n}\nif k := 3; m[k] > 0 {\n\tn++\n}\nreturn n", ""},
		{"map-read-twice", "m map[int]int, list []int", "int", "n := 0\n{\n\tk := list[0]\n\tn += m[k]\n\tk, j := list[1], 0\n\tn += j\n\t{\n\t\tk := list[2]\n\t\tn += m[k]\n\t}\n}\nreturn n", ""},
		{"map-read-twice", "m map[int]int, a any, n int", "int", "switch k := a.(type) {\ncase int:\n\tn += m[k]\n}\nif k, ok := a.(int); ok && m[k] > 0 {\n\tn++\n\tif k, ok := a.(int); ok {\n\t\tn += m[k]\n\t}\n}\nreturn n", ""},
	} {
		s.check(t)
	}
}

const serverSet = "type server struct {\n\thost, name, Zone string\n\tport int\n}\n\nfunc newServer(host string) *server { return &server{host: host, name: host, port: 80} }\n\nfunc (s *server) rename(to string) { s.name = to }\n"

const reports = "var count int\n\nfunc report(s string) string { return s + \"!\" }\n\nfunc counted(n int) string {\n\tcount++\n\treturn strconv.Itoa(n)\n}\n"

const larges = "type record struct {\n\tid int\n\tsums [48]int\n}\n\nvar kept []record\n\nfunc read(r record) int { return r.id }\n\nfunc changed(r record) int {\n\tr.id++\n\treturn r.id\n}\n\nfunc pointed(r *record) int { return r.id }\n"

const halves = "var count int\n\nfunc half(n int) int { return n / 2 }\n\nfunc counted(n int) int {\n\tcount++\n\treturn n\n}\n\nfunc first(list []int) int { return list[0] }\n"

const toolbox = "type tools struct{ list []string }\n\nvar few = []string{\"a\", \"b\"}\n"

const adders = "type sorted struct{ list []int }\n\nfunc (s *sorted) Add(x int) {}\n\nfunc (s *sorted) AddAll(list []int) {}\n\ntype lone struct{ list []int }\n\nfunc (s *lone) Add(x int) {}\n"

const contains = "func contains(list []int, x int) bool {\n\tfor _, v := range list {\n\t\tif v == x {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false\n}\n"
