package tables

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/perf/benchfmt"
)

const good = "BenchmarkX-2   \t    1000\t       123 ns/op\n"

// What cannot be read fails at its line.
func TestDamagedFiles(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "a: the file is empty"},
		{"no result", "hello\nworld\n", "a: none of its 2 lines is a benchmark result"},
		{"settings only", "goos: linux\n", "a: none of its 1 lines"},
		{"names only", "BenchmarkX\nBenchmarkY\n", "a: none of its 2 lines"},
		{"failed build", "# example.org/m\nx.go:3:1: undefined: y\nFAIL\texample.org/m [build failed]\n", `a: none of its 3 lines is a benchmark result, and line 3 says "FAIL`},
		{"json", `{"Action":"output","Output":"BenchmarkX-2 \t 100\t 5 ns/op\n"}` + "\n", "the first is JSON"},
		{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00", "a:1: this is a gzip file"},
		{"UTF-16", "\xff\xfeB\x00e\x00n\x00", "a:1: this is UTF-16"},
		{"binary after results", good + "\x00\x01\n", "a:2: this is not text"},
		{"Latin-1", "BenchmarkL\xe4nge-2 1 5 ns/op\n", "a:1: the line is not UTF-8"},
		{"printed in its line", "goos: linux\nBenchmarkX-2   \thello\n    1000\t       123 ns/op\n", "a:2: the result of BenchmarkX-2 cannot be read"},
		{"printed a line break", "BenchmarkX-2   \t\n    1000\t       123 ns/op\n", "a:1: the result of BenchmarkX-2 cannot be read"},
		{"printed before its line", good + "doneBenchmarkY-2   \t    1000\t       123 ns/op\n", "a:2: the result of BenchmarkY-2 follows other output"},
		{"failed benchmark", "BenchmarkX-2   \t--- FAIL: BenchmarkX-2\n    x_test.go:5: no\n" + good, "a:1: BenchmarkX-2 failed"},
		{"cut in the name", good + "BenchmarkY/siz", "a:2: the file ends in the middle of this line"},
		{"cut after the name", good + "BenchmarkY-2   \t", "a:2: the file ends in the middle of the result of BenchmarkY-2"},
		{"cut in the count", good + "BenchmarkY-2 10", "a:2: the file ends in the middle"},
		{"cut in the figure", good + "BenchmarkY-2 1000 12", "a:2: the file ends in the middle"},
		{"cut in the unit", good + "BenchmarkY-2 1000 12 ns/o", `a:2: the file ends after "ns/o"`},
		{"cut in the third unit", good + "BenchmarkY-2 1000 12 ns/op 5 B", `a:2: the file ends after "B"`},
		{"not a number", "BenchmarkX-2 10 NaN ns/op\n", "a:1: BenchmarkX-2: NaN sec/op is not a measurement"},
		{"endless", "BenchmarkX-2 10 1e999 frobs\n", "a:1:"},
		{"too large when scaled", "BenchmarkX-2 10 1e306 MB/s\n", "a:1: BenchmarkX-2:"},
		{"iterations below zero", "BenchmarkX-2 -10 5 ns/op\n", "a:1: BenchmarkX-2 has -10 iterations"},
		{"metadata without value", "Unit x better=lower sideways\n" + good, "a:1: metadata of a unit: expected key=value"},
		{"metadata twice", "Unit x better=lower\nUnit x better=higher\n" + good, "a:2: metadata of a unit:"},
		{"endless line", "BenchmarkX" + strings.Repeat("x", 2*maxLine) + " 1 5 ns/op\n", "a:1: the line has more than"},
		{"many keys", func() string {
			var b strings.Builder
			for i := range maxKeys + 1 {
				b.WriteString("k" + strings.Repeat("k", i) + ": v\n")
			}
			return b.String()
		}(), "a:1001: more than 1000 different keys"},
	} {
		_, err := compareTexts(DefaultOptions(), tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// What may stand between results does not disturb.
func TestOtherOutput(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		results    int
		other      int
		warning    string
	}{
		{"clean", "goos: linux\n" + good + "PASS\nok  \tm\t1.2s\n", 1, 0, ""},
		{"verbose", "=== RUN   BenchmarkX\nBenchmarkX\n" + good + "--- BENCH: BenchmarkX-2\n    x_test.go:5: log\n", 1, 1, ""},
		{"prose", "We compared it.\nBenchmarking took an hour\n# BenchmarkY-2 10 5 ns/op\nUnit tests were fine\n" + good, 1, 4, ""},
		{"CRLF", "goos: linux\r\nBenchmarkX-2 10 5 ns/op\r\n", 1, 0, ""},
		{"byte order mark", "\ufeffgoos: linux\n" + good, 1, 0, ""},
		{"no line break at the end", "BenchmarkX-2 10 5 ns/op", 1, 0, ""},
		{"a known unit at the end", "BenchmarkX-2 10 5 frobs\nBenchmarkY-2 10 5 frobs", 2, 0, ""},
		{"a long line", strings.Repeat("x", 3*maxLine) + "\n" + good, 1, 1, ""},
		{"blank lines", "\n\n \n" + good, 1, 0, ""},
		{"Latin-1 beside results", "f\xfcr\n" + good, 1, 1, ""},
		{"failed test", good + "--- FAIL: TestY (0.00s)\nFAIL\n", 1, 0, `a:2: "--- FAIL: TestY (0.00s)": something failed`},
		{"panic", good + "panic: oh\n", 1, 0, `a:2: "panic: oh"`},
		{"metadata nobody knows", "Unit x assume=normal colour=red\n" + good, 1, 0, "a:1: assume=normal of x is neither nothing nor exact"},
	} {
		r, err := compareTexts(DefaultOptions(), tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if f := r.Files[0]; f.Results != tt.results || f.Kept != tt.results || f.Other != tt.other || !strings.HasPrefix(strings.Join(r.Warnings, "; "), tt.warning) || tt.warning == "" && len(r.Warnings) > 0 {
			t.Errorf("%s: %+v, warnings %q", tt.name, f, r.Warnings)
		}
	}
	// The key after a byte order mark is one.
	r, _ := compareTexts(DefaultOptions(), "\ufeffgoos: linux\n"+good)
	if c := r.Tables[0].Config; len(c) != 1 || c[0] != (Setting{"goos", "linux"}) {
		t.Errorf("config %v", c)
	}
}

func TestReadErrors(t *testing.T) {
	c, err := NewCollector(DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is gone")
	in := io.MultiReader(strings.NewReader(good), iotest.ErrReader(broken))
	if err := c.Add(Operand{"a", "a"}, in); !errors.Is(err, broken) || err.Error() != "a:1: the disk is gone" {
		t.Errorf("%v", err)
	}
	// However the bytes come, they are the same.
	for name, r := range map[string]io.Reader{"one by one": iotest.OneByteReader(strings.NewReader(good + good)), "with the end": iotest.DataErrReader(strings.NewReader(good + good))} {
		c, _ := NewCollector(DefaultOptions())
		if err := c.Add(Operand{"a", "a"}, r); err != nil || c.files[0].Results != 2 {
			t.Errorf("%s: %v, %+v", name, err, c.files)
		}
	}
}

func TestOperands(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"old.txt new.txt", "old.txt=old.txt new.txt=new.txt"},
		{"O=old.txt N=-", "O=old.txt N=-"},
		{"-", "-=-"},
		{"a.txt a.txt b.txt", "a.txt#0=a.txt a.txt#1=a.txt b.txt=b.txt"},
		{"x=a.txt x=a.txt", "x=a.txt x=a.txt"},
		{"a.txt x=a.txt", "a.txt=a.txt x=a.txt"},
		{"./v=1/a.txt /v=1/a.txt ../v=1/a.txt", "./v=1/a.txt=./v=1/a.txt /v=1/a.txt=/v=1/a.txt ../v=1/a.txt=../v=1/a.txt"},
		{"x=y=z", "x=y=z"},
		{"=a.txt", "! no label"},
		{"x=", "! names no file"},
		{"- x=-", "! once"},
	} {
		ops, err := Operands(strings.Fields(tt.args))
		var got []string
		for _, o := range ops {
			got = append(got, o.Label+"="+o.Path)
		}
		if want, bad := strings.CutPrefix(tt.want, "! "); bad {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want an error with %s", tt.args, err, want)
			}
		} else if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %s, %v; want %s", tt.args, strings.Join(got, " "), err, tt.want)
		}
	}
}

// FuzzOperands: as many operands as arguments, none without a path, and every
// argument can be put together again.
func FuzzOperands(f *testing.F) {
	f.Add("old.txt", "x=new.txt")
	f.Add("a", "a")
	f.Add("=", "./=")
	f.Fuzz(func(t *testing.T, a, b string) {
		args := []string{a, b}
		ops, err := Operands(args)
		if err != nil {
			return
		}
		for i, o := range ops {
			if o.Path == "" || o.Label == "" {
				t.Fatalf("%q: %+v", args[i], o)
			}
			if o.Path != args[i] && o.Label+"="+o.Path != args[i] {
				t.Fatalf("%q became %+v", args[i], o)
			}
		}
		if len(ops) != 2 || ops[0].Label == ops[1].Label && a == b && ops[0].Path == a {
			t.Fatalf("%q: %+v", args, ops)
		}
	})
}

// FuzzCompare: an error, or tables that hold each value that benchfmt alone
// reads, once.
func FuzzCompare(f *testing.F) {
	f.Add("Unit u better=lower assume=exact\nBenchmarkX/k=1-2 1 5 ns/op 7 u\nBenchmarkX/k=2-2 1 6 ns/op 7 u\n", good, ".fullname", ".file")
	f.Add("note: a\nBenchmarkX 1 0 ns/op\nnote: b\nBenchmarkX 1 -5 ns/op\n", "BenchmarkY 1 1e300 x\nBenchmarkY 1 -1e300 x\n", ".name", "note,/k@num")
	f.Add("BenchmarkX 1 1 a 2 a 3 b\nBenchmark 1 1 a\nnote:\n", "hello\nBenchmarkX-2 \t--- FAIL", "", "/gomaxprocs@alpha")
	f.Fuzz(func(t *testing.T, a, b, row, col string) {
		if len(a)+len(b) > 20_000 {
			return
		}
		o := DefaultOptions()
		o.Row, o.Col = row, col
		r, err := compareTexts(o, a, b)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Fatal("an error without a word")
			}
			return
		}
		var have []float64
		tests, constant := 0, 0
		for _, table := range r.Tables {
			if len(table.Geomean) != len(table.Columns) || len(table.Rows) == 0 {
				t.Fatalf("table %+v", table)
			}
			for _, row := range table.Rows {
				if len(row.Cells) != len(table.Columns) || !slices.ContainsFunc(row.Cells, func(c *Cell) bool { return c != nil }) {
					t.Fatalf("row %+v", row)
				}
				for _, cell := range row.Cells {
					if cell == nil {
						continue
					}
					have = append(have, cell.Values...)
					if s := cell.Summary; !slices.IsSorted(cell.Values) || !(s.Lo <= s.Center && s.Center <= s.Hi) {
						t.Fatalf("%v: %+v", cell.Values, cell.Summary)
					}
					c := cell.Comparison
					if c == nil {
						continue
					}
					if !(c.P >= 0 && c.P <= 1+1e-12 && c.PHolm >= min(c.P, 1) && c.PHolm <= 1) && !c.Exact {
						t.Fatalf("%+v", c)
					}
					if c.Constant {
						constant++
						if c.P != 1 {
							t.Fatalf("constant, but p = %v", c.P)
						}
					} else if !c.Exact {
						tests++
					}
				}
			}
		}
		if r.Comparisons != tests || r.Constant != constant {
			t.Fatalf("%d and %d comparisons, counted %d and %d", r.Comparisons, r.Constant, tests, constant)
		}
		if strings.Contains(row+col, "@") {
			return // it may choose values
		}
		var want []float64
		for _, text := range []string{a, b} {
			reader := benchfmt.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")), "f")
			for reader.Scan() {
				if res, ok := reader.Result().(*benchfmt.Result); ok {
					for _, v := range res.Values {
						want = append(want, v.Value)
					}
				}
			}
		}
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			t.Fatalf("values %v, benchfmt alone read %v", have, want)
		}
	})
}

// Of many lines only the values are kept.
func TestManyLines(t *testing.T) {
	line := []byte("BenchmarkEncode/size=1k-8 \t 1000\t 123.4 ns/op\t 16 B/op\t 1 allocs/op\nsome other output between them\n")
	const n = 20_000
	c, err := NewCollector(DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Add(Operand{"a", "a"}, io.LimitReader(&endlessReader{line: line}, int64(n*len(line)))); err != nil {
		t.Fatal(err)
	}
	if f := c.files[0]; f.Results != n || f.Other != n || c.values != 3*n || c.cells != 3 {
		t.Errorf("%+v, %d values in %d cells", f, c.values, c.cells)
	}
	// More than anyone compares is refused, not kept.
	for want, bound := range map[string]bounds{
		"more than 2 different benchmarks": {2, 9, 9},
		"more than 3 values of one":        {9, 3, 99},
		"or 8 in all":                      {9, 9, 8},
	} {
		c, _ := NewCollector(DefaultOptions())
		c.bounds = bound
		if err := c.Add(Operand{"a", "a"}, io.LimitReader(&endlessReader{line: line}, int64(4*len(line)))); err == nil || !strings.HasPrefix(err.Error(), "a:") || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", bound, err)
		}
	}
}

type endlessReader struct {
	line []byte
	at   int
}

func (e *endlessReader) Read(p []byte) (int, error) {
	n := copy(p, e.line[e.at:])
	e.at = (e.at + n) % len(e.line)
	return n, nil
}

func TestRuns(t *testing.T) {
	read := func(text string) *Runs {
		r, err := ReadRuns(Operand{"f", "f"}, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	old := "BenchmarkA 1 10 ns/op 5 MB/s\nBenchmarkB 1 20 ns/op 3 B/op 1 allocs/op\nBenchmarkA 1 8 ns/op\nBenchmarkC 1 7 ns/op\nBenchmarkZ 1 0 ns/op\n"
	new := "BenchmarkZ 1 3 ns/op\nBenchmarkB 1 10 ns/op 2.5 B/op 0 allocs/op\nBenchmarkA 1 11 ns/op 6 MB/s\nBenchmarkA 1 8 ns/op\n"
	for _, tt := range []struct {
		o    BenchcmpOptions
		want string
	}{
		{BenchcmpOptions{}, "ns/op A:10>11 B:20>10 A:8>8 Z:0>3; MB/s A:5>6; allocs/op B:1>0"},
		{BenchcmpOptions{Changed: true}, "ns/op A:10>11 B:20>10 Z:0>3; MB/s A:5>6; allocs/op B:1>0"},
		// 0.5, 10/11, 1, then what came from zero.
		{BenchcmpOptions{Magnitude: true}, "ns/op B:20>10 A:10>11 A:8>8 Z:0>3; MB/s A:5>6; allocs/op B:1>0"},
		{BenchcmpOptions{Best: true}, "ns/op A:8>8 B:20>10 Z:0>3; allocs/op B:1>0"},
	} {
		r, err := CompareRuns(read(old), read(new), tt.o)
		if err != nil {
			t.Fatal(err)
		}
		var blocks []string
		for _, b := range r.Blocks {
			s := b.Unit
			for _, p := range b.Pairs {
				s += fmt.Sprintf(" %s:%v>%v", strings.TrimPrefix(p.Name, "Benchmark"), p.Old, p.New)
			}
			blocks = append(blocks, s)
		}
		if got := strings.Join(blocks, "; "); got != tt.want {
			t.Errorf("%+v:\n got %s\nwant %s", tt.o, got, tt.want)
		}
		if !slices.Equal(r.Warnings, []string{"ignoring BenchmarkC: before has 1 instances, after has 0"}) {
			t.Errorf("%q", r.Warnings)
		}
	}
	if _, err := CompareRuns(read("BenchmarkA 1 10 ns/op\n"), read("BenchmarkB 1 10 ns/op\n"), BenchcmpOptions{}); err == nil {
		t.Error("nothing to compare, and no error")
	}
	for q, p := range map[float64]Pair{2: {"", 1, 2}, 1: {"", 0, 0}, math.Inf(1): {"", 0, 1}, 0: {"", 1, 0}} {
		if p.Quotient() != q {
			t.Errorf("%+v: %v", p, p.Quotient())
		}
	}
}
