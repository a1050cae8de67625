package run

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"whet/internal/finding"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
)

// Newcombe (Statistics in Medicine 17 (1998), table I) has for 81 of 263 by
// Wilson's method 0.2553 to 0.3662, and for 15 of 148 0.0624 to 0.1605; half of
// these widths are 5.5 and 4.9 points.
func TestSamplingErrorAgainstNewcombe(t *testing.T) {
	for _, c := range []struct {
		k, n      int64
		low, high float64
		points    string
	}{{81, 263, 0.2553, 0.3662, "5.5"}, {15, 148, 0.0624, 0.1605, "4.9"}} {
		p := Profile{Kind: "cpu", Column: "cpu", Unit: "nanoseconds", Samples: [4]int64{c.n, 9, 9, 9}, Values: [4]int64{c.n * 10e6, 1, 1, 1}}
		p.Top = []Row{{Function: "f", Flat: 10e6, Cum: c.k * 10e6}}
		pg := &Page{Profiles: []Profile{p}, Findings: []finding.Finding{{Title: "x", CPURatio: float64(c.k) / float64(c.n), CPUSamples: c.n}}}

		var doc struct {
			Profiles []struct {
				Top []struct {
					Low  *float64 `json:"cum_ratio_low"`
					High *float64 `json:"cum_ratio_high"`
				} `json:"top_flat"`
			}
		}
		if err := json.Unmarshal(jsonOf(t, pg, JSONOptions{}), &doc); err != nil {
			t.Fatal(err)
		}
		row := doc.Profiles[0].Top[0]
		if row.Low == nil || row.High == nil || math.Abs(*row.Low-c.low) > 5.1e-5 || math.Abs(*row.High-c.high) > 5.1e-5 {
			t.Errorf("%d of %d: %v to %v, want %g to %g", c.k, c.n, row.Low, row.High, c.low, c.high)
		}
		share := fmt.Sprintf("%.1f %%", 100*float64(c.k)/float64(c.n))
		out := string(text(t, pg, page.TextOptions{Tables: true}))
		for _, want := range []string{share + "  " + c.points + "  f\n", share + " ± " + c.points + " "} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in %s", want, out)
			}
		}
		doc2 := pagetest.Joined(html(t, pg))
		for _, want := range []string{`<td class="within">` + c.points + "</td>", share + " <small>± " + c.points + "</small>"} {
			if !strings.Contains(doc2, want) {
				t.Errorf("%q is not in the HTML", want)
			}
		}
	}
}

// Only counted samples have an error of sampling: others' shares have none
// that is known, which is not zero.
func TestNoSamplingError(t *testing.T) {
	for name, p := range map[string]Profile{
		"allocs":      {Kind: "allocs", Unit: "bytes", Samples: [4]int64{100}, Values: [4]int64{100}},
		"mutex":       {Kind: "mutex", Unit: "nanoseconds", Samples: [4]int64{100}, Values: [4]int64{100}},
		"no samples":  {Kind: "cpu", Unit: "nanoseconds", Values: [4]int64{100}},
		"no value":    {Kind: "cpu", Unit: "nanoseconds", Samples: [4]int64{100}},
		"damaged":     {Kind: "cpu", Unit: "nanoseconds", Samples: [4]int64{-5}, Values: [4]int64{100}},
		"more of all": {Kind: "cpu", Unit: "nanoseconds", Samples: [4]int64{10}, Values: [4]int64{40}},
	} {
		p.Top = []Row{{Function: "f", Cum: 50}}
		pg := &Page{Profiles: []Profile{p}}
		if got := p.plusMinus(50); got != "" {
			t.Errorf("%s: ± %s", name, got)
		}
		if doc := string(jsonOf(t, pg, JSONOptions{})); strings.Contains(doc, "cum_ratio_low") {
			t.Errorf("%s: %s", name, doc)
		}
		if strings.Contains(string(text(t, pg, page.TextOptions{All: true, Tables: true})), "±") != (name == "more of all") {
			t.Errorf("%s: the table has a column ±", name)
		}
	}
	// Wilson's interval for 50 of 100 is 40.4 % to 59.6 %.
	p := Profile{Kind: "allocs", Unit: "bytes", Samples: [4]int64{51200}, Values: [4]int64{100}, AllocSamples: 100}
	if got := p.plusMinus(50); got != "9.6" {
		t.Errorf("of 100 allocations that were seen: ± %s", got)
	}
	m := measures(&finding.Finding{AllocBytesRatio: 0.5, AvoidableAllocBytesRatio: 0.5, AllocSamples: 100, CPUSamplesNeeded: 200})[0]
	if m.Error != "± 9.6" || len(m.Notes) != 1 || m.Notes[0] != "of only 100 samples" {
		t.Errorf("finding: %+v", m)
	}
	for _, c := range []struct {
		ratio float64
		n     int64
	}{{0.5, 0}, {-0.1, 10}, {1.1, 10}, {math.NaN(), 10}} {
		if iv, ok := samplingError(c.ratio, c.n); ok {
			t.Errorf("%g of %d: %+v", c.ratio, c.n, iv)
		}
	}
	if iv, ok := samplingError(0.5, math.MaxInt64); !ok || points(iv) != "<0.1" {
		t.Errorf("many samples: %+v", iv)
	}
}
