package main

import (
	"maps"
	"testing"

	"whet/internal/prove/rounds"
)

func TestReadResult(t *testing.T) {
	const head = "goos: linux\ngoarch: amd64\npkg: whet/casebook/visits/best\n"
	for _, tt := range []struct {
		text, bench string
		want        rounds.Slice
		n           int
		err         string
	}{
		{head + "BenchmarkReused-2   \t   20000\t       61.5 ns/op\t       0 B/op\t       0 allocs/op\nPASS\n", "BenchmarkReused", rounds.Slice{nsPerOp: 61.5, bytesPerOp: 0, allocsPerOp: 0}, 20000, ""},
		{head + "BenchmarkTake/4.9MB \t 3\t 2000000 ns/op\t 2450.00 MB/s\t 4900000 B/op\t 12 allocs/op\n", "BenchmarkTake/4.9MB", rounds.Slice{nsPerOp: 2e6, "MB/s": 2450, bytesPerOp: 4.9e6, allocsPerOp: 12}, 3, ""},
		{"BenchmarkX/size-2 1 5 ns/op\n", "BenchmarkX/size-2", rounds.Slice{nsPerOp: 5}, 1, ""}, // one processor
		{"BenchmarkX/size-2-16 1 5 ns/op\n", "BenchmarkX/size-2", rounds.Slice{nsPerOp: 5}, 1, ""},
		{"PASS\n", "BenchmarkX", nil, 0, "it gave no result: PASS"},
		{"BenchmarkX 1 5 ns/op\nBenchmarkX/a 1 5 ns/op\n", "BenchmarkX", nil, 0, "it gave two results: BenchmarkX and BenchmarkX/a"},
		{"BenchmarkY-2 1 5 ns/op\n", "BenchmarkX", nil, 0, "it gave the result of BenchmarkY-2"},
		{"BenchmarkX many 5 ns/op\n", "BenchmarkX", nil, 0, `its iterations are "many"`},
		{"BenchmarkX 1 fast ns/op\n", "BenchmarkX", nil, 0, `its figure of ns/op is "fast"`},
		{"BenchmarkX 1 7 B/op\n", "BenchmarkX", nil, 0, "it gave no time: BenchmarkX 1 7 B/op"},
		{"BenchmarkX 1 NaN ns/op\n", "BenchmarkX", nil, 0, "it gave no time: BenchmarkX 1 NaN ns/op"},
	} {
		got, n, err := readResult(tt.text, tt.bench)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if !maps.Equal(got, tt.want) || n != tt.n || said != tt.err {
			t.Errorf("%q: %v, %d, %q; want %v, %d, %q", tt.text, got, n, said, tt.want, tt.n, tt.err)
		}
	}
}

func TestPattern(t *testing.T) {
	if got, want := pattern("BenchmarkTake/4.9MB"), `^BenchmarkTake$/^4\.9MB$`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
