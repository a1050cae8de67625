package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whet/internal/cli"
)

func TestDiagnoseReadsStandardInput(t *testing.T) {
	data, err := os.ReadFile(filepath.FromSlash("../../docs/testdata/server.cpu.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	out, errs, code := whet(t, string(data), "diagnose", "-")
	if code != 0 || errs != "" || !strings.Contains(out, "Hot places") {
		t.Errorf("code %d, errors %q, output %.200q", code, errs, out)
	}
	_, errs, code = whet(t, "", "diagnose", "-")
	if code != cli.ExitFailed || strings.Count(errs, "\n") != 1 || strings.Contains(errs, "open recording") {
		t.Errorf("nothing to read: code %d, errors %q", code, errs)
	}
}

// Time, bytes, and delay of who waits and of who lets others wait, are not added
// up; the line says what to do.
func TestDiagnoseOfTwoKinds(t *testing.T) {
	for _, files := range [][]string{
		{"../../docs/testdata/server.cpu.pb.gz", "../../docs/testdata/server.heap.pb.gz"},
		{"../format/profile/testdata/http.mutex.pb.gz", "../format/profile/testdata/http.block.pb.gz"},
	} {
		_, errs, code := whet(t, "", append([]string{"diagnose"}, files...)...)
		if code != cli.ExitFailed || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "diagnose each kind separately") {
			t.Errorf("%s: code %d, errors %q", files, code, errs)
		}
	}
}

// Of a difference of two profiles shares mean nothing.
func TestDiagnoseOfADifference(t *testing.T) {
	diff := filepath.Join(t.TempDir(), "diff.pb.gz")
	if _, errs, code := whet(t, "", "merge", "-base", "../../docs/testdata/server.cpu.pb.gz", "-o", diff, "../format/profile/testdata/compile_stdcmd_merged.cpu.pb.gz"); code != cli.ExitDone {
		t.Fatal(errs)
	}
	if _, errs, code := whet(t, "", "diagnose", diff); code != cli.ExitFailed || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "difference") {
		t.Errorf("code %d, errors %q", code, errs)
	}
}
