package loadresult

import "testing"

// Of 10,000 that are planned a twentieth less are 9,500, and two of where the time
// is cut; arrivals at random may lack 3·√10,000 = 300 more. Of few no share is
// short.
func TestShort(t *testing.T) {
	for _, c := range []struct {
		planned     float64
		random      bool
		enough, few int64
	}{
		{10_000, false, 9498, 9497},
		{10_000, true, 9198, 9197},
		{100, false, 93, 92},
		{100, true, 63, 62},
	} {
		if Short(c.planned, c.random, c.enough) || !Short(c.planned, c.random, c.few) {
			t.Errorf("of %v (random %v) %d are short %v, %d %v", c.planned, c.random, c.enough, Short(c.planned, c.random, c.enough), c.few, Short(c.planned, c.random, c.few))
		}
	}
	if Short(2, false, 0) || Short(9, true, 0) {
		t.Error("none of a few that were planned is short")
	}
}

// The kind of most failures; of several the same in each run.
func TestCommonest(t *testing.T) {
	for want, errors := range map[string]map[string]int64{
		"":        nil,
		TimedOut:  {TimedOut: 3, Reset: 2},
		Reset:     {TimedOut: 3, Reset: 4, BadAnswer: 1},
		BadAnswer: {TimedOut: 3, Reset: 3, BadAnswer: 3}, // "bad answer" is the first by name
	} {
		r := Result{Errors: errors}
		if got := r.Commonest(); got != want {
			t.Errorf("%v: %q, want %q", errors, got, want)
		}
	}
}

// What users see of an open loop are its response times.
func TestTimes(t *testing.T) {
	r := new(Result)
	if r.Times() != &r.Service {
		t.Error("a closed loop has other times than service times")
	}
	if r.Open = true; r.Times() != &r.Response {
		t.Error("an open loop has other times than response times")
	}
}
