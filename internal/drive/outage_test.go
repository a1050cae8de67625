package drive

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"whet/internal/loadresult"
)

// A service that answered before and then refuses connections is waited for, and
// the level driven again; one that never answered, fails otherwise, or does not come
// back, ends the search.
func TestOutages(t *testing.T) {
	result := func(kind string) *loadresult.Result {
		if kind == "" {
			return &loadresult.Result{Requests: 10, Status: map[int]int64{200: 10}}
		}
		return &loadresult.Result{Requests: 10, Errors: map[string]int64{kind: 10}, Examples: map[string]string{kind: kind}}
	}
	const gone = "gone for good"
	for _, c := range []struct {
		name   string
		levels []string // what each load ends with; "": answers
		fails  string
		again  int
	}{
		{"answers", []string{"", ""}, "", 0},
		{"starts again", []string{"", loadresult.Refused, loadresult.Refused, "", ""}, "", 2},
		{"never answered", []string{loadresult.Refused}, loadresult.Refused, 0},
		{"hangs", []string{"", loadresult.TimedOut}, loadresult.TimedOut, 0},
		{"comes and goes", append([]string{""}, slices.Repeat([]string{loadresult.Refused}, mostOutages+1)...), loadresult.Refused, mostOutages},
		{"does not come back", []string{"", gone}, loadresult.Refused, 0},
	} {
		var x outages
		var err error
		ready := error(nil)
		n := 0
		for n < len(c.levels) && err == nil {
			_, err = x.level(func() (*loadresult.Result, error) {
				kind := c.levels[n]
				if n++; kind == gone {
					kind, ready = loadresult.Refused, errors.New("not ready")
				}
				return result(kind), nil
			}, func() error { return ready })
		}
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) || x.n != c.again || n != len(c.levels) {
			t.Errorf("%s: %v, %d levels driven again after %d loads", c.name, err, x.n, n)
		}
		if w := x.warnings(); (len(w) > 0) != (c.again > 0) {
			t.Errorf("%s: warnings %q", c.name, w)
		}
	}
}
