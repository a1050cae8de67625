package hdrlog

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whet/internal/hist"
)

// The rows of a .hgrm are the library's, but for the largest time, which is
// exact here.
func TestPercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistogram(t, "times")
		var b bytes.Buffer
		if err := WritePercentiles(&b, h); err != nil {
			t.Fatal(err)
		}
		theirs := byLibrary(t, h)
		var want []string
		if h.Count() > 0 {
			for _, r := range theirs.CumulativeDistributionWithTicks(ticks) {
				want = append(want, fmt.Sprintf("%12.6f %14.12f %10d", float64(min(r.ValueAt, h.Max()))/1e6, r.Quantile/100, r.Count))
			}
		}
		var got []string
		for l := range strings.Lines(b.String()) {
			if l := strings.TrimRight(l, "\n"); l != "" && !strings.HasPrefix(l, "#") && !strings.Contains(l, "Value") {
				got = append(got, l[:strings.LastIndexByte(strings.TrimRight(l, " "), ' ')])
			}
		}
		for i := range got {
			got[i] = strings.TrimRight(got[i], " ")
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !strings.Contains(b.String(), fmt.Sprintf("Total count    = %12d]", h.Count())) {
			t.Fatalf("no total of %d in\n%s", h.Count(), &b)
		}
	})
}

// Of 1, 2, 3 and 4 ms the mean is 2.5 ms and the deviation √1.25 ms; the
// buckets' middles are at most 1/256 off.
func TestPercentilesWrittenOut(t *testing.T) {
	var b bytes.Buffer
	h := histogramOf(1e6, 2e6, 3e6, 4e6)
	if err := WritePercentiles(&b, h); err != nil {
		t.Fatal(err)
	}
	// The steps to the percentiles are 10 up to 50, 5 up to 75, and so on; a bucket
	// has a row for each that it reaches.
	head := []string{
		"       Value     Percentile TotalCount 1/(1-Percentile)", "",
		"    1.003519 0.000000000000          1           1.00",
		"    1.003519 0.100000000000          1           1.11",
		"    1.003519 0.200000000000          1           1.25",
		"    2.007039 0.300000000000          2           1.43",
	}
	if got := strings.Split(b.String(), "\n"); strings.Join(got[:len(head)], "\n") != strings.Join(head, "\n") {
		t.Errorf("the head of\n%s", &b)
	}
	if !strings.Contains(b.String(), "\n    4.000000 1.000000000000          4            inf\n#[Mean") || !strings.HasSuffix(b.String(), "\n#[Buckets =           56, SubBuckets     =          256]\n") {
		t.Errorf("the end of\n%s", &b)
	}
	if !strings.Contains(b.String(), "#[Mean    =     2.500000, ") || !strings.Contains(b.String(), "#[Max     =     4.000000, Total count    =            4]") {
		t.Errorf("the foot of\n%s", &b)
	}
	if got := spread(h) / 1e6; math.Abs(got-math.Sqrt(1.25)) > 4.0/256 {
		t.Errorf("deviation %v ms", got)
	}
}

// Counts beyond what a float64 tells apart end like all others.
func TestPercentilesOfVeryMany(t *testing.T) {
	for _, n := range []int64{1 << 50, 1 << 52, 1 << 54, math.MaxInt64 - 1} {
		h := new(hist.Histogram)
		h.RecordMany(1e6, n)
		h.Record(2e6)
		var w bytes.Buffer
		if err := WritePercentiles(&w, h); err != nil {
			t.Fatal(err)
		}
		if rows := bytes.Count(w.Bytes(), []byte("\n")); rows > 1000 || !bytes.Contains(w.Bytes(), fmt.Appendf(nil, "2.000000 1.000000000000 %d ", n+1)) {
			t.Errorf("%d: %d rows, at the end %q", n, rows, w.Bytes()[max(0, w.Len()-400):])
		}
	}
}
