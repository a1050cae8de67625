package quantity

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/driver"
	"github.com/google/pprof/profile"
)

func TestPprofLabel(t *testing.T) {
	for _, c := range []struct {
		value    int64
		from, to string
		want     string
	}{
		{0, "nanoseconds", "minimum", "0"},
		{0, "bytes", "kB", "0"},
		{1, "nanoseconds", "minimum", "1ns"},
		{1500, "nanoseconds", "auto", "1.50us"},
		{28380e6, "nanoseconds", "ms", "28380ms"},
		{202880e6, "nanoseconds", "minimum", "202.88s"},
		{3600e9, "nanoseconds", "minimum", "1hrs"},
		{4, "nanoseconds", "s", "0"},       // rounds to 0.00
		{5e6, "nanoseconds", "s", "0.01s"}, // 0.005 rounds to even in binary: just above
		{-1500, "nanoseconds", "auto", "-1.50us"},
		{-4, "nanoseconds", "s", "0"},
		{1023, "bytes", "minimum", "1023B"},
		{1024, "bytes", "minimum", "1kB"},
		{1212692, "bytes", "kB", "1184.27kB"}, // 1212692/1024 = 1184.269…
		{3 << 20, "KB", "GB", "3GB"},
		{5, "bytes", "seconds", "5B"}, // a unit of another family: the base
		{5, "ms", "kB", "0.01s"},
		{12, "count", "minimum", "12"},
		{12, "count", "count", "12"},
		{12, "widgets", "widgets", "12widgets"},
		{12, "widgets", "minimum", "12"},
		{1, "μs", "ns", "1000ns"},
		{math.MinInt64, "count", "count", "-9223372036854775808"},
	} {
		if got := PprofLabel(c.value, c.from, c.to); got != c.want {
			t.Errorf("%d %s to %s: %q, want %q", c.value, c.from, c.to, got, c.want)
		}
	}
}

func TestPprofComparable(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"bytes", "kB", true}, {"Seconds", "ns", true}, {"GCU", "nanoGCU", true}, {"count", "count", true}, {"", "", true},
		{"bytes", "ns", false}, {"count", "objects", false}, {"count", "bytes", false}, {"bytes", "", false},
	} {
		if got := PprofComparable(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

func TestPprofPercent(t *testing.T) {
	for _, c := range []struct {
		value, total int64
		want         string
	}{
		{0, 0, "    0%"},
		{5, 0, "    0%"},
		{1, 1, "  100%"},
		{99949, 100000, "99.95%"},
		{99950, 100000, "  100%"},
		{100050, 100000, "  100%"},
		{2, 1, "200.00%"},
		{1, 100, " 1.00%"},
		{99, 10000, " 0.99%"},
		{1, 8789, "0.011%"},
		{-1, 4, "25.00%"},
	} {
		if got := PprofPercent(c.value, c.total); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.value, c.total, got, c.want)
		}
	}
}

func TestPprofUnit(t *testing.T) {
	for _, c := range []struct {
		smallest, total int64
		unit, want      string
	}{
		{10e6, 500e6, "nanoseconds", "ms"},
		{10e6, 28380e6, "nanoseconds", "s"},   // 10ms*100 = 1s
		{9e6, 28380e6, "nanoseconds", "ms"},   // 900ms
		{300e6, 28380e6, "nanoseconds", "ms"}, // not a hundred times as much: the smallest one's unit
		{0, 500e6, "nanoseconds", "s"},        // divided to nothing: the unit of all that has none of its own
		{512, 1 << 30, "bytes", "kB"},
		{3, 7, "count", "count"},
	} {
		if got := PprofUnit(c.smallest, c.total, c.unit); got != c.want {
			t.Errorf("%d of %d %s: %s, want %s", c.smallest, c.total, c.unit, got, c.want)
		}
	}
}

// TestPrintsWhatPprofPrints sweeps magnitudes and units through pprof itself: a
// profile of two functions, whose table shows the scaling, the unit chosen and
// the percentages.
func TestPrintsWhatPprofPrints(t *testing.T) {
	for _, unit := range []string{"nanoseconds", "ns", "microseconds", "ms", "seconds", "hours", "bytes", "B", "kb", "MBytes", "count", "objects", "nanoGCU", "GCUs", "kiloGCU"} {
		for _, small := range []int64{1, 9, 10, 999, 1000, 1023, 1024, 123456, 1e6, 36e5, 1 << 30} {
			for _, times := range []int64{1, 3, 99, 101, 5000, 1234567} {
				large := small * times
				want := pprofTop(t, unit, small, large)
				got := top(unit, small, large)
				if got != want {
					t.Errorf("%d and %d %s:\n%s\npprof:\n%s", small, large, unit, got, want)
				}
			}
		}
	}
}

// top writes the table's rows by hand.
func top(unit string, small, large int64) string {
	total := small + large
	to := PprofUnit(small, total, unit)
	row := func(v, sum int64, name string) string {
		return fmt.Sprintf("%10s %s %s %10s %s  %s\n", PprofLabel(v, unit, to), PprofPercent(v, total), PprofPercent(sum, total), PprofLabel(v, unit, to), PprofPercent(v, total), name)
	}
	return fmt.Sprintf("Showing nodes accounting for %s, 100%% of %s total\n", PprofLabel(total, unit, to), PprofLabel(total, unit, to)) +
		fmt.Sprintf("%10s %5s%% %5s%% %10s %5s%%\n", "flat", "flat", "sum", "cum", "cum") +
		row(large, large, "large") + row(small, total, "small")
}

func pprofTop(t *testing.T, unit string, small, large int64) string {
	t.Helper()
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "x", Unit: unit}}}
	for i, f := range []struct {
		name  string
		value int64
	}{{"small", small}, {"large", large}} {
		id := uint64(i + 1)
		fn := &profile.Function{ID: id, Name: f.name, SystemName: f.name}
		loc := &profile.Location{ID: id, Line: []profile.Line{{Function: fn}}}
		p.Function, p.Location = append(p.Function, fn), append(p.Location, loc)
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{loc}, Value: []int64{f.value}})
	}
	var out output
	set := &flags{FlagSet: flag.NewFlagSet("pprof", flag.ContinueOnError)}
	err := driver.PProf(&driver.Options{Flagset: set, Fetch: fetcher{p}, Writer: &out, UI: ui{}, Obj: noTools{}})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(out.String(), "Type: x\n")
}

type output struct{ bytes.Buffer }

func (o *output) Open(string) (io.WriteCloser, error) { return o, nil }
func (o *output) Close() error                        { return nil }

type fetcher struct{ p *profile.Profile }

func (f fetcher) Fetch(string, time.Duration, time.Duration) (*profile.Profile, string, error) {
	return f.p, "", nil
}

type flags struct{ *flag.FlagSet }

func (f *flags) ExtraUsage() string   { return "" }
func (f *flags) AddExtraUsage(string) {}
func (f *flags) StringList(name, def, usage string) *[]*string {
	return &[]*string{f.String(name, def, usage)}
}
func (f *flags) Parse(func()) []string {
	if err := f.FlagSet.Parse([]string{"-top", "-nodefraction=0", "-symbolize=none", "-output=out", "x"}); err != nil {
		panic(err) // the list above has a flag that pprof does not
	}
	return f.Args()
}

type ui struct{}

func (ui) ReadLine(string) (string, error)     { return "", io.EOF }
func (ui) Print(...any)                        {}
func (ui) PrintErr(...any)                     {}
func (ui) IsTerminal() bool                    { return false }
func (ui) WantBrowser() bool                   { return false }
func (ui) SetAutoComplete(func(string) string) {}

// noTools spares pprof the search for objdump and the like.
type noTools struct{}

func (noTools) Open(string, uint64, uint64, uint64, string) (driver.ObjFile, error) {
	return nil, io.EOF
}
func (noTools) Disasm(string, uint64, uint64, bool) ([]driver.Inst, error) { return nil, io.EOF }
