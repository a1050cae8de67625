package app

import (
	"bytes"
	"context"
	"flag"
	"io"
	"slices"
	"strings"
	"testing"

	"whet/internal/cli"
)

func TestFlagsAnywhere(t *testing.T) {
	for _, tc := range []struct {
		args     string
		c        int
		v        bool
		operands string
	}{
		{"a b", 1, false, "a b"},
		{"-c 64 a", 64, false, "a"},
		{"a -c 64 b --v", 64, true, "a b"},
		{"--c=3 a -v b", 3, true, "a b"},
		{"a -- -c 5", 1, false, "a -- -c 5"},
		{"a -v -- ./server -c 9", 1, true, "a -- ./server -c 9"},
		{"-v - b", 1, true, "- b"},
	} {
		fs := flag.NewFlagSet("x", flag.ContinueOnError)
		c, v := fs.Int("c", 1, ""), fs.Bool("v", false, "")
		operands, err := parseFlags(fs, strings.Fields(tc.args))
		if err != nil || *c != tc.c || *v != tc.v || strings.Join(operands, " ") != tc.operands {
			t.Errorf("%s: c=%d v=%v operands=%q err=%v", tc.args, *c, *v, operands, err)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{{}, {"tun"}, {"nonsense"}, {"help", "nonsense"}, {"tune", "-nonsense"}} {
		var out, errs bytes.Buffer
		if code := Run(context.Background(), args, nil, &out, &errs); code != cli.ExitUsage {
			t.Errorf("%q: exit code %d, want %d", args, code, cli.ExitUsage)
		}
		if len(args) > 0 && strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%q: want one line, got %q", args, errs.String())
		}
	}
}

func TestHelpOfEveryVerb(t *testing.T) {
	for _, c := range commands() {
		for _, args := range [][]string{{"help", c.Name}, {c.Name, "-h"}, {c.Name, "--help"}} {
			var out bytes.Buffer
			if code := Run(context.Background(), args, nil, &out, io.Discard); code != cli.ExitDone {
				t.Errorf("%q: exit code %d", args, code)
			}
			if !strings.Contains(out.String(), "Examples:") {
				t.Errorf("%q: help without examples", args)
			}
		}
	}
	names := make([]string, 0)
	for _, c := range commands() {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(commands()) {
		t.Error("a verb stands twice in the table")
	}
}
