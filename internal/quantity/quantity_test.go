package quantity

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestPrint(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name string
		f    func(float64) string
		rows map[string][]float64
	}{
		{"Nanoseconds", Nanoseconds, map[string][]float64{
			"0":        {0, math.Copysign(0, -1)},
			"0.123 ns": {0.123}, "0.00500 ns": {0.005}, "<0.001 ns": {1e-9, 0.00099}, ">-0.001 ns": {-1e-9},
			"1.00 ns": {1, 0.9996}, "9.99 ns": {9.994}, "10.0 ns": {9.996, 10}, "999 ns": {999.4}, "1.00 µs": {999.6, 1000, 1004},
			"1.23 ms": {1.23e6, 1.2345e6}, "-1.23 ms": {-1.2345e6}, "59.0 s": {59e9}, "1.00 s": {999.9e6}, "3,600 s": {3600e9},
			"unknown": {nan}, "∞": {inf}, "-∞": {-inf}, "1.80e+299 s": {math.MaxFloat64},
		}},
		{"Bytes", Bytes, map[string][]float64{
			"0": {0}, "312 B": {312}, "1 B": {1}, "0.5 B": {0.5}, "1,000 B": {1000}, "1,023 B": {1023, 1023.4}, "1 KiB": {1024, 1023.6},
			"1.5 KiB": {1536}, "-1.5 KiB": {-1536}, "1,023 KiB": {1023 << 10}, "1 MiB": {1<<20 - 1, 1 << 20}, "4.5 GiB": {4.5 * (1 << 30)},
			"8 EiB": {math.MaxInt64}, "unknown": {nan}, "∞": {inf},
		}},
		{"Count", Count, map[string][]float64{
			"0": {0}, "1": {1}, "999": {999}, "1,234": {1234}, "-1,234": {-1234}, "123,456": {123456}, "999,999": {999999},
			"1.00 M": {1e6, 999999.9}, "1.23 M": {1234567}, "-1.23 M": {-1234567}, "1.00 G": {999.9e6}, "2.5": {2.5}, "0.125": {0.125},
			"1,235": {1234.6}, "<0.001": {1e-12}, "18.4 E": {math.MaxUint64}, "unknown": {nan},
		}},
		{"Percent", Percent, map[string][]float64{
			"0 %": {0}, "<0.1 %": {1e-300, 0.00099}, ">-0.1 %": {-1e-6}, "0.1 %": {0.001}, "12.3 %": {0.123, 0.12345}, "-12.3 %": {-0.123},
			"99.9 %": {0.9994}, ">99.9 %": {0.9996, 0.999999}, "<-99.9 %": {-0.9996}, "100.0 %": {1, 1 - 1e-12}, "1,234.5 %": {12.345},
			"unknown": {nan}, "∞": {inf},
		}},
		{"Ratio", Ratio, map[string][]float64{
			"0x": {0}, "9.21x": {9.21, 9.2149}, "1.00x": {1, 0.9999}, "0.456x": {0.456}, "12.3x": {12.34}, "1,234x": {1234}, "1,000,000x": {1e6},
			"<0.001x": {0.0001}, "unknown": {nan}, "∞": {inf},
		}},
	} {
		for want, values := range c.rows {
			for _, v := range values {
				if got := c.f(v); got != want {
					t.Errorf("%s(%v) = %q, want %q", c.name, v, got, want)
				}
			}
		}
	}
}

func TestValue(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{1.5e6, "nanoseconds", "1.50 ms"}, {1.5, "milliseconds", "1.50 ms"}, {1.5, "seconds", "1.50 s"}, {1500, "microseconds", "1.50 ms"},
		{1536, "bytes", "1.5 KiB"}, {1536, "count", "1,536"}, {1536, "", "1,536"}, {3, "goats", "3 goats"},
	} {
		if got := Value(c.v, c.unit); got != c.want {
			t.Errorf("Value(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

// number reads what the functions above print back into base units. It knows
// nothing of how they print: it is the second implementation of the units.
func number(t *testing.T, s string) float64 {
	t.Helper()
	s = strings.ReplaceAll(s, ",", "")
	digits, unit, _ := strings.Cut(s, " ")
	digits = strings.TrimSuffix(digits, "x")
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		t.Fatalf("cannot read %q back: %v", s, err)
	}
	factor, ok := map[string]float64{
		"": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": math.Exp2(10), "MiB": math.Exp2(20), "GiB": math.Exp2(30),
		"TiB": math.Exp2(40), "PiB": math.Exp2(50), "EiB": math.Exp2(60), "%": 0.01, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
	}[unit]
	if !ok {
		t.Fatalf("%q has a unit nobody knows", s)
	}
	return v * factor
}

// What is printed is within half a unit of the third digit of what was
// measured, and a larger value never prints as a smaller one.
func TestPrintedIsClose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, f := range map[string]func(float64) string{"Nanoseconds": Nanoseconds, "Bytes": Bytes, "Count": Count, "Ratio": Ratio, "Percent": Percent} {
		last, lastShown := 0.0, 0.0
		for v := 0.002; v < 1e18; v *= 1 + 0.02*rng.Float64() {
			if name == "Percent" && v > 0.9995 && v < 1 {
				continue
			}
			shown := number(t, f(v))
			tolerance := 0.005*v + 1e-12
			if name == "Percent" {
				tolerance = max(0.005*v, 0.0005) * 1.0001
			}
			if math.Abs(shown-v) > tolerance*1.0001 {
				t.Fatalf("%s(%v) = %q", name, v, f(v))
			}
			if shown < lastShown {
				t.Fatalf("%s(%v) = %q, but the smaller %v prints as %q", name, v, f(v), last, f(last))
			}
			if neg := f(-v); neg != "-"+f(v) {
				t.Fatalf("%s(%v) = %q, of its negative %q", name, v, f(v), neg)
			}
			last, lastShown = v, shown
		}
	}
}

func TestParseBytes(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "4096": 4096, " 1.5 KiB ": 1536, "1.5KiB": 1536, "10MB": 10_000_000, "10kB": 10_000, "10KB": 10_000, "1,023 KiB": 1023 << 10,
		".5 KiB": 512, "5. B": 5, "9223372036854775807": math.MaxInt64, "9007199254740993 B": 9007199254740993, "0.1 GiB": 107374182,
		"7.999 EiB": 9222219115350168961, // 7.999 · 2⁶⁰ = 1152777389418771120128/125 = …961.024
		"1,234,567": 1234567,
	} {
		if got, err := ParseBytes(s); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v, want %d", s, got, err, want)
		}
	}
	for s, why := range map[string]string{
		"": "not a number", "KiB": "not a number", ".": "not a number", "1.2.3": "not a number", "1,5": "not a number", ",500": "not a number", "1.5,000": "not a number",
		"-1": "negative", "10K": "no unit", "10 kib": "no unit", "1e3": "no unit", "+5": "no unit", "8 EiB": "more than", "9223372036854775808": "more than", "NaN": "no unit",
		strings.Repeat("9", 100): "too long",
	} {
		if got, err := ParseBytes(s); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("ParseBytes(%q) = %d, %v, want an error with %q", s, got, err, why)
		}
	}
}

// A size that parses prints as a size within half a unit of its third digit,
// and whole bytes survive printing in full.
func FuzzParseBytes(f *testing.F) {
	for _, s := range []string{"1.5 KiB", "4096", "10MB", "1,023 KiB", "8 EiB", "-1", "1e9", ".5KiB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseBytes(s)
		if err != nil {
			if n != 0 {
				t.Fatalf("ParseBytes(%q) = %d with an error", s, n)
			}
			return
		}
		if n < 0 {
			t.Fatalf("ParseBytes(%q) = %d", s, n)
		}
		if again, err := ParseBytes(strconv.FormatInt(n, 10)); err != nil || again != n {
			t.Fatalf("ParseBytes(%d) = %d, %v", n, again, err)
		}
		if n > 1<<62 {
			return // may print as 8 EiB, which is one byte too many
		}
		if again, err := ParseBytes(Bytes(float64(n))); err != nil || math.Abs(float64(again-n)) > 0.005*float64(n)+0.5 {
			t.Fatalf("%d prints as %q, which reads as %d, %v", n, Bytes(float64(n)), again, err)
		}
	})
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 cores", 1: "1 core", 2: "2 cores", 12345: "12,345 cores"} {
		if got := Plural(n, "core"); got != want {
			t.Errorf("Plural(%d) = %q, want %q", n, got, want)
		}
	}
}
