package explain

import (
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"slices"

	"whet/internal/analyze/places"
	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/typed"
)

// leastShare is what a kind of cost takes of the base's time at a place at least for
// its rule to claim it.
const leastShare = diagnose.LeastAsked

// mostOf is the part of a place that a kind of cost takes at least to be its cause.
const mostOf = 0.3

// account is a hot place taken apart: its samples by what they are, and the calls of the
// user's own that they come through.
type account struct {
	*diagnose.Subject
	*diagnose.Spot
	pkg   *typed.Package // nil: not typed
	decl  *ast.FuncDecl
	kinds map[places.Kind]*diagnose.Sets
	calls map[string]*diagnose.Sets // by the outermost function below the line; "" is the line itself
	lines map[int]*diagnose.Sets
}

type accountKey struct{ at *diagnose.Spot }

// look takes a place apart, once for all rules.
func look(s *diagnose.Subject, at *diagnose.Spot) *account {
	return diagnose.Once(s, accountKey{at}, func(s *diagnose.Subject) *account {
		v := &account{Subject: s, Spot: at, kinds: make(map[places.Kind]*diagnose.Sets), calls: make(map[string]*diagnose.Sets), lines: make(map[int]*diagnose.Sets)}
		s.EachWork(at, func(w diagnose.Work) {
			called := ""
			if n := len(w.Below); n > 0 {
				called = w.Of.Frame(w.Below[n-1]).Function
			}
			add(s, v.kinds, w.Kind, w)
			add(s, v.calls, called, w)
			add(s, v.lines, w.Line, w)
		})
		if v.pkg = s.PackageOf(at.File); v.pkg != nil {
			if f := s.FunctionAt(at.File, at.Lines[0]); f != nil {
				v.decl = f.Node
			}
		}
		return v
	})
}

func add[K comparable](s *diagnose.Subject, of map[K]*diagnose.Sets, key K, w diagnose.Work) {
	if of[key] == nil {
		of[key] = new(diagnose.Sets)
	}
	of[key].Of(s, w.Of).Add(w.Index)
}

// share returns the part of the base's CPU time that samples are.
func (v *account) share(of *diagnose.Sets) float64 {
	if of == nil {
		return 0
	}
	return v.CPUShare(of.CPU.Keep())
}

// all returns the place's own part of the base's CPU time.
func (v *account) all() float64 { return v.share(&v.Cost) }

// matters reports whether samples are enough of the base, and of the place.
func (v *account) matters(of *diagnose.Sets, least float64) bool {
	share := v.share(of)
	return share >= least && share >= mostOf*v.all()
}

// below returns the samples below functions whose name begins in one of some ways, and the
// name that has most of them.
func (v *account) below(begins func(function string) bool) (sum *diagnose.Sets, most string) {
	sum = new(diagnose.Sets)
	for name, sets := range v.calls {
		if name == "" || !begins(name) {
			continue
		}
		sum.Join(sets)
		if a, b := v.share(sets), v.share(v.calls[most]); most == "" || a > b || a == b && name < most {
			most = name
		}
	}
	return sum, most
}

// called returns the function that the line calls in most of some samples.
func (v *account) called(of *diagnose.Sets) string {
	names := slices.Sorted(maps.Keys(v.calls))
	share := func(name string) float64 { return v.CPUShare(both(&of.CPU, &v.calls[name].CPU)) }
	return slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(share(a), share(b)) })
}

// heaviest returns the line of the place that has most of some samples.
func (v *account) heaviest(of *diagnose.Sets) int {
	weight := func(line int) float64 {
		return v.CPUShare(both(&of.CPU, &v.lines[line].CPU)) + v.AllocShare(both(&of.Allocs, &v.lines[line].Allocs))
	}
	lines := make([]int, 0, len(v.lines))
	for line := range v.lines {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return slices.MaxFunc(lines, func(a, b int) int { return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(b, a)) })
}

func both(a, b *diagnose.Set) diagnose.Keep {
	return func(i int) bool { return a.Has(i) && b.Has(i) }
}

// claim claims samples at the line that has most of them; nil where the source is not
// typed, so that nothing shows what else the line does.
func (v *account) claim(of *diagnose.Sets, why, remedy string, more ...finding.Evidence) *diagnose.Claim {
	return v.claimAt(v.File, v.heaviest(of), v.Function, of, why, remedy, more...)
}

func (v *account) claimAt(file string, line int, function string, of *diagnose.Sets, why, remedy string, more ...finding.Evidence) *diagnose.Claim {
	if v.PackageOf(file) == nil {
		return nil
	}
	st := v.Statement(file, line)
	c := &diagnose.Claim{Place: st.Place(function), Cost: of.Samples(), Confidence: finding.Low, Why: why, Remedy: remedy}
	c.Place.Line, c.Place.EndLine = line, max(line, c.Place.EndLine)
	c.Evidence = append(v.CPUEvidence(c.Cost.CPU, "are there"), v.AllocEvidence(c.Cost.Allocs)...)
	c.Evidence = append(c.Evidence, more...)
	return c
}

// percent returns the part of the base's time that samples are, for a sentence.
func (v *account) percent(of *diagnose.Sets) string {
	return quantity.Percent(v.share(of)) + " of the time"
}

// said returns what the compiler said on the place's lines that ends in one of some words.
func (v *account) said(line int, is func(text string) bool) (more []finding.Evidence) {
	if v.Decisions == nil {
		return nil
	}
	for _, text := range v.Decisions(diagnose.SourceLine{File: v.File, Line: line}) {
		if is(text) {
			more = append(more, finding.Evidence{Kind: "compiler", Text: fmt.Sprintf("line %d: %s", line, text)})
		}
	}
	return more
}
