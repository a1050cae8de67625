package selection

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"whet/internal/callstack"
	"whet/internal/symbolname"
)

// pattern is an option's regular expression with the answers it gave.
type pattern struct {
	option  string // -focus=RE; "" of the profile's own
	re      *regexp.Regexp
	answers map[string]bool
	matched bool // anything that was asked for
}

// compile reads the expression of an option; "" gives nil.
func compile(option, expression string) (*pattern, error) {
	if expression == "" {
		return nil, nil
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("-%s=%s is not a regular expression: %w", option, expression, reason(err))
	}
	return &pattern{option: "-" + option + "=" + expression, re: re, answers: make(map[string]bool)}, nil
}

// reason leaves out what every error of package regexp begins with.
func reason(err error) error {
	var e *syntax.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%s: `%s`", e.Code, e.Expr)
	}
	return err
}

func (p *pattern) is(s string) bool {
	yes, ok := p.answers[s]
	if !ok {
		yes = p.re.MatchString(s)
		p.answers[s] = yes
	}
	return yes
}

func (p *pattern) function(f *callstack.Function) bool { return p.is(f.Name) || p.is(f.File) }

// spot is a location as the rules see it.
type spot struct {
	lines  []callstack.SourceLine // innermost first
	mapped bool
	object string // the mapping's file
	added  bool   // made of a label
}

// object reports whether the mapping's file matches.
func (p *pattern) object(at *spot) bool { return at.mapped && p.is(at.object) }

// flags are what is decided of a location, or of all on a stack.
type flags uint16

const (
	focused      flags = 1 << iota // it matches focus, or there is none, and not ignore
	ignored                        // it matches ignore
	hidden                         // it has no frames left
	visible                        // it has
	opening                        // it matches show_from
	closing                        // it matches prune_from
	dropped                        // it is to be dropped with all it calls
	droppedBelow                   // all it calls is to be dropped
	spared                         // neither: what follows it on a stack may be dropped
	cutOff                         // of stacks: nothing may follow
)

// rules are the options that decide about places in the program.
type rules struct {
	functions  []callstack.Function
	drop, keep *pattern // the recorder's
	names      bool     // any of the next four

	focus, ignore, hide, show, showFrom, pruneFrom *pattern
	asked                                          []*pattern // those of them that there are
}

func newRules(o *Options, m *callstack.Meta) (r *rules, warnings []string, err error) {
	r = new(rules)
	for _, option := range []struct {
		name, expression string
		to               **pattern
	}{
		{"focus", o.Focus, &r.focus}, {"ignore", o.Ignore, &r.ignore}, {"hide", o.Hide, &r.hide}, {"show", o.Show, &r.show},
		{"show_from", o.ShowFrom, &r.showFrom}, {"prune_from", o.PruneFrom, &r.pruneFrom},
	} {
		if *option.to, err = compile(option.name, option.expression); err != nil {
			return nil, nil, err
		}
		if *option.to != nil {
			r.asked = append(r.asked, *option.to)
		}
	}
	r.names = r.focus != nil || r.ignore != nil || r.hide != nil || r.show != nil
	if m.DropFrames == "" || o.AllFrames {
		return r, nil, nil
	}
	whole := func(expression string) (*pattern, error) {
		if expression == "" {
			return nil, nil
		}
		re, err := regexp.Compile("^(" + expression + ")$")
		if err != nil {
			return nil, err
		}
		return &pattern{re: re, answers: make(map[string]bool)}, nil
	}
	if r.keep, err = whole(m.KeepFrames); err == nil {
		r.drop, err = whole(m.DropFrames)
	}
	if err != nil { // pprof says nothing
		r.drop = nil
		warnings = append(warnings, fmt.Sprintf("the profile's drop_frames is not a regular expression (%v): those frames are shown", reason(err)))
	}
	return r, warnings, nil
}

// active reports whether there is anything to decide.
func (r *rules) active() bool { return r.drop != nil || r.pruneFrom != nil || r.needs() != 0 }

// needs returns what a stack's locations must be, together, for it to be left.
func (r *rules) needs() (f flags) {
	if r.names {
		f |= focused | visible
	}
	if r.showFrom != nil {
		f |= opening
	}
	return f
}

// decide applies the rules to a location: it returns the lines that are left,
// and what the location does to a stack.
func (r *rules) decide(at spot) (lines []callstack.SourceLine, f flags) {
	if r.drop != nil && !at.added {
		f = r.decideDrop(&at)
	}
	if r.names {
		f |= r.decideNames(&at)
	}
	if r.showFrom != nil && r.opens(&at) {
		r.showFrom.matched = true
		f |= opening
	}
	if r.pruneFrom != nil {
		for i, l := range at.lines {
			if name := r.functions[l.Function].Name; name != "" && r.pruneFrom.is(symbolname.Plain(name)) {
				r.pruneFrom.matched = true
				at.lines = at.lines[i:]
				f |= closing
				break
			}
		}
	}
	if f&hidden != 0 {
		return nil, f &^ (opening | closing) // it is on no stack
	}
	return at.lines, f | visible
}

func (r *rules) decideDrop(at *spot) flags {
	last := len(at.lines) - 1
	for i := last; i >= 0; i-- {
		name := r.functions[at.lines[i].Function].Name
		if name == "" {
			continue
		}
		name = symbolname.Plain(name)
		if !r.drop.is(name) || r.keep != nil && r.keep.is(name) {
			continue
		}
		if i == last {
			return dropped
		}
		at.lines = at.lines[i+1:]
		return droppedBelow
	}
	return spared
}

func (r *rules) decideNames(at *spot) (f flags) {
	switch {
	case r.ignore != nil && r.any(r.ignore, at):
		r.ignore.matched = true
		f = ignored
	case r.focus == nil:
		f = focused
	case r.any(r.focus, at):
		r.focus.matched = true
		f = focused
	}
	if r.hide != nil && r.any(r.hide, at) {
		r.hide.matched = true
		at.lines = r.filter(at, r.hide, false)
		if len(at.lines) == 0 {
			f |= hidden
		}
	}
	if r.show != nil {
		at.lines = r.filter(at, r.show, true)
		if len(at.lines) == 0 {
			f |= hidden
		} else {
			r.show.matched = true
		}
	}
	return f
}

// any reports whether a line or the mapping of a location matches.
func (r *rules) any(p *pattern, at *spot) bool {
	for _, l := range at.lines {
		if p.function(&r.functions[l.Function]) {
			return true
		}
	}
	return p.object(at)
}

// filter returns the lines that match, or those that do not; a mapping that
// matches stands for all its lines.
func (r *rules) filter(at *spot, p *pattern, want bool) []callstack.SourceLine {
	if p.object(at) {
		if want {
			return at.lines
		}
		return nil
	}
	var out []callstack.SourceLine
	for _, l := range at.lines {
		if p.function(&r.functions[l.Function]) == want {
			out = append(out, l)
		}
	}
	return out
}

// opens reports whether a stack may begin at a location, and cuts off its
// lines nearer to the root than the first that matches.
func (r *rules) opens(at *spot) bool {
	if r.showFrom.object(at) {
		return true
	}
	for i := len(at.lines) - 1; i >= 0; i-- {
		if r.showFrom.function(&r.functions[at.lines[i].Function]) {
			at.lines = at.lines[:i+1]
			return true
		}
	}
	return false
}

// unmatched says which expressions matched nothing.
func (r *rules) unmatched() (warnings []string) {
	for _, p := range r.asked {
		if !p.matched {
			warnings = append(warnings, p.option+noMatch)
		}
	}
	return warnings
}

const noMatch = " matched no samples"
