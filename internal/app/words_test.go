package app

import (
	"strings"
	"testing"
)

func TestUnglue(t *testing.T) {
	got := strings.Join(unglue("cdnt", strings.Fields("-t2 -c100 -d30s -n5 -c 7 -rate 5/s -h2c -x3 --c4 -d1s -- -c5")), " ")
	if want := "-t 2 -c 100 -d 30s -n 5 -c 7 -rate 5/s -h2c -x3 --c4 -d 1s -- -c5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
