package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// servicesAlone is a later run of the services of the sample's cases.
func servicesAlone() *document {
	d := sample()
	d.Date, d.Commit = d.Date.Add(24*time.Hour), "fedcba987654"
	d.Warnings = nil
	d.warn("avatar"+asService, []string{"pinned anew"})
	d.Cases[0].More[0].RatioBest = 2
	d.Cases[0].Missing = notMeasured
	avatar := &d.Cases[1]
	avatar.RatioBest, avatar.Old, avatar.Best = 33, 1000, 33000
	avatar.More = avatar.More[:1]
	return d
}

// A run of the services alone has its lines in the place of those that were
// there, each with the run that it is of; the others stay to the letter, and with
// them what was said of them.
func TestMerge(t *testing.T) {
	d := sample()
	d.Warnings = nil
	d.warn("avatar"+asService, []string{"pinned"})
	d.warn("visits", []string{"of a benchmark"})
	d.Warnings = append(d.Warnings, notSettled+"avatar (2 of 4 rows): a longer -budget", "the machine was busy")
	const around = "# x\n" + beginMark + "\n" + endMark + "\nend\n"
	text, err := d.replace(around, false)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := servicesAlone().replace(text, true)
	if err != nil {
		t.Fatal(err)
	}
	old, got := strings.Split(text, "\n"), strings.Split(merged, "\n")
	const was, is = "| 2026-11-20 12:30 UTC, 0123456789ab |", "| 2026-11-21 12:30 UTC, fedcba987654 |"
	for i, line := range got[:11] {
		anew := i == 6 || i == 7 || i == 8
		switch {
		case !anew && line != old[i], anew && (line == old[i] || !strings.HasSuffix(line, is)):
			t.Errorf("line %d is %q, and was %q", i, line, old[i])
		case i >= 5 && i < 11 && !anew && !strings.HasSuffix(line, was):
			t.Errorf("line %d is %q", i, line)
		}
	}
	if !strings.HasPrefix(got[6], "|  | peak memory | ") || !strings.Contains(got[6], " | 2.00x | ") ||
		!strings.HasPrefix(got[7], "| avatar | requests per second | ") || !strings.Contains(got[7], " | 33.0x | ") || !strings.HasPrefix(got[8], "|  | of a constant | ") {
		t.Errorf("%q", got[6:9])
	}
	const want = `
Measured 2026-11-20 12:30 UTC, A Processor | 2, 2 processors, linux/amd64, go1.26, commit 0123456789ab; 45s of a budget of 45s.

visits: of a benchmark.

the machine was busy.

Measured 2026-11-21 12:30 UTC, A Processor | 2, 2 processors, linux/amd64, go1.26, commit fedcba987654; 45s of a budget of 45s.

avatar, as a service: pinned anew.

` + endMark + "\nend\n"
	if tail := strings.Join(got[11:], "\n"); tail != want {
		t.Errorf("after the lines stands %q, want %q", tail, want)
	}
	// The next one of the services leaves nothing of this one.
	next := servicesAlone()
	next.Date = next.Date.Add(time.Hour)
	again, err := next.replace(merged, true)
	if err != nil || strings.Contains(again, "2026-11-21 12:30") || strings.Count(again, "2026-11-21 13:30 UTC, ") != 4 || strings.Count(again, "pinned anew") != 1 {
		t.Errorf("%v\n%s", err, again)
	}
	for what, tt := range map[string]struct {
		change func(*document)
		text   string
		want   string
	}{
		"no table":          {func(*document) {}, around, "it has no table yet"},
		"another measure":   {func(d *document) { d.Cases[1].Measure = "bytes" }, text, "its table has no line of avatar, bytes: "},
		"columns of before": {func(*document) {}, strings.Replace(text, "| measured |", "|", 1), "its table has other columns"},
		"a line cut short":  {func(*document) {}, strings.Replace(text, was, "|", 1), "its table has other columns"},
		"words of no run":   {func(*document) {}, strings.Replace(text, measuredOn, "By hand ", 1), "is of no run"},
	} {
		d := servicesAlone()
		tt.change(d)
		if _, err := d.replace(tt.text, true); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The README's table is one that this command reads as it writes it, and holds
// every measure of the cases, in their order.
func TestKeptTable(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), beginMark+"\n")
	table, _, _ := strings.Cut(rest, endMark)
	p, err := readPage(table)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.String(); got != table {
		t.Errorf("it is read as\n%s", got)
	}
	var have, want [][2]string
	for _, line := range p.lines {
		have = append(have, [2]string{line[0], line[1]})
		if !slices.ContainsFunc(p.runs, func(r runText) bool { return r.of(line) }) {
			t.Errorf("%q is of no run that is named", line)
		}
	}
	for _, s := range studies() {
		for _, m := range s.measures {
			want = append(want, [2]string{s.name, m.text})
		}
	}
	if !slices.Equal(have, want) {
		t.Errorf("it has the lines\n%q, want\n%q", have, want)
	}
}
