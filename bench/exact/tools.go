package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"whet/bench/ledger"
	"whet/internal/capture/process"
)

// tools are the two programs.
type tools struct {
	pprof, whet string
	flags       map[string][]string // of whet's verbs
}

var flagLine = regexp.MustCompile(`(?m)^  -(\w+)`)

func findTools(ctx context.Context, whet, tmp string) (*tools, error) {
	t := &tools{whet: whet, flags: make(map[string][]string)}
	if whet == "" {
		t.whet = filepath.Join(tmp, "whet")
		if err := ledger.Build(ctx, "./cmd/whet", t.whet); err != nil {
			return nil, err
		}
	}
	var err error
	if t.pprof, err = ledger.Pprof(ctx); err != nil {
		return nil, err
	}
	for _, v := range views {
		help, err := exec.CommandContext(ctx, t.whet, "help", v.whet[0]).Output()
		if err != nil {
			return nil, fmt.Errorf("ask whet for the flags of %s: %w", v.whet[0], err)
		}
		for _, m := range flagLine.FindAllSubmatch(help, -1) {
			t.flags[v.whet[0]] = append(t.flags[v.whet[0]], string(m[1]))
		}
	}
	return t, nil
}

// output runs a program. It reports whether it did what it was asked.
func output(ctx context.Context, path string, args []string, script string) (text, complaint string, ok bool, err error) {
	var out, errs bytes.Buffer
	c := process.Command{Path: path, Args: args, Stdout: &out, Stderr: &errs}
	if script != "" {
		c.Stdin = strings.NewReader(script)
	}
	res, err := process.Run(ctx, c)
	if err == nil {
		err = ctx.Err()
	}
	return out.String(), errs.String(), err == nil && res.OK(), err
}

// attempts are the runs of pprof that show whether it agrees with itself.
const attempts = 16

func (t *tools) compare(ctx context.Context, v view, r run) (verdict, string, error) {
	got, complaint, ok, err := output(ctx, t.whet, r.whet, r.script)
	if err != nil {
		return "", "", err
	}
	got = clean(got, false)
	var want string
	varied, open := false, false // pprof's runs differ, and in more than order
	for n := range attempts {
		text, said, theirOK, err := output(ctx, t.pprof, r.pprof, r.script)
		if err != nil {
			return "", "", err
		}
		switch {
		case r.script != "": // an error ends no session
		case !ok && !theirOK:
			return refused, "", nil
		case ok != theirOK:
			return different, fmt.Sprintf("-%s+%s", said, complaint), nil
		}
		text = clean(text, true)
		if text == got {
			if n == 0 {
				return equal, "", nil
			}
			return chance, "", nil
		}
		if v.name == "raw" && unnumbered(text) == unnumbered(got) {
			return numbered, "", nil
		}
		varied = varied || n > 0 && text != want
		open = open || n > 0 && settled(text) != settled(want)
		want = text
		if varied && settled(want) == settled(got) {
			return order, "", nil
		}
	}
	if open && heads(want) == heads(got) {
		return chosen, "", nil
	}
	text := firstDifference(want, got)
	if settled(want) == settled(got) {
		text += "(the same in another order, in each of several runs)\n"
	}
	return different, text, nil
}
