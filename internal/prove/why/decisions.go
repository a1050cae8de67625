package why

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/capture/compiler"
	format "whet/internal/format/compiler"
	"whet/internal/format/gosource"
	"whet/internal/lazyregexp"
)

// compilerLimit bounds the time that a finished result waits for the compiler.
const compilerLimit = time.Minute

// mostDecisions are shown of one function.
const mostDecisions = 12

// sideDecisions is the compiler's decisions in the packages of one side.
type sideDecisions struct {
	asked map[string]bool // packages
	in    map[key][]format.Decision
}

// addDecisions enters the compiler's decisions that differ into the change. The
// error is the context's; a compiler that fails is a warning.
func (p *pair) addDecisions(ctx context.Context, d *differ, c *compare.Change) error {
	for s := range p.sides {
		if err := p.ask(ctx, side(s), p.packagesOf(side(s), d, c), c); err != nil {
			return err
		}
	}
	if p.decisions[sideOld].asked == nil || p.decisions[sideNew].asked == nil {
		return nil
	}
	for i, k := range d.listed {
		if c.Functions[i].Only == "" {
			c.Functions[i].Decisions = differing(p.decisions[sideOld].in[k], p.decisions[sideNew].in[k])
		}
		for j := range c.Functions[i].Decisions {
			of := &c.Functions[i].Decisions[j]
			s := sideOld
			if of.Side == sideNew.String() {
				s = sideNew
			}
			of.File, _ = p.trees[s].finder.Display(of.File)
		}
	}
	return nil
}

// ask has the compiler compile the packages that it was not asked about yet.
func (p *pair) ask(ctx context.Context, s side, packages []string, c *compare.Change) error {
	have := &p.decisions[s]
	packages = slices.DeleteFunc(packages, func(path string) bool { return have.asked[path] })
	if len(packages) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, compilerLimit)
	defer cancel()
	of := p.sides[s]
	text, err := compiler.Diagnostics(limited, of.Binary.Target, of.Build, packages)
	if ctx.Err() != nil {
		return fmt.Errorf("ask the compiler about %v: %w", s, context.Cause(ctx))
	}
	if err != nil {
		warn(c, "the compiler's decisions on %v are missing: %v", s, err)
		return nil
	}
	if have.asked == nil {
		have.asked, have.in = make(map[string]bool), make(map[key][]format.Decision)
	}
	for _, path := range packages {
		have.asked[path] = true
	}
	for _, d := range format.Parse(text) {
		if k, ok := p.decisionKey(s, d); ok {
			have.in[k] = append(have.in[k], d)
		}
	}
	return nil
}

// decisionKey returns the function around a decision.
func (p *pair) decisionKey(s side, d format.Decision) (key, bool) {
	at := gosource.Position{Line: d.Line, Col: d.Col}
	fn := p.trees[s].at(d.File, at)
	if fn == nil {
		return "", false
	}
	k := key(p.path(s, fn.path) + "." + fn.Name)
	if i := fn.LiteralAt(at); i >= 0 {
		k += p.literal(s, fn, i)
	}
	return k, true
}

// numbers of literals differ without meaning.
var numbers = lazyregexp.Pattern{Text: `\.(func|gowrap|deferwrap)?\d+(\.\d+)*`}

// statement is a decision in a form that both sides share.
type statement struct {
	format.Decision
	subject string // of the decision
	show    string
}

func state(d format.Decision) statement {
	s := statement{Decision: d, subject: d.Text, show: d.Text}
	switch d.Kind {
	case format.CanInline:
		s.show, _, _ = strings.Cut(d.Text, " as: ")
		s.subject = strings.TrimPrefix(d.Text, "can inline ")
		s.subject, _, _ = strings.Cut(s.subject, " with cost ")
	case format.CannotInline:
		s.subject = strings.TrimPrefix(d.Text, "cannot inline ")
		s.subject, _, _ = strings.Cut(s.subject, ": ")
	case format.MovedToHeap:
		s.subject = strings.TrimPrefix(d.Text, "moved to heap: ")
	case format.Escapes:
		s.subject = strings.TrimSuffix(d.Text, " escapes to heap")
	case format.DoesNot:
		s.subject = strings.TrimSuffix(d.Text, " does not escape")
	}
	s.subject = numbers.Regexp().ReplaceAllString(s.subject, ".$1")
	return s
}

// differing lists the compiler's decisions about the same function that differ between
// the sides: whether it can be inlined, which calls in it were, and its allocations,
// with the position in which the other side does not allocate.
func differing(old, new []format.Decision) []compare.Decision {
	var lists [2][]statement
	for s, decisions := range [2][]format.Decision{old, new} {
		for _, d := range decisions {
			lists[s] = append(lists[s], state(d))
		}
	}
	var out []compare.Decision
	seen := make(map[compare.Decision]bool)
	list := func(s side, st statement) {
		d := compare.Decision{Side: s.String(), Kind: string(st.Kind), Text: st.show}
		if !seen[d] {
			seen[d] = true
			d.File, d.Line = st.File, st.Line
			out = append(out, d)
		}
	}
	for _, kinds := range [][]format.Kind{{format.CanInline, format.CannotInline}, {format.Escapes, format.MovedToHeap}, {format.DoesNot}, {format.Inlines}} {
		for s := range lists {
			for _, st := range lists[s] {
				if slices.Contains(kinds, st.Kind) && isOther(st, lists[s], lists[1-s]) {
					list(side(s), st)
				}
			}
		}
	}
	return out[:min(len(out), mostDecisions)]
}

// isOther reports whether a statement of one side differs from the other's.
func isOther(st statement, mine, theirs []statement) bool {
	count := func(list []statement, kinds ...format.Kind) int {
		n := 0
		for _, other := range list {
			if slices.Contains(kinds, other.Kind) && other.subject == st.subject {
				n++
			}
		}
		return n
	}
	switch st.Kind {
	case format.CanInline:
		return count(theirs, format.CannotInline) > 0 && count(theirs, format.CanInline) == 0
	case format.CannotInline:
		return count(theirs, format.CanInline) > 0 && count(theirs, format.CannotInline) == 0
	case format.Escapes, format.MovedToHeap:
		heap := []format.Kind{format.Escapes, format.MovedToHeap}
		return count(mine, heap...) > count(theirs, heap...)
	case format.DoesNot:
		heap := []format.Kind{format.Escapes, format.MovedToHeap}
		return count(theirs, heap...) > count(mine, heap...)
	case format.Inlines:
		return count(mine, format.Inlines) > count(theirs, format.Inlines)
	}
	return false
}
