package message

import (
	"net/url"
	"testing"
)

// The origin of an address with a zone is a URL that can be read again.
func TestZone(t *testing.T) {
	s, err := New([]Target{{URL: "http://[fe80::1%25eth0]:8080/"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(s.Hosts()[0])
	if err != nil || u.Hostname() != "fe80::1%eth0" {
		t.Errorf("origin %q: host %v, error %v", s.Hosts()[0], u, err)
	}
}
