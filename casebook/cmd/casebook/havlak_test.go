package main

import (
	"bytes"
	"testing"
)

// The published graph has 10 rows of 100 nests, in each nest 25 base loops and
// in each of those 2 diamonds.
func TestHavlak(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"-case=havlak", "-stage=best"}, &stdout, &stderr)
	const want = "76000 loops and the root, in 252013 blocks\ndepth 1: 1000 loops\ndepth 2: 25000 loops\ndepth 3: 50000 loops\n"
	if code != done || stdout.String() != want || stderr.Len() > 0 {
		t.Errorf("exit status %d, %q, %s; want %q", code, stdout.String(), &stderr, want)
	}
}
