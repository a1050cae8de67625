package main

import (
	"testing"

	"whet/bench/ledger/tabletest"
)

// The table of the README is what the kept samples give.
func TestTableIsOfItsSamples(t *testing.T) {
	tabletest.Check(t, "steady", "steady", render)
}

// The same place: function and file, and a line that both have.
func TestSamePlace(t *testing.T) {
	p := HotPlace{Function: "f", File: "a.go", Line: 7, Lines: []int{7, 9}}
	for _, c := range []struct {
		q    HotPlace
		same bool
	}{
		{p, true},
		{HotPlace{Function: "f", File: "a.go", Line: 9, Lines: []int{9}}, true},
		{HotPlace{Function: "f", File: "a.go", Line: 8, Lines: []int{7, 8}}, true},
		{HotPlace{Function: "f", File: "a.go", Line: 8, Lines: []int{8}}, false},
		{HotPlace{Function: "g", File: "a.go", Line: 7, Lines: []int{7}}, false},
		{HotPlace{Function: "f", File: "b.go", Line: 7, Lines: []int{7}}, false},
	} {
		if p.same(&c.q) != c.same || c.q.same(&p) != c.same {
			t.Errorf("%+v: not %v", c.q, c.same)
		}
	}
	got := row("x", []Recording{{Samples: 300, Places: []HotPlace{p}}, {Samples: 200}, {Samples: 250, Places: []HotPlace{{Function: "g"}}}, {Samples: 400, Places: []HotPlace{p}}})
	if got[1] != "2 of 4" || got[2] != "a.go:7" || got[5] != "200" {
		t.Errorf("%q", got)
	}
}
