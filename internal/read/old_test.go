package read

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whet/internal/parcel"
	"whet/internal/recording"
)

// TestOldRecordings: what an earlier whet recorded opens, every figure of its
// page is there, and the verdict and the findings are those it gave itself: it kept
// them, and today's rules need types that it did not keep.
func TestOldRecordings(t *testing.T) {
	for _, name := range []string{"visits-benchmark", "visits-service"} {
		t.Run(name, func(t *testing.T) {
			path := parcel.Unpack(t, filepath.Join("testdata", "visits.tar.zst"), name+".whet")
			rec, err := recording.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer rec.Close()
			data, err := Recording(rec, ParsedParts{}).Findings("")
			if err != nil {
				t.Fatal(err)
			}
			var got, want map[string]any
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			if data, err = os.ReadFile(filepath.Join("testdata", name+".json")); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			lacking(t, name, got, want)
			page, err := Page(rec, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Profiles) < 3 || len(page.Series) < 5 || len(page.Benchmarks) != 1 && page.Service == nil {
				t.Errorf("page: %d profiles, %d series, %d benchmarks, service %v", len(page.Profiles), len(page.Series), len(page.Benchmarks), page.Service)
			}
			if !slices.ContainsFunc(page.Warnings, func(w string) bool { return strings.Contains(w, "has no types") && strings.Contains(w, "whet 073c6e7") }) {
				t.Errorf("no word on the types that it lacks: %q", page.Warnings)
			}
			if s := page.Service; s != nil && (s.Requests == 0 || len(s.Seconds) < 13) {
				t.Errorf("service: %d requests, %d seconds", s.Requests, len(s.Seconds))
			}
		})
	}
}

// lacking reports what of want is not in got; keys may have been added.
func lacking(t *testing.T, at string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		got, _ := got.(map[string]any)
		for key, value := range want {
			lacking(t, at+"."+key, got[key], value)
		}
	case []any:
		got, _ := got.([]any)
		if len(got) != len(want) {
			t.Errorf("%s has %d elements, want %d", at, len(got), len(want))
			return
		}
		for i := range want {
			lacking(t, fmt.Sprintf("%s[%d]", at, i), got[i], want[i])
		}
	default:
		if got != want {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	}
}
