package tables

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// compareTexts compares texts as if they stood in files a, b, c….
func compareTexts(o Options, files ...string) (*Result, error) {
	c, err := NewCollector(o)
	if err != nil {
		return nil, err
	}
	for i, text := range files {
		name := string(rune('a' + i))
		if err := c.Add(Operand{name, name}, strings.NewReader(text)); err != nil {
			return nil, err
		}
	}
	return c.Result()
}

func mustCompare(t *testing.T, o Options, files ...string) *Result {
	t.Helper()
	r, err := compareTexts(o, files...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lines of one benchmark.
func results(name, unit string, values ...float64) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, "Benchmark%s 1 %v %s\n", name, v, unit)
	}
	return b.String()
}

func alone() Options {
	o := DefaultOptions()
	o.Adjust = Single
	return o
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b)) }

// The U-test against its definition: the share of all ways to divide the
// values between the samples whose rank sum is at least as far from the middle.
// Also where benchmath's is another: see needsRankSum.
func TestPIsTheShareOfDivisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n1, n2 := rapid.IntRange(1, 5).Draw(t, "n1"), rapid.IntRange(1, 5).Draw(t, "n2")
		// Few different values make ties, many none.
		values := rapid.SliceOfN(rapid.IntRange(1, 4*rapid.SampledFrom([]int{1, 100}).Draw(t, "spread")), n1+n2, n1+n2).Draw(t, "values")
		floats := make([]float64, len(values))
		for i, v := range values {
			floats[i] = float64(v)
		}
		r, err := compareTexts(alone(), results("X", "u", floats[:n1]...), results("X", "u", floats[n1:]...))
		if err != nil {
			t.Fatal(err)
		}
		got := r.Tables[0].Rows[0].Cells[1].Comparison
		// U counts the pairs in which the first sample is above, ties as a half;
		// doubled, it is whole.
		u := func(set uint) int {
			sum := 0
			for i, a := range values {
				for j, b := range values {
					if set>>i&1 == 1 && set>>j&1 == 0 {
						sum += map[bool]int{true: 2}[a > b] + map[bool]int{true: 1}[a == b]
					}
				}
			}
			return sum
		}
		far := func(set uint) int { d := u(set) - n1*n2; return max(d, -d) }
		least, extreme, all := far(1<<n1-1), 0, 0
		for set := range uint(1) << len(values) {
			if bits.OnesCount(set) == n1 {
				all++
				if far(set) >= least {
					extreme++
				}
			}
		}
		if want := float64(extreme) / float64(all); !near(got.P, want) {
			t.Fatalf("%v against %v: p = %v, of %d divisions %d are as extreme: %v", values[:n1], values[n1:], got.P, all, extreme, want)
		}
	})
}

// The interval of a median of 10 at 95 %: from the 2nd to the 9th value, which
// covers it unless at most 1 or at least 9 of 10 tosses are heads:
// 1 − 2·(1+10)/1024.
func TestMedianInterval(t *testing.T) {
	r := mustCompare(t, alone(), results("X", "u", 10, 20, 30, 40, 50, 60, 70, 80, 90, 100))
	s := r.Tables[0].Rows[0].Cells[0].Summary
	if s.Center != 55 || s.Lo != 20 || s.Hi != 90 || !near(s.Confidence, 1-22.0/1024) {
		t.Errorf("%+v", s)
	}
}

// p of the smallest samples that can tell, from tables of the U-test
// (2/C(2n,n)), and of samples of different sizes: 2/C(7,3) = 2/35.
func TestSmallestP(t *testing.T) {
	for _, tt := range []struct {
		n1, n2 int
		want   float64
	}{{1, 1, 1}, {2, 2, 1.0 / 3}, {3, 3, 0.1}, {4, 4, 1.0 / 35}, {5, 5, 1.0 / 126}, {9, 9, 1.0 / 24310}, {3, 4, 2.0 / 35}, {4, 3, 2.0 / 35}, {1, 19, 0.1}} {
		if got := smallest(tt.n1, tt.n2); !near(got, tt.want) {
			t.Errorf("smallest(%d, %d) = %v, want %v", tt.n1, tt.n2, got, tt.want)
		}
	}
	for alpha, want := range map[float64]string{0.05: ">= 4", 0.05 / 2: ">= 5", 0.05 / 30: ">= 7", 0: "> 50"} {
		if got := needed(alpha); got != want {
			t.Errorf("needed(%v) = %s, want %s", alpha, got, want)
		}
	}
}

// Three comparisons of four against four runs. Sorted, the raw p-values are
// 2/70 (every run below), 4/70 (one exchange) and 1 (interleaved so that the
// rank sums agree); times 3, 2 and 1 they are 6/70, 8/70 and 1.
func TestHolmDecides(t *testing.T) {
	old := results("A", "u", 1, 2, 3, 4) + results("B", "u", 1, 2, 3, 5) + results("C", "u", 1, 4, 6, 7)
	new := results("A", "u", 5, 6, 7, 8) + results("B", "u", 4, 6, 7, 8) + results("C", "u", 2, 3, 5, 8)
	// Equal values and single runs cannot differ and cost nothing.
	old += results("D", "u", 9, 9, 9, 9) + results("E", "u", 1)
	new += results("D", "u", 9, 9, 9, 9) + results("E", "u", 2)
	o := DefaultOptions()
	o.Alpha = 0.1
	r := mustCompare(t, o, old, new)
	if r.Comparisons != 3 || r.Constant != 2 {
		t.Fatalf("%d comparisons, %d constant", r.Comparisons, r.Constant)
	}
	want := []struct {
		p, holm float64
		verdict Verdict
	}{{2.0 / 70, 6.0 / 70, Different}, {4.0 / 70, 8.0 / 70, Undecided}, {1, 1, Undecided}}
	for i, w := range want {
		c := r.Tables[0].Rows[i].Cells[1].Comparison
		if !near(c.P, w.p) || !near(c.PHolm, w.holm) || c.Test.P != c.PHolm || c.Verdict != w.verdict {
			t.Errorf("%s: p %v, adjusted %v, decides %v, %s; want %v, %v, %s", r.Tables[0].Rows[i].Name, c.P, c.PHolm, c.Test.P, c.Verdict, w.p, w.holm, w.verdict)
		}
	}
	o.Adjust = Single
	r = mustCompare(t, o, old, new)
	for i, w := range want {
		c := r.Tables[0].Rows[i].Cells[1].Comparison
		if !near(c.Test.P, w.p) || !near(c.PHolm, w.holm) || (c.Verdict == Different) != (i < 2) {
			t.Errorf("alone: %+v, want p %v", c, w.p)
		}
	}
}

// The family is the run, not the table: two units, three columns.
func TestFamilyIsTheRun(t *testing.T) {
	file := func(low float64) string {
		return results("A", "u", low, low+1, low+2, low+3) + results("A", "v", low, low+1, low+2, low+3)
	}
	r := mustCompare(t, DefaultOptions(), file(1), file(11), file(21))
	if r.Comparisons != 4 || len(r.Tables) != 2 {
		t.Fatalf("%d comparisons in %d tables", r.Comparisons, len(r.Tables))
	}
	for _, table := range r.Tables {
		for _, cell := range table.Rows[0].Cells[1:] {
			if c := cell.Comparison; !near(c.Test.P, 4*2.0/70) || !slices.Equal(c.Warnings, []string{"need >= 5 samples to detect a difference at alpha level 0.05 among 4 comparisons"}) {
				t.Errorf("%s: %+v", table.Unit, c)
			}
		}
	}
}

func TestVerdicts(t *testing.T) {
	low, high := []float64{100, 101, 102, 103}, []float64{110, 111, 112, 113}
	for _, tt := range []struct {
		name, head, unit string
		old, new         []float64
		margin           float64
		verdict          Verdict
		within           bool
	}{
		{"time up", "", "ns/op", low, high, 0, Worse, false},
		{"time down", "", "ns/op", high, low, 0, Better, false},
		{"rate up", "", "MB/s", low, high, 0, Better, false},
		{"rate down", "", "MB/s", high, low, 0, Worse, false},
		{"allocations up", "", "allocs/op", low, high, 0, Worse, false},
		{"nobody knows", "", "frobs", low, high, 0, Different, false},
		{"its name tells: a rate", "", "frobs/sec", low, high, 0, Better, false},
		{"its name tells: a share", "", "%hit", high, low, 0, Worse, false},
		{"its name tells: a time", "", "p99-ns", low, high, 0, Worse, false},
		{"declared against its name", "Unit frobs/sec better=lower\n", "frobs/sec", low, high, 0, Worse, false},
		{"declared", "Unit frobs better=higher\n", "frobs", low, high, 0, Better, false},
		{"declared against the rule", "Unit ns/op better=higher\n", "ns/op", low, high, 0, Better, false},
		{"same", "", "ns/op", low, low, 0, Undecided, false},
		// The medians are 101.5 and 111.5: 9.85 % apart.
		{"below the margin", "", "ns/op", low, high, 0.099, Worse, true},
		{"at the margin", "", "ns/op", low, high, 0.098, Worse, false},
		{"exact up", "Unit bytes assume=exact better=lower\n", "bytes", []float64{7}, []float64{8}, 0, Worse, false},
		{"exact same", "Unit bytes assume=exact better=lower\n", "bytes", []float64{7}, []float64{7}, 0.5, Equal, false},
		{"exact from zero", "Unit bytes assume=exact better=lower\n", "bytes", []float64{0}, []float64{1}, 0.5, Worse, false},
		{"below zero", "Unit debt better=higher\n", "debt", []float64{-9, -8, -7, -6}, []float64{-5, -4, -3, -2}, 0, Better, false},
	} {
		o := DefaultOptions()
		o.Margin = tt.margin
		r := mustCompare(t, o, tt.head+results("X", tt.unit, tt.old...), results("X", tt.unit, tt.new...))
		if c := r.Tables[0].Rows[0].Cells[1].Comparison; c.Verdict != tt.verdict || c.Within != tt.within {
			t.Errorf("%s: %s, within %v; want %s, %v", tt.name, c.Verdict, c.Within, tt.verdict, tt.within)
		}
	}
}

func TestGate(t *testing.T) {
	low, high := []float64{100, 101, 102, 103}, []float64{110, 111, 112, 113}
	for _, tt := range []struct {
		name, old, new string
		least, margin  float64
		slower         int
		checked        int
	}{
		{"slower", results("X", "ns/op", low...), results("X", "ns/op", high...), 0, 0, 1, 1},
		{"slower by less", results("X", "ns/op", low...), results("X", "ns/op", high...), 0.099, 0, 0, 1},
		{"slower by enough", results("X", "ns/op", low...), results("X", "ns/op", high...), 0.098, 0, 1, 1},
		{"within the margin", results("X", "ns/op", low...), results("X", "ns/op", high...), 0, 0.2, 0, 1},
		{"faster", results("X", "ns/op", high...), results("X", "ns/op", low...), 0, 0, 0, 1},
		{"more allocations", results("X", "allocs/op", low...), results("X", "allocs/op", high...), 0, 0, 1, 1},
		{"constant allocations", results("X", "allocs/op", 5, 5, 5, 5), results("X", "allocs/op", 5, 5, 5, 5), 0, 0, 0, 1},
		{"more bytes", results("X", "B/op", low...), results("X", "B/op", high...), 0, 0, 0, 0},
		{"more bytes, declared", "Unit B/op better=lower\n" + results("X", "B/op", low...), results("X", "B/op", high...), 0, 0, 1, 1},
		{"a rate says what the time does", results("X", "MB/s", high...), results("X", "MB/s", low...), 0, 0, 0, 0},
		{"too few to tell", results("X", "ns/op", 1, 2, 3), results("X", "ns/op", 4, 5, 6), 0, 0, 0, 0},
		{"from zero", "Unit n assume=exact better=lower\n" + results("X", "n", 0), results("X", "n", 1), 0.5, 0, 1, 1},
		{"other benchmarks", results("X", "ns/op", low...), results("Y", "ns/op", high...), 0, 0, 0, 0},
	} {
		o := DefaultOptions()
		o.Margin = tt.margin
		slower, checked := mustCompare(t, o, tt.old, tt.new).Gate(tt.least)
		if len(slower) != tt.slower || checked != tt.checked {
			t.Errorf("%s: %d slower of %d, want %d of %d", tt.name, len(slower), checked, tt.slower, tt.checked)
		}
	}
	// Where Holm asks for more runs than there are, nothing is checked.
	var old, new string
	for i := range 10 {
		old += results(fmt.Sprint("X", i), "ns/op", 1, 2, 3, 4)
		new += results(fmt.Sprint("X", i), "ns/op", 5, 6, 7, 8)
	}
	if slower, checked := mustCompare(t, DefaultOptions(), old, new).Gate(0); len(slower) != 0 || checked != 0 {
		t.Errorf("ten at once: %d of %d", len(slower), checked)
	}
	if slower, checked := mustCompare(t, alone(), old, new).Gate(0); len(slower) != 10 || checked != 10 {
		t.Errorf("each alone: %d of %d", len(slower), checked)
	}
}

func TestSort(t *testing.T) {
	old := results("Same", "MB/s", 1, 2, 3, 4) + results("Down", "MB/s", 20, 21, 22, 23) + results("Up", "MB/s", 10, 11, 12, 13) + results("Gone", "MB/s", 1) + results("Doubled", "MB/s", 10, 11, 12, 13)
	new := results("Same", "MB/s", 1, 2, 3, 4) + results("Down", "MB/s", 10, 11, 12, 13) + results("Up", "MB/s", 14, 15, 16, 17) + results("Doubled", "MB/s", 20, 21, 22, 23)
	for order, want := range map[string]string{
		"none": "Same Down Up Gone Doubled", "-none": "Doubled Gone Up Down Same",
		"name": "Doubled Down Gone Same Up", "-name": "Up Same Gone Down Doubled",
		"delta": "Down Same Gone Up Doubled", "-delta": "Doubled Up Same Gone Down",
	} {
		o := alone()
		o.SetSort(order)
		var names []string
		for _, row := range mustCompare(t, o, old, new).Tables[0].Rows {
			names = append(names, row.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", order, got, want)
		}
	}
	// Less time is better.
	o := alone()
	o.SetSort("delta")
	r := mustCompare(t, o, results("Faster", "ns/op", 5, 6, 7, 8)+results("Slower", "ns/op", 1, 2, 3, 4), results("Faster", "ns/op", 1, 2, 3, 4)+results("Slower", "ns/op", 5, 6, 7, 8))
	if r.Tables[0].Rows[0].Name != "Slower" {
		t.Errorf("first is %s", r.Tables[0].Rows[0].Name)
	}
}

// Two benchmarks, 2→4 and 8→4: means 4 and 4, ratios 2 and 1/2 whose mean is 1.
// With a third on the new side the means are no longer of the same things.
func TestGeomean(t *testing.T) {
	old, new := results("A", "u", 2)+results("B", "u", 8), results("A", "u", 4)+results("B", "u", 4)
	g := mustCompare(t, alone(), old, new).Tables[0].Geomean
	if !near(g[0].Value, 4) || g[0].RatioKnown || !near(g[1].Value, 4) || !near(g[1].Ratio, 1) || g[1].Warnings != nil {
		t.Errorf("%+v", g)
	}
	g = mustCompare(t, alone(), old+results("C", "u", 1), new).Tables[0].Geomean
	if !near(g[0].Value, math.Cbrt(16)) || !near(g[1].Value, 4) || !near(g[1].Ratio, 1) || len(g[1].Warnings) != 1 {
		t.Errorf("%+v", g)
	}
	// Zero to zero is no change; from zero there is no ratio; of zero no mean.
	g = mustCompare(t, alone(), results("A", "u", 0), results("A", "u", 0)).Tables[0].Geomean
	if g[0].Known || g[1].Known || !g[1].RatioKnown || g[1].Ratio != 1 {
		t.Errorf("%+v", g)
	}
	g = mustCompare(t, alone(), results("A", "u", 0), results("A", "u", 1)).Tables[0].Geomean
	if g[1].RatioKnown || !g[1].Known {
		t.Errorf("%+v", g)
	}
}

func TestProjections(t *testing.T) {
	text := "goos: linux\npkg: a\nBenchmarkX/k=1/f=json-8 1 5 ns/op 7 B/op\nBenchmarkX/k=2/f=gob-8 1 6 ns/op\nBenchmarkX/k=10/f=json-8 1 7 ns/op\npkg: b\nBenchmarkX/k=1/f=json-8 1 8 ns/op\n"
	for _, tt := range []struct {
		change func(*Options)
		want   string // tables: unit config; columns; rows with the number of values in each cell
	}{
		{func(*Options) {}, "sec/op goos=linux pkg=a [a] X/k=1/f=json-8:1 X/k=2/f=gob-8:1 X/k=10/f=json-8:1; B/op goos=linux pkg=a [a] X/k=1/f=json-8:1; sec/op goos=linux pkg=b [a] X/k=1/f=json-8:1"},
		{func(o *Options) { o.Filter, o.Col, o.Row = ".unit:ns/op", "/f", ".name" }, "sec/op goos=linux pkg=a [json gob] X:2,1; sec/op goos=linux pkg=b [json] X:1"},
		{func(o *Options) { o.Filter, o.Table, o.Col, o.Row = ".unit:ns/op", "goos", "/f@(gob json)", ".name" }, "sec/op goos=linux [gob json] X:1,3"},
		{func(o *Options) { o.Filter, o.Col, o.Row, o.Ignore = ".unit:sec/op -/k:/1/", "pkg", "/k@num", "/f" }, "sec/op goos=linux [a] 2:1"},
		{func(o *Options) { o.Filter, o.Col, o.Row = ".unit:sec/op", "pkg", "/k@num" }, "sec/op goos=linux [a b] 1:1,1 2:1,- 10:1,-"},
		{func(o *Options) { o.Filter, o.Col, o.Row = ".unit:sec/op", "pkg", "/k@alpha" }, "sec/op goos=linux [a b] 1:1,1 10:1,- 2:1,-"},
	} {
		o := DefaultOptions()
		tt.change(&o)
		r := mustCompare(t, o, text)
		var got []string
		for _, table := range r.Tables {
			s := table.Unit
			for _, c := range table.Config {
				s += " " + c.Key + "=" + c.Value
			}
			var cols []string
			for _, c := range table.Columns {
				cols = append(cols, strings.Join(c.Values, "+"))
			}
			s += fmt.Sprint(" ", cols)
			for _, row := range table.Rows {
				var cells []string
				for _, cell := range row.Cells {
					if cell == nil {
						cells = append(cells, "-")
					} else {
						cells = append(cells, fmt.Sprint(len(cell.Values)))
					}
				}
				s += " " + row.Name + ":" + strings.Join(cells, ",")
			}
			got = append(got, s)
		}
		if s := strings.Join(got, "; "); s != tt.want {
			t.Errorf("%+v\n got %s\nwant %s", o, s, tt.want)
		}
	}
}

// Files that fall into different tables compare nothing, and say why.
func TestApart(t *testing.T) {
	x := "BenchmarkX 1 5 ns/op\n"
	for _, tt := range []struct {
		old, new, ignore, want string
	}{
		{"cpu: a\n" + x, "cpu: b\n" + x, "", "nothing is compared: the columns are in separate tables, which differ in cpu; -ignore cpu merges them"},
		{"cpu: a\npkg: p\n" + x, "cpu: b\npkg: q\n" + x, "", "nothing is compared: the columns are in separate tables, which differ in cpu, pkg; -ignore cpu,pkg merges them"},
		{"cpu: a\n" + x, "cpu: b\n" + x, "cpu", ""},
		{"cpu: a\n" + x, "cpu: a\n" + x, "", ""},
		{"cpu: a\n" + x, "cpu: a\n" + x + "cpu: b\n" + x, "", ""},
		{x, "BenchmarkX 1 5 B/op\n", "", "nothing is compared: no unit is in two columns"},
	} {
		o := DefaultOptions()
		o.Ignore = tt.ignore
		if got := strings.Join(mustCompare(t, o, tt.old, tt.new).Warnings, "; "); got != tt.want {
			t.Errorf("%q and %q: %q, want %q", tt.old, tt.new, got, tt.want)
		}
	}
	if r := mustCompare(t, DefaultOptions(), "cpu: a\n"+x+"cpu: b\n"+x); r.Warnings != nil {
		t.Errorf("one file: %q", r.Warnings)
	}
}

func TestBadOptions(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"-alpha":      func(o *Options) { o.Alpha = 1.1 },
		"-alpha is N": func(o *Options) { o.Alpha = math.NaN() },
		"-confidence": func(o *Options) { o.Confidence = -0.1 },
		"-margin":     func(o *Options) { o.Margin = 1 },
		"-adjust":     func(o *Options) { o.Adjust = "bonferroni" },
		"-sort":       func(o *Options) { o.SetSort("--delta") },
		"-filter":     func(o *Options) { o.Filter = "goos" },
		"-table":      func(o *Options) { o.Table = "a,,b" },
		"-row":        func(o *Options) { o.Row = ".unit" },
		"-col":        func(o *Options) { o.Col = "/k@sideways" },
		"-ignore":     func(o *Options) { o.Ignore = "@" },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := NewCollector(o); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("want an error that begins with %s, got %v", want, err)
		}
	}
	o := DefaultOptions()
	o.Filter = ".name:Y"
	if _, err := compareTexts(o, results("X", "ns/op", 1)); err == nil || !strings.Contains(err.Error(), ".name:Y") {
		t.Errorf("nothing passes the filter: %v", err)
	}
}
