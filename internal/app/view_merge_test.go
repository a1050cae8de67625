package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"
)

// TestMergeWritesWhatIsSelected compares the three formats with what go tool
// pprof -proto leaves of a profile. Sample by sample, with all options, the
// selection's tests compare.
func TestMergeWritesWhatIsSelected(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	for _, c := range []struct{ fixture, options string }{
		{"httpsrv_labels.cpu.pb.gz", "-focus=json -ignore=Marshal$ -hide=^runtime -tagfocus=endpoint=/api/1"},
		{"http.heap.pb.gz", "-noinlines -tagroot=bytes -divide_by=3 -prune_from=mallocgc|makeslice -sample_index=alloc_space"},
	} {
		path, err := filepath.Abs(filepath.Join("../format/profile/testdata", c.fixture))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		theirs := filepath.Join(dir, "theirs.pb.gz")
		pprof := exec.Command("go", append(append([]string{"tool", "pprof", "-symbolize=none", "-proto", "-output=" + theirs}, strings.Fields(c.options)...), path)...)
		pprof.Env = append(pprof.Environ(), "HOME="+dir, "PPROF_TMPDIR="+dir, "GOCACHE="+goCache(t))
		if out, err := pprof.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		ours := filepath.Join(dir, "ours.pb.gz")
		want, got := foldedOf(t, theirs), map[string]int64{}
		if len(want) < 10 {
			t.Fatalf("%s leaves %d stacks", c.options, len(want))
		}
		for _, format := range []string{"pprof", "folded", "speedscope"} {
			args := append([]string{"merge", "-symbolize=none", "-o", ours, "-format", format}, strings.Fields(c.options)...)
			if _, errs, code := whet(t, "", append(args, path)...); code != 0 || errs != "" {
				t.Fatalf("%s: exit code %d: %s", args, code, errs)
			}
			switch format {
			case "pprof":
				got = foldedOf(t, ours)
			case "folded":
				got = foldedIn(t, ours)
			case "speedscope":
				got = foldedOfSpeedscope(t, ours, slices.Contains(strings.Fields(c.options), "-sample_index=alloc_space"))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s of %s, %s (-pprof +whet):\n%.2000s", format, c.fixture, c.options, diff)
			}
		}
	}
}

// shownColumn returns what the options of the test show.
func shownColumn(p *google.Profile) int {
	if i := slices.IndexFunc(p.SampleType, func(v *google.ValueType) bool { return v.Type == "alloc_space" }); i >= 0 {
		return i
	}
	return len(p.SampleType) - 1
}

// foldedOf adds up the stacks of a file of pprof.
func foldedOf(t *testing.T, path string) map[string]int64 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := google.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	sums := make(map[string]int64)
	for _, s := range p.Sample {
		var frames []string
		for _, l := range s.Location {
			for _, line := range l.Line {
				frames = append(frames, strings.ReplaceAll(line.Function.Name, ";", ":"))
			}
		}
		slices.Reverse(frames)
		if v := s.Value[shownColumn(p)]; v != 0 {
			sums[strings.Join(frames, ";")] += v
		}
	}
	return sums
}

func foldedIn(t *testing.T, path string) map[string]int64 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sums := make(map[string]int64)
	for line := range bytes.Lines(data) {
		at := bytes.LastIndexByte(line, ' ')
		var v int64
		if _, err := fmt.Sscan(string(line[at+1:]), &v); err != nil {
			t.Fatal(err)
		}
		sums[string(line[:at])] += v
	}
	return sums
}

func foldedOfSpeedscope(t *testing.T, path string, allocs bool) map[string]int64 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Shared   struct{ Frames []struct{ Name string } }
		Profiles []struct {
			Name    string
			Samples [][]int
			Weights []int64
		}
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	shown := d.Profiles[len(d.Profiles)-1]
	for _, p := range d.Profiles {
		if allocs && p.Name == "alloc_space" {
			shown = p
		}
	}
	sums := make(map[string]int64)
	for i, s := range shown.Samples {
		var frames []string
		for _, f := range s {
			frames = append(frames, strings.ReplaceAll(d.Shared.Frames[f].Name, ";", ":"))
		}
		sums[strings.Join(frames, ";")] += shown.Weights[i]
	}
	return sums
}
