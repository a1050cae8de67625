package escape

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"whet/internal/format/compiler"
	"whet/internal/quantity"
)

// Limit is a limit on the decisions about a function.
type Limit struct {
	Line        int    // in the file
	Function    string // symbol, or its part from the package's last element on: "p.(*T).M"
	Allocations int    // values on the heap at most; -1: any number
	Checks      int    // bounds and nil checks at most; -1: any number
	Inlined     bool   // it can be inlined, and every call of it in the packages is
}

// mostLimits bounds a file of them.
const mostLimits = 100_000

// ParseLimits reads a file of limits: one line per function, with its name and its
// limits: no-escapes, inlined, allocations<=N, checks<=N. # begins a comment.
func ParseLimits(data []byte) ([]Limit, error) {
	var out []Limit
	seen := make(map[string]int)
	n := 0
	for line := range bytes.Lines(data) {
		n++
		text, _, _ := strings.Cut(string(line), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		l := Limit{Line: n, Function: words[0], Allocations: -1, Checks: -1}
		if len(words) == 1 {
			return nil, fmt.Errorf("line %d: %s has no limit: add no-escapes, inlined, allocations<=N or checks<=N", n, l.Function)
		}
		if first, ok := seen[l.Function]; ok {
			return nil, fmt.Errorf("line %d: %s has limits on line %d already", n, l.Function, first)
		}
		seen[l.Function] = n
		for _, word := range words[1:] {
			if !l.set(word) {
				return nil, fmt.Errorf("line %d: %q is not a limit: want no-escapes, inlined, allocations<=N or checks<=N", n, word)
			}
		}
		if len(out) == mostLimits {
			return nil, fmt.Errorf("line %d: there are more than %d limits", n, mostLimits)
		}
		out = append(out, l)
	}
	return out, nil
}

func (l *Limit) set(word string) bool {
	switch word {
	case "no-escapes":
		l.Allocations = 0
		return true
	case "inlined":
		l.Inlined = true
		return true
	}
	name, number, ok := strings.Cut(word, "<=")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 0 {
		return false
	}
	switch name {
	case "allocations":
		l.Allocations = n
	case "checks":
		l.Checks = n
	default:
		return false
	}
	return true
}

// String returns the limit as it is written.
func (l Limit) String() string {
	text := l.Function
	switch {
	case l.Allocations == 0:
		text += " no-escapes"
	case l.Allocations > 0:
		text += fmt.Sprintf(" allocations<=%d", l.Allocations)
	}
	if l.Inlined {
		text += " inlined"
	}
	if l.Checks >= 0 {
		text += fmt.Sprintf(" checks<=%d", l.Checks)
	}
	return text
}

// Broken is a limit that does not hold.
type Broken struct {
	Limit    Limit
	Location compiler.Location // the first that breaks it; no file where the function is not there
	Text     string
}

// Broken returns the limits that do not hold. A limit for a missing function does not
// hold, so that renaming the function is reported.
func (r *Result) Broken(limits []Limit) []Broken {
	var out []Broken
	for _, l := range limits {
		add := func(at compiler.Location, format string, args ...any) {
			out = append(out, Broken{l, at, fmt.Sprintf(format, args...)})
		}
		declared, found := r.declared(l.Function)
		if !found {
			add(compiler.Location{}, "no function %s in these packages", l.Function)
			continue
		}
		if l.Allocations >= 0 {
			var at []*Escape
			// Each shape of a generic function has its own; what a call that was inlined
			// allocates is another value at each call.
			seen := make(map[string]bool)
			key := func(p *compiler.Location) string { return fmt.Sprint(p.Position, p.Inlined) }
			// What is called by its type arguments wraps a shape, and stands at its declaration.
			seen[key(&declared.Location)] = strings.Contains(l.Function, "[...]")
			for i := range r.Escapes {
				if e := &r.Escapes[i]; !e.Static() && named(e.Site.Function, l.Function) && !seen[key(&e.Location)] {
					seen[key(&e.Location)] = true
					at = append(at, e)
				}
			}
			if len(at) > l.Allocations {
				add(at[l.Allocations].Location, "%s on the heap, at most %d allowed: %s", quantity.Plural(len(at), "value"), l.Allocations, at[l.Allocations].Verdict())
			}
		}
		if l.Checks >= 0 {
			var at []*Check
			for i := range r.Checks {
				if c := &r.Checks[i]; named(c.Function, l.Function) {
					at = append(at, c)
				}
			}
			switch {
			case !r.JSON:
				add(declared.Location, "the number of checks is unknown")
			case len(at) > l.Checks:
				add(at[l.Checks].Location, "%s left, at most %d allowed: %s", quantity.Plural(len(at), "check"), l.Checks, at[l.Checks].Kind)
			}
		}
		if !l.Inlined {
			continue
		}
		if declared.Outcome != compiler.CanBeInlined {
			add(declared.Location, "it cannot be inlined: %s", declared.Reason)
			continue
		}
		for i := range r.Inlining {
			if n := &r.Inlining[i]; n.Outcome == compiler.CallNotInlined && named(n.Inlining.Function, l.Function) {
				add(n.Location, "a call to it is not inlined: %s", n.Reason)
				break
			}
		}
	}
	return out
}

// declared returns what the compiler says of a function itself.
func (r *Result) declared(function string) (*Inlining, bool) {
	for i := range r.Inlining {
		n := &r.Inlining[i]
		if !n.OfCall() && named(n.Site.Function, function) && !strings.Contains(n.Inlining.Function, ".func") {
			return n, true
		}
	}
	return nil, false
}

// named reports whether a symbol goes by a name: all of it, or from the last element of
// its package's path on.
func named(symbol, name string) bool {
	if symbol == name {
		return true
	}
	head, _, _ := strings.Cut(symbol, "[") // type arguments have slashes too
	if i := strings.LastIndexByte(head, '/'); i >= 0 {
		return symbol[i+1:] == name
	}
	return false
}
