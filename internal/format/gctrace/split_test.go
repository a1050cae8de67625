package gctrace

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// The runtime's lines are told from the program's, whole, in pieces, and after
// a line that the program had not ended.
func TestSplit(t *testing.T) {
	const start = "init net/http @1.5 ms, 0.059 ms clock, 4800 bytes, 33 allocs\n"
	const gc = "gc 1 @0.005s 4%: 0.22+1.3+0.092 ms clock, 0.45+0.28/0.17/0.16+0.18 ms cpu, 3->4->3 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P\n"
	for _, test := range []struct {
		name      string
		writes    []string
		said, log string
	}{
		{"apart", []string{"one\n", gc, "two\n"}, "one\ntwo\n", gc},
		{"in pieces", []string{"one\n" + gc[:7], gc[7:40], gc[40:] + "two\n"}, "one\ntwo\n", gc},
		{"after a question", []string{"name? ", gc, "two\n"}, "name? two\n", gc},
		{"after a similar beginning", []string{"gc is not the collector", gc, "two\n"}, "gc is not the collectortwo\n", gc},
		{"with others between", []string{gc[:40], "one\n", gc[40:90], "2026/11/21 two", gc[90:], "\n"}, "one\n2026/11/21 two\n", gc},
		{"one that does not end", []string{gc[:40], "one\n", gc, "two\n"}, "one\n" + gc[:40] + "two\n", gc},
		{"cut off by the program's end", []string{"one\n", gc[:80]}, "one\n", ""},
		{"cut off as it began", []string{"one\n", gc[:6]}, "one\n", ""},
		{"a question that ends alike", []string{"log", "ging "}, "logging ", ""},
		{"an initialization", []string{"one\n", start, "init is done\n", "two"}, "one\ninit is done\ntwo", start},
		{"an initialization in pieces", []string{start[:5], start[5:20], "one\n", start[20:], gc}, "one\n", start + gc},
		{"a cycle before its end", []string{start[:len(start)-1], gc[:3], "one\n", gc[3:], "\n", "two\n"}, "one\ntwo\n", gc + start},
		{"a cycle in the middle of it", []string{start[:30], gc, start[30:40], "one\n", start[40:], gc}, "one\n", gc + start + gc},
		{"both cut off", []string{"one\n", start[:30], gc[:20]}, "one\n", ""},
		{"both in a write", []string{gc + start + "init 1\n" + gc}, "init 1\n", gc + start + gc},
		{"none", []string{"gc gc gc \n", "gc 1 @ nothing\n", "gc "}, "gc gc gc \ngc 1 @ nothing\ngc ", ""},
	} {
		var said strings.Builder
		var log strings.Builder
		g := NewSplitter(&said, func(line []byte) { log.Write(line) })
		for _, w := range test.writes {
			if n, err := g.Write([]byte(w)); n != len(w) || err != nil {
				t.Errorf("%s: %d, %v", test.name, n, err)
			}
		}
		g.Flush()
		if said.String() != test.said || log.String() != test.log {
			t.Errorf("%s: said %q, log %q", test.name, said.String(), log.String())
		}
	}
}

// Wherever the writes of others come between those of the runtime's line, both
// come out whole.
func TestSplitBetween(t *testing.T) {
	const gc = "gc 12 @3.105s 4%: 0.22+1.3+0.092 ms clock, 0.45+0.28/0.17/0.16+0.18 ms cpu, 3->4->3 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)\n"
	pieces := regexp.MustCompile(`gc |[0-9.]+|->|[+/\n]| P| \(forced\)|[^0-9.\n]+`).FindAllString(gc, -1)
	if strings.Join(pieces, "") != gc || len(pieces) < 38 {
		t.Fatalf("%d pieces %q", len(pieces), pieces)
	}
	others := []string{"2026/11/21 10:00:00 served\n", "7 apples\n", "name? ", "gc is not the collector", "0x1f\n", " MB stacks\n", "panic: it ends\n"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var said, want strings.Builder
		var log strings.Builder
		g := NewSplitter(&said, func(line []byte) { log.Write(line) })
		lines := 1 + rnd.IntN(3)
		for range lines {
			for _, piece := range pieces {
				if rnd.IntN(20) == 0 {
					other := others[rnd.IntN(len(others))]
					want.WriteString(other)
					g.Write([]byte(other))
				}
				g.Write([]byte(piece))
			}
		}
		g.Flush()
		if said.String() != want.String() || log.String() != strings.Repeat(gc, lines) {
			t.Fatalf("said %q, want %q, log %q", said.String(), want.String(), log.String())
		}
	}
}
