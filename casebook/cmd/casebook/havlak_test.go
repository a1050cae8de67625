package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
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

// A command that was told to end before it was done says so with its exit code.
func TestHavlakInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"-case=havlak", "-stage=best"}, &stdout, &stderr)
	if code != interrupted || !strings.HasPrefix(stderr.String(), "casebook: run stage best: ") || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit status %d, %q, %s", code, stdout.String(), &stderr)
	}
}

func TestOneLine(t *testing.T) {
	if got := oneLine(errors.Join(errors.New("a"), errors.New("b\r\nc"))); got != "a; b; c" {
		t.Errorf("%q", got)
	}
}
