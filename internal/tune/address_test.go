package tune

import (
	"net/url"
	"strings"
	"testing"

	"whet/internal/load"
	"whet/internal/recording"
)

// addresses are taken apart as package net/url does.
var addresses = []string{
	"http://localhost:8080/path", "https://h", "http://h?a=b@c", "http://h#a@b", "http://h/a@b/c", "http://[::1]:80/x", "http://[::1]", "http://127.0.0.1:1",
	"http://bob:secret@h:1/x?y#z", "http://bob:se@cret@h/x", "http://secret@h", "http://bob:secret@[::1]:80", "HTTP://H:1",
}

func TestAddresses(t *testing.T) {
	local := map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true} // names of this machine
	for _, text := range addresses {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if shown := recording.Redacted(text); strings.Contains(shown, "cret") || !strings.Contains(shown, "://"+u.Host) {
			t.Errorf("%s is shown as %s", text, shown)
		}
		if name := serviceName(text); name != strings.TrimRight(u.Host+u.Path, "/") {
			t.Errorf("the recording of %s is named %s", text, name)
		}
		o, err := url.Parse(origin(text))
		if err != nil || o.Host != u.Host || o.User.String() != u.User.String() || o.Path+o.RawQuery+o.Fragment != "" {
			t.Errorf("the origin of %s is %s", text, o)
		}
		for _, other := range addresses {
			v, err := url.Parse(other)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := sameHost(text, other), strings.EqualFold(u.Hostname(), v.Hostname()) || local[u.Hostname()] && local[v.Hostname()]; got != want {
				t.Errorf("%s and %s on one host: %v", text, other, got)
			}
		}
	}
	// What package net/url refuses is shown in messages too.
	if shown := recording.Redacted("http://bob:secret@[::1"); shown != "http://[::1" {
		t.Error(shown)
	}
}

// On the server's machine the generator leaves processors to the server.
func TestLoops(t *testing.T) {
	for _, c := range []struct {
		url         string
		started     bool
		asked       int
		connections int
		processors  int
		want        int
	}{
		{"http://127.0.0.1:8080/", false, 0, 64, 2, 1},
		{"http://localhost/", false, 0, 64, 1, 1},
		{"http://[::1]:8080/", false, 0, 64, 16, 4},
		{"http://[::1]:8080/", false, 0, 640, 16, 8},
		{"http://[::1]:8080/", false, 0, 1, 16, 1},
		{"http://name.example/", true, 0, 64, 4, 2},
		{"http://name.example/", false, 0, 64, 4, 0},
		{"http://127.0.0.1:8080/", true, 3, 64, 2, 3},
	} {
		o := load.Options{URL: c.url, Loops: c.asked, Concurrency: c.connections}
		if got := loops(&o, c.started, c.processors); got != c.want {
			t.Errorf("%+v: %d loops", c, got)
		}
	}
}
