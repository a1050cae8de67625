package diagnose

import (
	"strings"
	"testing"

	"whet/internal/typed/typedtest"
)

const homes = `package x

import "net/http"

type encoder struct{ n int }

func New() *encoder { return &encoder{} }

func (e *encoder) Encode() {
	buf := make([]byte, e.n)
	e.n += len(buf)
}

func (e *encoder) reads() {
	buf := make([]byte, e.n)
	clear(buf)
}

func (e *encoder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	buf := make([]byte, e.n)
	e.n += len(buf)
}

func Exported(n int) {
	buf := make([]byte, n)
	clear(buf)
}

func internal(n int) {
	for range n {
		buf := make([]byte, n)
		clear(buf)
	}
	other := make([]byte, n)
	clear(other)
	_ = func() {
		inner := make([]byte, n)
		clear(inner)
	}
}
`

// What the source shows of a place is in the remedy: a field, the caller, before
// the loop, a pool. Where it shows nothing, both are named.
func TestHome(t *testing.T) {
	s := &Subject{Source: text(homes), Program: typedtest.Program(t, typedtest.File{Package: "m/x", Frame: "x.go", Text: homes})}
	lines := strings.Split(homes, "\n")
	at := func(declares string, nth int) Location {
		for i, line := range lines {
			if strings.Contains(line, declares) {
				if nth--; nth < 0 {
					return Location{File: "x.go", Line: i + 1}
				}
			}
		}
		t.Fatalf("%q is not in the source", declares)
		return Location{}
	}
	for i, test := range []struct {
		at       Location
		want     string
		evidence bool
	}{
		{at("buf :=", 0), "in a field of *encoder", true},
		{at("buf :=", 1), Anywhere, false},
		{at("buf :=", 2), "in a sync.Pool", false},
		{at("buf :=", 3), "in a sync.Pool", false},
		{at("buf :=", 4), "in a variable before the loop or, if the function itself is called often, in a sync.Pool or, passed as an argument, with the caller", false},
		{at("other :=", 0), "in a sync.Pool or, passed as an argument, with the caller", false},
		{at("inner :=", 0), Anywhere, false},
		{Location{File: "unknown.go", Line: 1}, Anywhere, false},
	} {
		got, shown := s.home("Keep it "+Anywhere+", and Reset it.", test.at)
		if got != "Keep it "+test.want+", and Reset it." || len(shown) > 0 != test.evidence {
			t.Errorf("%d: %q, %v; want %q", i, got, shown, test.want)
		}
	}
	// A remedy that speaks of the loop is not told twice, and another not at all.
	const looped = "Allocate it once before the loop. If the function itself is called often: keep it "
	if got, _ := s.home(looped+Anywhere+".", at("buf :=", 4)); got != looped+"in a sync.Pool or, passed as an argument, with the caller." {
		t.Error(got)
	}
	if got, shown := s.home("Use a slice.", at("buf :=", 0)); got != "Use a slice." || shown != nil {
		t.Error(got, shown)
	}
}
