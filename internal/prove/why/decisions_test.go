package why

import (
	"strings"
	"testing"

	format "whet/internal/format/compiler"
)

func decisionsOf(text string) []format.Decision { return format.Parse([]byte(text)) }

func TestDifferingDecisions(t *testing.T) {
	const (
		inlines   = "p.go:3:6: can inline hash with cost 34 as: func(int) int { return x }\n"
		inlines40 = "p.go:3:6: can inline hash with cost 40 as: func(int) int { return x + 1 }\n"
		complex   = "p.go:9:6: cannot inline hash: function too complex: cost 95 exceeds budget 80\n"
		stays     = "p.go:4:7: make([]byte, n) does not escape\n"
		escapes   = "p.go:5:7: make([]byte, n) escapes to heap\n"
		moved     = "p.go:6:2: moved to heap: buf\n"
		call      = "p.go:7:9: inlining call to mix\n"
		elsewhere = "p.go:17:9: inlining call to mix\n"
		closure1  = "p.go:8:9: inlining call to F.func1\n"
		closure2  = "p.go:8:9: inlining call to F.func2\n"
	)
	for _, c := range []struct {
		what, old, new string
		want           []string
	}{
		{"nothing", inlines + stays + call, inlines + stays + call, nil},
		{"only lines and costs", inlines + call, inlines40 + elsewhere, nil},
		{"numbers of literals", closure1, closure2, nil},
		{"inlining", inlines, complex, []string{"old can inline hash with cost 34", "new cannot inline hash: function too complex: cost 95 exceeds budget 80"}},
		{"a function that only one side has", "", inlines, nil},
		{"an escape", stays, escapes, []string{"new make([]byte, n) escapes to heap", "old make([]byte, n) does not escape"}},
		{"an escape less", escapes, stays, []string{"old make([]byte, n) escapes to heap", "new make([]byte, n) does not escape"}},
		{"a second escape", escapes, escapes + strings.Replace(escapes, "5:7", "15:7", 1), []string{"new make([]byte, n) escapes to heap"}},
		{"a variable", "", moved, []string{"new moved to heap: buf"}},
		{"calls", call + elsewhere, call, []string{"old inlining call to mix"}},
		{"what stays in both", stays, stays + stays, nil},
	} {
		var got []string
		for _, d := range differing(decisionsOf(c.old), decisionsOf(c.new)) {
			got = append(got, d.Side+" "+d.Text)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestDecisionsAreBounded(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		text.WriteString("p.go:1:2: moved to heap: x" + strings.Repeat("y", i) + "\n")
	}
	if got := differing(nil, decisionsOf(text.String())); len(got) != mostDecisions {
		t.Errorf("%d decisions", len(got))
	}
}

// Decisions belong to the function, or the literal, that they stand in.
func TestDecisionKeys(t *testing.T) {
	p := pairOf(t, "a", "b", map[string]string{"p.go": plainOld}, map[string]string{"p.go": plainNew})
	key := func(s side, line, col int) string {
		file := p.trees[s].dir([]string{"example.org/m/a", "example.org/m/b"}[s]) + "/p.go"
		k, _ := p.decisionKey(s, format.Decision{File: file, Line: line, Col: col})
		return string(k)
	}
	if old, new := key(sideOld, 3, 6), key(sideNew, 5, 6); old != new || old != "example.org/m/b.F" {
		t.Errorf("in the function: %q and %q", old, new)
	}
	if old, new := key(sideOld, 3, 30), key(sideNew, 6, 30); old != new || !strings.Contains(old, "F.func#") {
		t.Errorf("in the literal that both have: %q and %q", old, new)
	}
	// "func literal does not escape" stands where the literal begins: outside.
	if old := key(sideOld, 3, 11); old != "example.org/m/b.F" {
		t.Errorf("where the literal begins: %q", old)
	}
	if _, ok := p.decisionKey(sideOld, format.Decision{File: "/nowhere/x.go", Line: 1, Col: 1}); ok {
		t.Error("a file of nobody's has a key")
	}
}
