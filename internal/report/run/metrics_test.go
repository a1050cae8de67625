package run

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"whet/internal/report/page"
)

// What a benchmark reports itself stands in each document, names made safe.
func TestMetricsAreShown(t *testing.T) {
	p := &Page{Benchmarks: []Benchmark{{Name: "BenchmarkX", Iterations: 3, NsPerOp: 12.5,
		Metrics: []Metric{{"widgets/op", 7}, {"%hit", 99.125}, {"MB/s", 123456}, {"<b>\x1b", 1}}}}}
	var text, site, doc bytes.Buffer
	if err := WriteText(&text, p, page.TextOptions{Width: 200, Tables: true}); err != nil {
		t.Fatal(err)
	}
	if err := WriteHTML(&site, p); err != nil {
		t.Fatal(err)
	}
	if err := WriteJSON(&doc, p, JSONOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"7 widgets/op", "99.12 %hit"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("text lacks %q:\n%s", want, text.String())
		}
		if !strings.Contains(site.String(), want) {
			t.Errorf("HTML lacks %q", want)
		}
	}
	if strings.Contains(text.String(), "\x1b") || strings.Contains(site.String(), "<b>\x1b") {
		t.Error("a unit is not made safe")
	}
	var got struct {
		Benchmarks []struct {
			Metrics []struct {
				Unit  string
				Value *float64
			}
		}
	}
	if err := json.Unmarshal(doc.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if m := got.Benchmarks[0].Metrics; len(m) != 4 || m[0].Unit != "widgets/op" || m[0].Value == nil || *m[0].Value != 7 {
		t.Errorf("JSON: %s", doc.String())
	}
}
