package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whet/internal/cli"
	"whet/internal/recording"
)

// recordingOf makes a recording of fixtures, by kind.
func recordingOf(t *testing.T, kinds ...[2]string) string {
	t.Helper()
	w, err := recording.Create(filepath.Join(t.TempDir(), "r.whet"), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		data, err := os.ReadFile(filepath.Join("../format/profile/testdata", k[1]))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(recording.Artifact{Path: "profiles/" + k[0] + ".pb.gz", Kind: k[0]}, data); err != nil {
			t.Fatal(err)
		}
	}
	path, err := w.Finish(time.Second, "")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDiffOfRecordings: every kind that both hold is compared, with the others
// nothing.
func TestDiffOfRecordings(t *testing.T) {
	before := recordingOf(t, [2]string{"allocs", "http.allocs.pb.gz"}, [2]string{"cpu", "httpsrv_labels.cpu.pb.gz"}, [2]string{"mutex", "http.mutex.pb.gz"})
	after := recordingOf(t, [2]string{"block", "http.block.pb.gz"}, [2]string{"allocs", "http.heap.pb.gz"}, [2]string{"cpu", "compile_stdcmd_merged.cpu.pb.gz"})
	var d struct {
		Before, After string
		Profiles      []struct {
			Kind    string
			Samples string `json:"sample_type"`
			Before  int64  `json:"before_total_ns"`
			After   int64  `json:"after_total_ns"`
		}
	}
	out, errs, code := whet(t, "", "diff", "-json", before, after)
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != cli.ExitDone {
		t.Fatalf("exit code %d, %v, %s", code, err, errs)
	}
	if d.Before != before || d.After != after || len(d.Profiles) != 2 || d.Profiles[0].Kind != "cpu" || d.Profiles[1].Kind != "allocs" {
		t.Errorf("compared: %+v", d)
	}
	// The totals that pprof prints of these fixtures.
	if p := d.Profiles[0]; p.Before != 28_380_000_000 || p.After != 87_890_000_000 {
		t.Errorf("CPU time before and after: %+v", p)
	}
	out, errs, code = whet(t, "", "diff", "-kind", "allocs", before, after)
	if code != cli.ExitDone || strings.Contains(out, "Type: cpu") || !strings.Contains(out, "Type: alloc_space") {
		t.Errorf("-kind allocs: exit code %d, %s%s", code, out, errs)
	}
	if out, errs, code = whet(t, "", "diff", before, before); code != cli.ExitDone || strings.Count(out, ": nothing changed\n") != 3 || strings.Contains(out, "Type:") {
		t.Errorf("with itself: exit code %d, %s%s", code, out, errs)
	}
	// A recording's CPU profile can be compared with a file.
	if out, errs, code = whet(t, "", "diff", before, "../format/profile/testdata/httpsrv_labels.cpu.pb.gz"); code != cli.ExitDone || !strings.Contains(out, "Nothing changed.") {
		t.Errorf("with a file: exit code %d, %s%s", code, out, errs)
	}
	other := recordingOf(t, [2]string{"block", "http.block.pb.gz"})
	if _, errs, code := whet(t, "", "diff", before, other); code != cli.ExitUsage || !strings.Contains(errs, "no profiles of the same kind") {
		t.Errorf("nothing in common: exit code %d, %s", code, errs)
	}
	if _, errs, code := whet(t, "", "diff", "-kind", "wall", before, after); code != cli.ExitUsage || !strings.Contains(errs, "has no wall profile") {
		t.Errorf("-kind wall: exit code %d, %s", code, errs)
	}
}

// TestDiffOfFindings: between the original visits and the best ones the findings are
// gone; between a recording and itself nothing is; one kind alone has none.
func TestDiffOfFindings(t *testing.T) {
	original, best := recordedRow(t, "visits-original-bench"), recordedRow(t, "visits-best-bench")
	var d struct {
		Findings []struct {
			Change, Rule string
			Noise        bool `json:"within_noise"`
			Before       *struct {
				Ceiling float64 `json:"ceiling_ratio"`
			}
		}
	}
	out, errs, code := whet(t, "", "diff", "-json", original, best)
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != cli.ExitDone {
		t.Fatalf("exit code %d, %v, %s", code, err, errs)
	}
	gone, all := 0, 0
	for _, f := range d.Findings {
		if f.Change == "gone" {
			all++
		}
		if f.Change == "gone" && !f.Noise && f.Before.Ceiling > 1.05 {
			gone++
		}
	}
	if gone == 0 {
		t.Errorf("no finding is gone: %+v", d.Findings)
	}
	out, _, code = whet(t, "", "diff", original, original)
	if code != cli.ExitDone || !strings.HasPrefix(out, "before  "+original+"  whet/casebook/visits/original, recorded ") || !strings.Contains(out, "\nFindings: 0 gone, 0 new, 0 changed, ") {
		t.Errorf("with itself: exit code %d, %.300s", code, out)
	}
	if out, _, _ = whet(t, "", "diff", "-tables", original, original); !strings.Contains(out, "ceiling ") {
		t.Errorf("with itself, -tables: %.2000s", out)
	}
	// The answer is a screen of 24 lines, whatever was recorded; -tables has all of it.
	brief, _, _ := whet(t, "", "diff", original, best)
	whole, _, _ := whet(t, "", "diff", "-tables", original, best)
	if n := strings.Count(brief, "\n"); n > 24 || !strings.Contains(brief, fmt.Sprintf("Findings: %d gone", all)) || !strings.Contains(brief, "\ngone ") ||
		!strings.Contains(brief, "\ncpu ") || !strings.Contains(brief, "\nallocs ") || !strings.Contains(brief, "more: -tables (") || strings.Contains(brief, "Type:") {
		t.Errorf("%d lines: %s", n, brief)
	}
	if strings.Count(whole, "\nType: ") < 2 || !strings.Contains(whole, fmt.Sprintf("Findings: %d gone", all)) || strings.Contains(whole, "more: -tables") {
		t.Errorf("-tables: %.2000s", whole)
	}
	if out, _, _ = whet(t, "", "diff", "-kind", "cpu", original, best); strings.Contains(out, "Findings") {
		t.Errorf("-kind cpu: %.300s", out)
	}
}

// TestDiffDraws: of two profiles the page is that of flame, which is compared
// with pprof's figures; of recordings it has every kind.
func TestDiffDraws(t *testing.T) {
	before, err := filepath.Abs("../format/profile/testdata/http.heap.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	after, err := filepath.Abs("../format/profile/testdata/http.allocs.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	first := recordingOf(t, [2]string{"allocs", "http.allocs.pb.gz"}, [2]string{"cpu", "httpsrv_labels.cpu.pb.gz"})
	second := recordingOf(t, [2]string{"allocs", "http.heap.pb.gz"}, [2]string{"cpu", "httpsrv_labels.cpu.pb.gz"})
	t.Chdir(t.TempDir())
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	run := func(args ...string) {
		t.Helper()
		if _, errs, code := whet(t, "", args...); code != cli.ExitDone {
			t.Fatalf("%s: exit code %d: %s", args, code, errs)
		}
	}
	run("flame", "-title", "http.heap.pb.gz → http.allocs.pb.gz", "-sample_index", "alloc_objects", "-diff_base", before, "-o", "flame.html", after)
	run("diff", "-sample_index", "alloc_objects", before, after, "-o", "diff.html")
	run("diff", "-alloc_objects", "-html", before, after)
	if want := read("flame.html"); want != read("diff.html") || want != read("http.allocs.diff.html") || !strings.Contains(want, "http.heap.pb.gz → ") {
		t.Error("diff draws another page than flame")
	}
	run("diff", "-o", "kinds.html", first, second)
	for _, label := range []string{"cpu: cpu", "cpu: samples", "allocs: alloc_space", "allocs: inuse_objects"} {
		if !strings.Contains(read("kinds.html"), label) {
			t.Errorf("the page has no %s", label)
		}
	}
	copied := file(t, "before.html", read(before))
	if _, errs, code := whet(t, "", "diff", "-html", "-o", copied, copied, after); code != cli.ExitUsage || !strings.Contains(errs, "would be overwritten") {
		t.Errorf("-o BEFORE: exit code %d: %s", code, errs)
	}
	if _, errs, code := whet(t, "", "diff", "-o", "x.svg", before, after); code != cli.ExitUsage || !strings.Contains(errs, "whet flame -svg") {
		t.Errorf("-o x.svg: exit code %d: %s", code, errs)
	}
}

// TestDiffOfServices: the figures are those that recording.json holds of the load, and
// the server's 8,672,521,435 ns of CPU time by its 331,878 requests, all with 200.
func TestDiffOfServices(t *testing.T) {
	service := oldRecording(t, "visits-service")
	var d struct {
		Service *struct {
			Before, After struct {
				Throughput float64          `json:"throughput_per_s"`
				Time       map[string]int64 `json:"service_time_ns"`
				CPU        float64          `json:"cpu_per_request_ns"`
			}
		}
	}
	out, errs, code := whet(t, "", "diff", "-json", service, service)
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != cli.ExitDone || d.Service == nil {
		t.Fatalf("exit code %d, %v, %s", code, err, errs)
	}
	s := d.Service.Before
	if fmt.Sprintf("%.1f %d %d %.0f", s.Throughput, s.Time["p50"], s.Time["p99"], s.CPU) != "23705.6 749567 8257535 26132" || fmt.Sprint(s) != fmt.Sprint(d.Service.After) {
		t.Errorf("%+v", d.Service)
	}
	if out, errs, code := whet(t, "", "diff", service, service); code != cli.ExitDone || !strings.Contains(strings.ReplaceAll(out, "\u00a0", " "), "server's CPU 26.1 µs → 26.1 µs a request\n") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	d.Service = nil
	out, _, _ = whet(t, "", "diff", "-json", service, oldRecording(t, "visits-benchmark"))
	if err := json.Unmarshal([]byte(out), &d); err != nil || d.Service != nil {
		t.Errorf("of a service and benchmarks: %v, %+v", err, d.Service)
	}
}
