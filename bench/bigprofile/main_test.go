package main

import (
	"os"
	"path/filepath"
	"testing"

	google "github.com/google/pprof/profile"
)

// Two packages' profiles make one whose sums are theirs, as google/pprof reads
// them.
func TestMerged(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many proofs")
	}
	dir := t.TempDir()
	if err := compile(t.Context(), dir, "", 4096, false, []string{"errors", "unicode/utf8"}); err != nil {
		t.Fatal(err)
	}
	n, p, err := merge(dir)
	if err != nil {
		t.Fatal(err)
	}
	if n != 2 {
		t.Fatalf("%d profiles, want 2", n)
	}
	out := filepath.Join(dir, "out.pb.gz")
	if err := write(out, p); err != nil {
		t.Fatal(err)
	}
	sum := func(names ...string) (sums [4]int64) {
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			g, err := google.ParseData(data)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range g.Sample {
				for i, v := range s.Value {
					sums[i] += v
				}
			}
		}
		return sums
	}
	parts, err := filepath.Glob(filepath.Join(dir, "*.memprof"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sum(out), sum(parts...); got != want || want[1] == 0 {
		t.Errorf("the merged profile's sums are %v, want %v", got, want)
	}
	left, err := filepath.Glob(filepath.Join(dir, "out.pb.gz.*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestNothingToMerge(t *testing.T) {
	if _, _, err := merge(t.TempDir()); err == nil {
		t.Error("merged no profiles")
	}
}
