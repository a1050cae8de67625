package run

import "testing"

// Most requests are half of them and more: 500 of 1,000.
func TestMostlyFails(t *testing.T) {
	for _, c := range []struct {
		s    Service
		want string
	}{
		{Service{}, ""},
		{Service{Requests: 1000}, ""},
		{Service{Requests: 1000, Errors: []ErrorKind{{"status 5xx", 499, ""}}}, ""},
		{Service{Requests: 1000, Errors: []ErrorKind{{"status 5xx", 300, "503 busy\x1b"}, {"timeout", 200, ""}}},
			"50.0 % of the requests failed, most with status 5xx (503 busy\\x1b): the figures mostly describe failures; lower -c"},
		{Service{Requests: 10, Errors: []ErrorKind{{"timeout", 10, ""}}}, "100.0 % of the requests failed, most with timeout: the figures mostly describe failures; lower -c"},
	} {
		if got := c.s.MostlyFails(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
