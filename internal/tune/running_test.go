package tune

import (
	"strings"
	"testing"
)

// The runtime's lines are told from the program's, whole, in pieces, and behind
// a line that the program had not ended.
func TestGCLines(t *testing.T) {
	const gc = "gc 1 @0.005s 4%: 0.22+1.3+0.092 ms clock, 0.45+0.28/0.17/0.16+0.18 ms cpu, 3->4->3 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P\n"
	for _, test := range []struct {
		name      string
		writes    []string
		said, log string
	}{
		{"apart", []string{"one\n", gc, "two\n"}, "one\ntwo\n", gc},
		{"in pieces", []string{"one\n" + gc[:7], gc[7:40], gc[40:] + "two\n"}, "one\ntwo\n", gc},
		{"behind a question", []string{"name? ", gc, "two\n"}, "name? two\n", gc},
		{"behind what begins alike", []string{"gc is not the collector", gc, "two\n"}, "gc is not the collectortwo\n", gc},
		{"none", []string{"gc gc gc \n", "gc 1 @ nothing\n", "gc "}, "gc gc gc \ngc 1 @ nothing\ngc ", ""},
	} {
		var said strings.Builder
		g := &gcLines{to: &said}
		for _, w := range test.writes {
			if n, err := g.Write([]byte(w)); n != len(w) || err != nil {
				t.Errorf("%s: %d, %v", test.name, n, err)
			}
		}
		g.flush()
		log, _ := g.bytes()
		if said.String() != test.said || string(log) != test.log {
			t.Errorf("%s: said %q, log %q", test.name, said.String(), log)
		}
	}
}
