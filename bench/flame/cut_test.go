package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"
)

// What is cut is what stackcollapse-go.pl reads, and holds every sample of the
// heap profile with its first two values, by google/pprof's reading.
func TestCut(t *testing.T) {
	file := filepath.Join("..", "..", "internal", "format", "profile", "testdata", "http.heap.pb.gz")
	var out bytes.Buffer
	if err := cut(&out, file); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := pprof.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	two, err := pprof.ParseData(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.SampleType) != 4 || len(whole.Sample) == 0 {
		t.Fatalf("%d values, %d samples: this tests nothing", len(whole.SampleType), len(whole.Sample))
	}
	if len(two.Sample) != len(whole.Sample) {
		t.Fatalf("%d samples of %d", len(two.Sample), len(whole.Sample))
	}
	for i, s := range two.Sample {
		w := whole.Sample[i]
		if len(s.Value) != 2 || s.Value[0] != w.Value[0] || s.Value[1] != w.Value[1] || len(s.Location) != len(w.Location) {
			t.Fatalf("sample %d is %v of %d locations, want the first two of %v, %d locations", i, s.Value, len(s.Location), w.Value, len(w.Location))
		}
	}

	// The script's own expressions, for the head of the samples and for one.
	raw := two.String()
	if !strings.Contains(raw, "\nSamples:\nsamples/count cpu/nanoseconds") {
		t.Errorf("not the head of a CPU profile's samples:\n%.300s", raw)
	}
	read := regexp.MustCompile(`(?m)^\s*([0-9]+)\s*[0-9]+: ([0-9 ]+)`).FindAllString(raw[:strings.Index(raw, "\nLocations")], -1)
	if len(read) != len(two.Sample) {
		t.Errorf("the script reads %d samples of %d", len(read), len(two.Sample))
	}
}
