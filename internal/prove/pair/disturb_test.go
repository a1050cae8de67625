package pair

import (
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/recording"
)

// Each disturbance is said from its bound on; a machine that tells nothing is
// not called disturbed.
func TestDisturbances(t *testing.T) {
	f := func(x float64) *float64 { return &x }
	n := func(x int64) *int64 { return &x }
	for _, c := range []struct {
		h    recording.Host
		want string
	}{
		{recording.Host{Cores: 2}, ""},
		{recording.Host{Cores: 2, StealRatio: f(0.02), LoadStart: f(1), ThrottledNs: n(20e6)}, ""},
		{recording.Host{Cores: 2, StealRatio: f(0.021)}, "steal"},
		{recording.Host{Cores: 2, LoadStart: f(1.1)}, "load"},
		{recording.Host{LoadStart: f(9)}, ""}, // on nobody knows how many cores
		{recording.Host{Cores: 2, ThrottledNs: n(21e6)}, "throttled"},
		{recording.Host{Cores: 2, StealRatio: f(1), LoadStart: f(2), ThrottledNs: n(1e9)}, "steal load throttled"},
	} {
		var kinds []string
		for _, d := range disturbances(&c.h, 1e9) {
			kinds = append(kinds, d.Kind)
			if d.Text == "" {
				t.Error("a disturbance without words")
			}
		}
		if said := words(disturbances(&c.h, 1e9)); len(said) != len(kinds) || slices.Contains(said, "") {
			t.Errorf("%q of %q", said, kinds)
		}
		if got := strings.Join(kinds, " "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.h, got, c.want)
		}
	}
}

// What was watched is said at the end, of this machine whatever it is.
func TestWatch(t *testing.T) {
	said := Watch()
	for _, text := range said(time.Second) {
		if text == "" || strings.Contains(text, "\n") {
			t.Errorf("%q", text)
		}
	}
}
