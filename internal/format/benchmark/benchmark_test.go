package benchmark

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"pgregory.net/rapid"
)

func ptr(v float64) *float64 { return &v }

func TestParse(t *testing.T) {
	plain := Line{Name: "BenchmarkX", Procs: 2, N: 1000, NsPerOp: 123}
	mem := Line{Name: "BenchmarkX", Procs: 2, N: 1000, NsPerOp: 123, BytesPerOp: ptr(16), AllocsPerOp: ptr(1)}
	for _, tt := range []struct {
		name, text string
		want       []Line
	}{
		{"clean", "BenchmarkX-2   \t    1000\t       123 ns/op\n", []Line{plain}},
		{"memory", "BenchmarkX-2   \t    1000\t       123 ns/op\t      16 B/op\t       1 allocs/op\n", []Line{mem}},
		{"no newline at the end", "BenchmarkX-2\t1000\t123 ns/op", []Line{plain}},
		{"carriage return", "BenchmarkX-2\t1000\t123 ns/op\r\n", []Line{plain}},
		{"one processor", "BenchmarkX\t1000\t123 ns/op\n", []Line{{Name: "BenchmarkX", Procs: 1, N: 1000, NsPerOp: 123}}},
		{"bare name", "Benchmark-2\t1000\t123 ns/op\n", []Line{{Name: "Benchmark", Procs: 2, N: 1000, NsPerOp: 123}}},
		{"throughput and own units", "BenchmarkX-2\t1000\t123 ns/op\t 45.6 MB/s\t7 frobs/s\t16 B/op\t1 allocs/op\n", []Line{{
			Name: "BenchmarkX", Procs: 2, N: 1000, NsPerOp: 123, BytesPerOp: ptr(16), AllocsPerOp: ptr(1),
			Metrics: []Metric{{"MB/s", 45.6}, {"frobs/s", 7}}}}},
		{"no time", "BenchmarkX-2\t1000\t7 frobs/s\n", []Line{{Name: "BenchmarkX", Procs: 2, N: 1000, NoTime: true, Metrics: []Metric{{"frobs/s", 7}}}}},
		{"odd names", "BenchmarkX/a=1,b=[x]/\\x00#01-2\t1000\t123 ns/op\n", []Line{{Name: `BenchmarkX/a=1,b=[x]/\x00#01`, Procs: 2, N: 1000, NsPerOp: 123}}},
		{"dash in name", "BenchmarkX/a-b\t1000\t123 ns/op\nBenchmarkX/a-07\t1000\t123 ns/op\n", []Line{
			{Name: "BenchmarkX/a-b", Procs: 1, N: 1000, NsPerOp: 123}, {Name: "BenchmarkX/a-07", Procs: 1, N: 1000, NsPerOp: 123}}},

		{"printed a line", "BenchmarkX-2   \thello\n    1000\t       123 ns/op\n", []Line{plain}},
		{"printed many lines", "BenchmarkX-2   \thello\nworld 12\n\n    1000\t       123 ns/op\t      16 B/op\t       1 allocs/op\n", []Line{mem}},
		{"printed no newline", "BenchmarkX-2   \thello    1000\t       123 ns/op\n", []Line{plain}},
		{"printed tabs and figures", "BenchmarkX-2   \t5\t6 ns/op\t x 7\t8\n    1000\t       123 ns/op\n", []Line{plain}},
		{"printed before the name", "...BenchmarkX-2   \t    1000\t       123 ns/op\n", []Line{plain}},
		{"printed before and after", "a Benchmark bBenchmarkX-2   \tc    1000\t       123 ns/op\n", []Line{plain}},
		// An "=" is part of no number.
		{"count glued to a sign", "BenchmarkX-2   \tn=12345678\t       123 ns/op\n", []Line{{Name: "BenchmarkX", Procs: 2, N: 12345678, NsPerOp: 123}}},
		{"count glued to text", "BenchmarkX-2   \tdone12345678\t       123 ns/op\n", []Line{{Name: "BenchmarkX", Procs: 2, N: 12345678, NsPerOp: 123}}},
		{"count glued to a point", "BenchmarkX-2   \t0.12345678\t       123 ns/op\n", nil},
		{"short count glued to text", "BenchmarkX-2   \tdone1000\t       123 ns/op\n", nil},
		{"verbose", "=== RUN   BenchmarkX\nBenchmarkX\n    x_test.go:5: log\nBenchmarkX-2   \t    1000\t       123 ns/op\n", []Line{plain}},
		{"its own log follows", "BenchmarkX-2   \t    1000\t       123 ns/op\n--- BENCH: BenchmarkX-2\n    x_test.go:5: 7\t8 ns/op\n", []Line{plain}},
		{"failed", "BenchmarkX-2   \t--- FAIL: BenchmarkX-2\n    x_test.go:5: no\nFAIL\n", nil},

		{"not a benchmark", "Benchmarking\t1000\t123 ns/op\nbenchmarkX\t1\t2 ns/op\nok  \tpkg\t1.2s\nPASS\n", nil},
		{"broken figures", "BenchmarkX-2\t1000\t123\nBenchmarkX-2\t1000\nBenchmarkX-2\tx\t1 ns/op\nBenchmarkX-2\t-5\t1 ns/op\nBenchmarkX-2\t5\tNaN ns/op\nBenchmarkX-2\t5\tInf ns/op\n", nil},
		{"figures without a name", "    1000\t       123 ns/op\n", nil},
	} {
		if got := Parse([]byte(tt.text)); !reflect.DeepEqual(got, tt.want) && (len(got) > 0 || len(tt.want) > 0) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// What is known of the processors decides what is a suffix.
func TestProcessors(t *testing.T) {
	var p Parser
	p.Write([]byte("BenchmarkX/size-8\t1\t2 ns/op\nBenchmarkX/size-16-8\t1\t2 ns/op\n"))
	for procs, want := range map[int]string{
		0:  "BenchmarkX/size*8 BenchmarkX/size-16*8",
		1:  "BenchmarkX/size-8*1 BenchmarkX/size-16-8*1",
		8:  "BenchmarkX/size*8 BenchmarkX/size-16*8",
		16: "BenchmarkX/size-8*1 BenchmarkX/size-16-8*1",
	} {
		var got []string
		for _, l := range p.Lines(procs) {
			got = append(got, fmt.Sprintf("%s*%d", l.Name, l.Procs))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d processors: %s, want %s", procs, got, want)
		}
	}
	if full := p.Full(); full[0] != "BenchmarkX/size-8" {
		t.Errorf("full names %q", full)
	}
}

func TestOpen(t *testing.T) {
	var p Parser
	p.Write([]byte("BenchmarkA-2 \t 1\t2 ns/op\nBenchmarkB-2   \thello\n"))
	if p.Open() != "BenchmarkB-2" {
		t.Errorf("open is %q", p.Open())
	}
	p.Write([]byte("  10\t 3 ns/op\n"))
	if p.Open() != "" || len(p.Lines(0)) != 2 {
		t.Errorf("open is %q, %d lines", p.Open(), len(p.Lines(0)))
	}
}

// Pieces of any size give the same as the whole, and a benchmark that prints
// one endless line costs no memory and hides nothing.
func TestPieces(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	text := "goos: linux\nBenchmarkX-2 \thello\n    1000\t123 ns/op\nBenchmarkY-2 \t" + strings.Repeat("0123456789", 100_000) + "   77\t5 ns/op\n"
	want := []Line{{Name: "BenchmarkX", Procs: 2, N: 1000, NsPerOp: 123}, {Name: "BenchmarkY", Procs: 2, N: 77, NsPerOp: 5}}
	for _, size := range []int{1, 7, 4096, 32768, 50_000, len(text)} {
		var p Parser
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			p.Write([]byte(rest[:n]))
			rest = rest[n:]
			if cap(p.head)+cap(p.tail) > 4*maxLine {
				t.Fatalf("pieces of %d: %d bytes held", size, cap(p.head)+cap(p.tail))
			}
		}
		if got := p.Lines(0); !reflect.DeepEqual(got, want) {
			t.Errorf("pieces of %d: %+v", size, got)
		}
		if s := p.Settings(); len(s) != 1 || s[0] != (Setting{"goos", "linux"}) {
			t.Errorf("settings %v", s)
		}
	}
	// A line that was cut between its name and its figures is no clean line.
	var p Parser
	p.Write([]byte("BenchmarkZ-2 \t 12 " + strings.Repeat(" ", 2*maxLine) + " ns/op\n"))
	if len(p.Lines(0)) != 0 {
		t.Errorf("figures from two ends of a cut line: %+v", p.Lines(0))
	}
}

func TestBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	var p Parser
	for i := range maxLines + 10 {
		fmt.Fprintf(&p, "key%d: v\nBenchmarkX\t%d\t1 ns/op\n", i, i+1)
	}
	if len(p.Lines(0)) != maxLines || p.Dropped() != 10 || len(p.Settings()) != maxKeys {
		t.Errorf("%d lines, %d dropped, %d settings", len(p.Lines(0)), p.Dropped(), len(p.Settings()))
	}
}

func TestWriter(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Set("goos", "linux")
	w.Set("cpu", "a\nb")
	w.Write(Line{Name: "BenchmarkX", Procs: 8, N: 5, NsPerOp: 1.5, BytesPerOp: ptr(0), AllocsPerOp: ptr(0)})
	w.Set("goos", "linux")
	w.Set("pkg", "q")
	w.Write(Line{Name: "BenchmarkX/n-4", Procs: 1, N: 5, NoTime: true, Metrics: []Metric{{"MB/s", 1e6}}})
	const want = "goos: linux\ncpu: a b\nBenchmarkX-8\t5\t1.5 ns/op\t0 B/op\t0 allocs/op\npkg: q\nBenchmarkX/n-4-1\t5\t1000000 MB/s\n"
	if w.Err() != nil || b.String() != want {
		t.Errorf("%v\n%s", w.Err(), b.String())
	}
	full := NewWriter(failing{})
	full.Set("a", "b")
	if full.Err() == nil {
		t.Error("no error of a full disk")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }

// genLine draws lines that the testing package could print.
func genLine() *rapid.Generator[Line] {
	return rapid.Custom(func(t *rapid.T) Line {
		value := rapid.Float64Range(0, 1e12)
		l := Line{
			Name:  "Benchmark" + rapid.StringMatching(`([A-Z_][A-Za-z0-9_]{0,8})?(/[!-~é]{1,12}){0,3}`).Draw(t, "name"),
			Procs: rapid.IntRange(1, 300).Draw(t, "procs"),
			N:     rapid.Int64Range(0, math.MaxInt64).Draw(t, "n"),
		}
		if l.NoTime = rapid.Bool().Draw(t, "notime"); !l.NoTime {
			l.NsPerOp = value.Draw(t, "ns")
		}
		if l.NoTime || rapid.Bool().Draw(t, "mem") {
			l.BytesPerOp, l.AllocsPerOp = ptr(value.Draw(t, "bytes")), ptr(value.Draw(t, "allocs"))
		}
		for _, unit := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,5}/[xyz]`), 0, 3, rapid.ID).Draw(t, "units") {
			l.Metrics = append(l.Metrics, Metric{unit, value.Draw(t, "value")})
		}
		return l
	})
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genLine().Draw(t, "line")
		text := Format(want)
		got := Parse([]byte(text + "\n"))
		if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Fatalf("%q gave %+v, want %+v", text, got, want)
		}
		agree(t, []byte(text+"\n"))
	})
}

// agree compares with golang.org/x/perf/benchfmt on lines that it takes for
// results.
func agree(t interface {
	Helper()
	Fatalf(string, ...any)
}, text []byte) {
	t.Helper()
	var theirs []*benchfmt.Result
	r := benchfmt.NewReader(bytes.NewReader(text), "text")
	for r.Scan() {
		if res, ok := r.Result().(*benchfmt.Result); ok {
			theirs = append(theirs, res.Clone())
		}
	}
	ours := Parse(text)
	for _, want := range theirs {
		base, parts := want.Name.Parts()
		full := "Benchmark" + string(want.Name)
		if !validName(full) || want.Iters < 0 || hasOddValues(want) {
			continue
		}
		found := false
		for _, l := range ours {
			name := l.Name
			if _, n, ok := suffix(full); ok {
				name = fmt.Sprintf("%s-%d", l.Name, n)
			}
			if name == full && l.N == int64(want.Iters) && sameValues(l, want) {
				found = true
			}
		}
		if !found {
			t.Fatalf("in %q: benchfmt read %s (base %s, parts %q) %d %v, we read %+v", text, full, base, parts, want.Iters, want.Values, ours)
		}
	}
}

// hasOddValues finds what benchfmt takes and testing never prints.
func hasOddValues(r *benchfmt.Result) bool {
	seen := map[string]bool{}
	for _, v := range r.Values {
		if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) || seen[v.Unit] {
			return true
		}
		seen[v.Unit] = true
	}
	return false
}

// sameValues compares values as printed, before benchfmt scales them.
func sameValues(l Line, r *benchfmt.Result) bool {
	have := map[string]float64{}
	if !l.NoTime {
		have[unitTime] = l.NsPerOp
	}
	if l.BytesPerOp != nil {
		have[unitBytes] = *l.BytesPerOp
	}
	if l.AllocsPerOp != nil {
		have[unitAllocs] = *l.AllocsPerOp
	}
	for _, m := range l.Metrics {
		have[m.Unit] = m.Value
	}
	for _, v := range r.Values {
		unit, value := v.Unit, v.Value
		if v.OrigUnit != "" {
			unit, value = v.OrigUnit, v.OrigValue
		}
		if got, ok := have[unit]; !ok || got != value {
			// benchfmt leaves the original out where scaling changed nothing
			// but the unit, as for 0 ns/op.
			if zero, ok := have[strings.Replace(unit, "sec/", "ns/", 1)]; !ok || zero != value {
				return false
			}
		}
	}
	return true
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"goos: linux\nBenchmarkX-2   \t    1000\t       123 ns/op\t      16 B/op\t       1 allocs/op\nPASS\n",
		"BenchmarkX-2   \thello\n    1000\t       123 ns/op\n", "...BenchmarkX \tx 12345678\t1 ns/op\n",
		"BenchmarkX/a-1\t1\t0 ns/op\t0 MB/s\n", "Benchmark 1 2 ns/op 3 ns/op\n", "BenchmarkX\t+1\t0x1p3 ns/op\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := Parse(text)
		// What was read can be written and read again.
		for _, want := range lines {
			if !validName(want.Name) || want.Procs < 1 || want.N < 0 || strings.ContainsAny(want.Name, " \t\n") {
				t.Fatalf("impossible line %+v", want)
			}
			got := Parse([]byte(Format(want) + "\n"))
			if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
				t.Fatalf("%+v was written as %q and read as %+v", want, Format(want), got)
			}
		}
		agree(t, text)
		// A byte at a time gives the same.
		var p Parser
		for i := range text {
			p.Write(text[i : i+1])
		}
		p.Flush()
		if got := p.Lines(0); !reflect.DeepEqual(got, lines) && (len(got) > 0 || len(lines) > 0) {
			t.Fatalf("in pieces %+v, whole %+v", got, lines)
		}
	})
}
