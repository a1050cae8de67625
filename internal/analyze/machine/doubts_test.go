package machine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/recording"
)

func ptr[T any](v T) *T { return &v }

func kinds(doubts []Doubt) string {
	var out []string
	for _, d := range doubts {
		out = append(out, d.Kind)
	}
	return strings.Join(out, " ")
}

// Each doubt appears from its bound on; a machine that reports nothing is not
// called disturbed.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		h    recording.Host
		of   Bounds
		want string
	}{
		{recording.Host{Cores: 2}, Ratios(), ""},
		{recording.Host{Cores: 2, StealRatio: ptr(0.02), LoadStart: ptr(1.0), ThrottledNs: ptr(int64(20e6))}, Ratios(), ""},
		{recording.Host{Cores: 2, StealRatio: ptr(0.021)}, Ratios(), "steal"},
		{recording.Host{Cores: 2, LoadStart: ptr(1.1)}, Ratios(), "load"},
		{recording.Host{LoadStart: ptr(9.0)}, Ratios(), ""}, // on nobody knows how many cores
		{recording.Host{Cores: 2, ThrottledNs: ptr(int64(21e6))}, Ratios(), "throttled"},
		{recording.Host{Cores: 2, StealRatio: ptr(1.0), LoadStart: ptr(2.0), ThrottledNs: ptr(int64(1e9))}, Ratios(), "steal load throttled"},
		{recording.Host{Cores: 2, StealRatio: ptr(0.05), LoadStart: ptr(2.0), ThrottledNs: ptr(int64(10e6))}, Figures(), ""},
		{recording.Host{Cores: 2, StealRatio: ptr(0.051), LoadStart: ptr(2.1), ThrottledNs: ptr(int64(11e6))}, Figures(), "steal load throttled"},
	} {
		doubts := Observation{Host: &c.h, Elapsed: time.Second}.Doubts(c.of)
		if got := kinds(doubts); got != c.want {
			t.Errorf("%+v: %q, want %q", c.h, got, c.want)
		}
		if said := Texts(doubts); len(said) != len(doubts) || slices.Contains(said, "") {
			t.Errorf("%q of %+v", said, doubts)
		}
	}
}

func TestDoubts(t *testing.T) {
	quiet := recording.Host{Cores: 4, StealRatio: ptr(0.0), BusyRatio: ptr(0.3), LoadStart: ptr(0.2), ThrottledNs: ptr(int64(0))}
	for _, c := range []struct {
		name, kind, text string
		change           func(h *recording.Host, s *Observation)
	}{
		{"quiet", "", "", func(*recording.Host, *Observation) {}},
		{"steal", Steal, "took 3.0 % of the CPU time", func(h *recording.Host, _ *Observation) {
			h.StealRatio, h.BusyRatio = ptr(0.03), ptr(0.395) // what was stolen is no other process's: 9 %
		}},
		{"load before", Load, "load 2.1 on 4 cores", func(h *recording.Host, _ *Observation) { h.LoadStart = ptr(2.1) }},
		// 60 % busy − 27.5 % ours.
		{"others", Load, "other processes used 32.5 % of", func(h *recording.Host, _ *Observation) { h.BusyRatio = ptr(0.6) }},
		{"throttled", Throttled, "throttled for 250 ms", func(h *recording.Host, _ *Observation) { h.ThrottledNs = ptr(int64(250e6)) }},
		{"swap", Swap, "swapped 500 pages", func(_ *recording.Host, s *Observation) { s.Swapped = 500 }},
		{"governor", Governor, "governor is powersave", func(_ *recording.Host, s *Observation) { s.Governors = []string{"powersave"} }},
		{"unknown", "", "", func(h *recording.Host, s *Observation) { *h, s.Used = recording.Host{Cores: 4}, 0 }},
	} {
		// 10 s on four cores: we used 11 s of 40 s, 27.5 %.
		h, s := quiet, Observation{Elapsed: 10 * time.Second, Used: 11 * time.Second}
		c.change(&h, &s)
		s.Host = &h
		doubts := s.Doubts(Ratios())
		if kinds(doubts) != c.kind || c.kind != "" && !strings.Contains(doubts[0].Text, c.text) {
			t.Errorf("%s: %+v", c.name, doubts)
		}
	}
}
