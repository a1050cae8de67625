package rules_test

import (
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/explain"
)

const atOnceSource = `package app

import ("example.com/xhash"; "example.com/yhash"; "hash/fnv")

func key(s string) uint64 { // 5
	h := xhash.New() // 6
	h.WriteString(s) // 7
	return h.Sum64() // 8
}

func joined(a, b string) uint64 {
	h := xhash.New() // 12
	h.WriteString(a) // 13
	h.WriteString(b)
	return h.Sum64()
}

func other(s string) uint64 {
	h := fnv.New64a() // 19
	h.Write([]byte(s)) // 20
	return h.Sum64()
}

func all(list []string) uint64 {
	h := xhash.New() // 25
	for _, s := range list {
		h.WriteString(s) // 27
	}
	return h.Sum64()
}

func bytes(b []byte) uint64 {
	h := xhash.New() // 33
	h.Write(b) // 34
	return h.Sum64()
}

func some(s string) uint64 {
	h := xhash.New() // 39
	if s != "" {
		h.WriteString(s)
	}
	return h.Sum64()
}

func which(s string) uint64 {
	h := yhash.New() // 47
	h.WriteString(s)
	return h.Sum64()
}
`

// TestAtOnce: an object for input in pieces that gets one piece.
func TestAtOnce(t *testing.T) {
	const (
		makes  = " example.com/xhash.New"
		writes = " example.com/xhash.(*Hasher).WriteString"
	)
	for _, test := range []struct {
		name, at string
		n        int64 // of 1000 samples
		line     int   // of the finding; 0: none
	}{
		{"one text", "m/app.key:6" + makes, 400, 6},
		{"a long text", "m/app.key:7" + writes, 400, 0},
		{"little of the time", "m/app.key:6" + makes, 140, 0},
		{"two texts", "m/app.joined:12" + makes, 400, 0},
		{"no function for it", "m/app.other:19 hash/fnv.New64a", 400, 0},
		{"a list", "m/app.all:25" + makes, 400, 0},
		{"no function for bytes", "m/app.bytes:33" + makes, 400, 0},
		{"a text that is not always written", "m/app.some:39" + makes, 400, 0},
		{"sums of two kinds", "m/app.which:47 example.com/yhash.New", 400, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := app(t, atOnceSource, known, []stack{{frames: test.at, n: test.n}, {frames: "other.work", n: 1000 - test.n}}, nil)
			reg, err := diagnose.NewRegistry(explain.Rules()...)
			if err != nil {
				t.Fatal(err)
			}
			line := 0
			for _, f := range run(t, reg, []*diagnose.Subject{s}).Findings {
				if f.Rule == "library-work" {
					line = f.Line
					if !strings.HasPrefix(f.Remedy, "Call xhash.Hash(s)") {
						t.Errorf("it says %q", f.Remedy)
					}
				}
			}
			if line != test.line {
				t.Errorf("it speaks of line %d, want %d", line, test.line)
			}
		})
	}
}
