package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"whet/internal/report/page"
)

// Each kind of warning stands once, with how many benchmarks it is of and between
// what its figures lie.
func TestDoubtKinds(t *testing.T) {
	p := &Page{Verdict: Verdict{Text: "CPU-bound"}}
	add := func(format string, args ...any) { p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...)) }
	add("the machine was busy when measuring began (load 9.1 on 2 cores): times are too long and uneven")
	for i := range 11 {
		name := fmt.Sprintf("BenchmarkB/size=%d", i)
		p.Benchmarks = append(p.Benchmarks, Benchmark{Name: name}, Benchmark{Name: name}) // with -count
		if i < 8 {
			add("%s got %d.0 %% of a processor: the machine was busy", name, 22+(i*3)%8*27/7)
		}
		if i%2 == 0 {
			add("%s: %.2g %% of the base is the benchmark's own work", name, 6.2+float64(i))
		}
		if i > 8 {
			add("the quick pass of %s was stopped after %s", name, []string{"900 ms", "1.20 s"}[i-9])
		}
	}
	add("BenchmarkB/size=3: wait at x.go:12")
	add("BenchmarkB/size=3: wait at x.go:40")
	add("the profile holds 3 x")
	p.Benchmarks[4].Failure = "it panicked"
	want := []string{
		"the machine was busy when measuring began (load 9.1 on 2 cores): times are too long and uneven",
		"8 of 11 benchmarks got 22.0 to 49.0 % of a processor: the machine was busy",
		"6 of 11 benchmarks: 6.2 to 16 % of the base is the benchmark's own work",
		"the quick pass of BenchmarkB/size=9 was stopped after 900 ms to 1.20 s (2 of them)",
		"BenchmarkB/size=3: wait at x.go:12",
		"BenchmarkB/size=3: wait at x.go:40",
		"the profile holds 3 x",
		"BenchmarkB/size=2: failed: it panicked",
	}
	if got := doubtKinds(p.doubtful(), p.Benchmarks); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	lines := func(o page.TextOptions) (n int, said string) {
		o.Width = 120
		for l := range strings.Lines(string(text(t, p, o))) {
			if strings.HasPrefix(l, "  ! ") {
				n++
				said += l
			}
		}
		return n, said
	}
	if n, text := lines(page.TextOptions{}); n != textDoubts || !strings.Contains(text, "… 4 more kinds of warnings with -v") || !strings.Contains(text, want[1]) {
		t.Errorf("%d lines:\n%s", n, text)
	}
	if n, text := lines(page.TextOptions{Verbose: true}); n != len(p.Warnings)+1 {
		t.Errorf("-v: %d lines of %d warnings and a failure:\n%s", n, len(p.Warnings), text)
	}
}

// A warning that is too long for its line ends with a clause, or is cut.
func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		text, want string
		room       int
	}{
		{"short: enough", "short: enough", 20},
		{"it took too long: raise -budget, or choose", "it took too long …", 30},
		{"a: nothing divides this one before its end", "a: nothing divides t…", 21},
	} {
		if got := oneLine(c.text, c.room); got != c.want || page.Cells(got) > c.room {
			t.Errorf("%q in %d: %q, want %q", c.text, c.room, got, c.want)
		}
	}
}

// FuzzDoubtKinds: whatever the texts, there are no more kinds than texts, and one
// text by itself is printed unchanged.
func FuzzDoubtKinds(f *testing.F) {
	f.Add("B got 22.0 % of a processor", "C got 1e400 % of a processor", "B")
	f.Add("B: 1 s", "C: 2 ms", "C")
	f.Add("1,2,3 1.5.2 ,", "\x00 \x01", "\x01")
	f.Fuzz(func(t *testing.T, a, b, name string) {
		benchmarks := []Benchmark{{Name: name}, {Name: "B"}}
		if n := len(doubtKinds([]string{a, b}, benchmarks)); n < 1 || n > 2 {
			t.Errorf("%d kinds of two texts", n)
		}
		if got := doubtKinds([]string{a}, benchmarks); len(got) != 1 || got[0] != strings.Join(doubtKinds([]string{got[0]}, benchmarks), "") {
			t.Errorf("%q became %q", a, got)
		}
	})
}
