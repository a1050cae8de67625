package escape

import (
	"cmp"
	"slices"
	"strings"

	"whet/internal/format/compiler"
	"whet/internal/lazyregexp"
)

// ChangeKind is the kind of difference of a decision between two versions of the
// source.
type ChangeKind string

const (
	NewEscape    ChangeKind = "new-escape"
	GoneEscape   ChangeKind = "gone-escape"
	LostInline   ChangeKind = "lost-inlining"   // a function, or a call, that was inlined before
	GainedInline ChangeKind = "gained-inlining" // that was not
	NewCheck     ChangeKind = "new-check"
	GoneCheck    ChangeKind = "gone-check"
)

// Worse reports whether the change costs something.
func (k ChangeKind) Worse() bool { return k == NewEscape || k == LostInline || k == NewCheck }

// Change is a decision that differs.
type Change struct {
	Kind     ChangeKind
	Function string // around its position
	What     string
	Location compiler.Location // on the new side, or on the old where it is gone
	Code     string
	// Added: the function is not on the other side.
	Added bool
}

// numbers of literals differ without meaning.
var numbers = lazyregexp.Pattern{Text: `\.(func|gowrap|deferwrap)?[0-9]+(\.[0-9]+)*`}

// decisionKey identifies a decision when lines move.
type decisionKey struct{ kind, function, what string }

type occurrence struct {
	place compiler.Location
	code  string
}

// side is a result's decisions by what they are about.
type side struct {
	of        map[decisionKey][]occurrence
	order     []decisionKey
	functions map[string]bool
}

func (s *side) add(kind, function, what string, at compiler.Location, code string) {
	k := decisionKey{kind, function, numbers.Regexp().ReplaceAllString(what, ".$1")}
	if len(s.of[k]) == 0 {
		s.order = append(s.order, k)
	}
	s.of[k] = append(s.of[k], occurrence{at, code})
}

func sideOf(r *Result) *side {
	s := &side{of: make(map[decisionKey][]occurrence), functions: make(map[string]bool)}
	for i := range r.Escapes {
		if e := &r.Escapes[i]; !e.Static() {
			s.add("escape", e.Site.Function, e.Verdict(), e.Location, e.Code)
		}
	}
	for i := range r.Inlining {
		n := &r.Inlining[i]
		if !n.OfCall() {
			s.functions[n.Site.Function] = true
		}
		short := n.Inlining.Function[strings.LastIndexByte(n.Inlining.Function, '/')+1:] // text and JSON name the package differently
		s.add(string(n.Outcome), n.Site.Function, short, n.Location, n.Code)
	}
	for i := range r.Checks {
		c := &r.Checks[i]
		s.add("check", c.Function, string(c.Kind)+" "+c.Code, c.Location, c.Code)
	}
	return s
}

// Compare lists the decisions that differ between old and new. Decisions are matched by
// function and text, wherever their lines moved; of several equal ones, those on new
// lines of source are the new ones.
func Compare(old, new *Result) []Change {
	a, b := sideOf(old), sideOf(new)
	var out []Change
	list := func(kind ChangeKind, k decisionKey, here, there *side) {
		for _, d := range surplus(here.of[k], there.of[k]) {
			what := k.what
			if k.kind == "check" {
				what, _, _ = strings.Cut(what, " ")
			}
			out = append(out, Change{kind, k.function, what, d.place, d.code, !there.functions[k.function] && here.functions[k.function]})
		}
	}
	for _, k := range b.order {
		switch k.kind {
		case "escape":
			list(NewEscape, k, b, a)
		case "check":
			if old.JSON && new.JSON {
				list(NewCheck, k, b, a)
			}
		case string(compiler.CannotBeInlined):
			if len(a.of[decisionKey{string(compiler.CanBeInlined), k.function, k.what}]) > 0 {
				list(LostInline, k, b, a)
			}
		case string(compiler.CanBeInlined):
			if len(a.of[decisionKey{string(compiler.CannotBeInlined), k.function, k.what}]) > 0 {
				list(GainedInline, k, b, a)
			}
		case string(compiler.CallNotInlined), string(compiler.CallInlined):
			other, kind := compiler.CallInlined, LostInline
			if k.kind == string(compiler.CallInlined) {
				other, kind = compiler.CallNotInlined, GainedInline
			}
			o := a.inlined(other, k)
			if old.JSON && new.JSON && o > b.inlined(other, k) {
				list(kind, k, b, a)
			}
		}
	}
	for _, k := range a.order {
		switch k.kind {
		case "escape":
			list(GoneEscape, k, a, b)
		case "check":
			if old.JSON && new.JSON {
				list(GoneCheck, k, a, b)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Change) int {
		worse := func(c Change) int {
			if c.Kind.Worse() {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(worse(x), worse(y)), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Function, y.Function), x.Location.Compare(y.Location.Position))
	})
	return out
}

// inlined returns how many calls of the same function have another outcome, in the same
// function.
func (s *side) inlined(outcome compiler.Outcome, k decisionKey) int {
	n := 0
	for o, list := range s.of {
		if o.kind == string(outcome) && o.function == k.function && sameCallee(o.what, k.what) {
			n += len(list)
		}
	}
	return n
}

// sameCallee compares names of which one may lack the package.
func sameCallee(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || strings.HasSuffix(b, "."+a)
}

// surplus returns the elements that here has more of than there: first those whose line of source
// is not there.
func surplus(here, there []occurrence) []occurrence {
	n := len(here) - len(there)
	if n <= 0 {
		return nil
	}
	left := make(map[string]int)
	for _, d := range there {
		left[d.code]++
	}
	var out, known []occurrence
	for _, d := range here {
		if left[d.code] > 0 {
			left[d.code]--
			known = append(known, d)
			continue
		}
		out = append(out, d)
	}
	slices.Reverse(known)
	out = append(out, known...)[:n]
	slices.SortStableFunc(out, func(x, y occurrence) int { return x.place.Compare(y.place.Position) })
	return out
}
