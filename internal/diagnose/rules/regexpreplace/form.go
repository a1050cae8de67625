package regexpreplace

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// form is what a pattern means, where it means something simple. Exactly one
// of texts and chars is set.
type form struct {
	// texts are the literals of which one matches; none is empty, or begins with
	// another, so that their order means nothing.
	texts []string
	// chars is the class of which one character matches.
	chars *class
	run   bool // chars: one or more of them, as many as there are
	empty bool // chars: or none of them
	head  bool // at the beginning of the text only
	tail  bool // at its end only
	trim  bool // a run of chars at the beginning or at the end
}

// class is a set of characters: those listed, or all others. Only ASCII is
// listed; what is not valid UTF-8 counts as a character outside of ASCII, as it
// does in package regexp.
type class struct {
	ascii  [128]bool
	others bool // everything outside of ASCII is in it
}

const maxTexts = 16

// parse reads a pattern; ok is false where it means something else.
func parse(pattern string) (f form, ok bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return form{}, false
	}
	if f, ok := trims(bare(re)); ok {
		return f, true
	}
	return read(re)
}

func read(re *syntax.Regexp) (f form, ok bool) {
	re = bare(re)
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	if len(parts) > 0 && parts[0].Op == syntax.OpBeginText {
		f.head, parts = true, parts[1:]
	}
	if n := len(parts); n > 0 && parts[n-1].Op == syntax.OpEndText {
		f.tail, parts = true, parts[:n-1]
	}
	if len(parts) == 1 {
		core := bare(parts[0])
		f.empty = core.Op == syntax.OpStar
		f.run = f.empty || core.Op == syntax.OpPlus
		if f.run && core.Flags&syntax.NonGreedy != 0 {
			return form{}, false
		}
		if f.run {
			core = bare(core.Sub[0])
		}
		// A class of one character is a text.
		if f.chars = classOf(core); f.chars != nil && (f.run || f.chars.others || len(f.chars.list(true)) > 1) {
			return f, true
		}
		if f.run {
			return form{}, false
		}
		f.chars = nil
	}
	f.texts, ok = texts(parts)
	return f, ok && prefixFree(f.texts)
}

// bare takes the parentheses off, of both sorts. What they capture does not
// matter for what is matched.
func bare(re *syntax.Regexp) *syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	return re
}

// trims knows ^[…]+|[…]+$, in either order.
func trims(re *syntax.Regexp) (form, bool) {
	if re.Op != syntax.OpAlternate || len(re.Sub) != 2 {
		return form{}, false
	}
	head, ok := read(re.Sub[0])
	tail, also := read(re.Sub[1])
	if head.tail {
		head, tail = tail, head
	}
	side := func(f form) bool { return f.run && !f.empty && f.head != f.tail }
	if !ok || !also || !side(head) || !side(tail) || !head.head || !tail.tail || *head.chars != *tail.chars {
		return form{}, false
	}
	return form{chars: head.chars, run: true, trim: true}, true
}

// classOf returns the class that an expression for one character means; nil for
// anything else, and for a class that lists characters outside of ASCII.
func classOf(re *syntax.Regexp) *class {
	ranges := re.Rune
	switch re.Op {
	case syntax.OpLiteral:
		if len(ranges) != 1 || folds(re) {
			return nil
		}
		ranges = []rune{ranges[0], ranges[0]}
	case syntax.OpAnyCharNotNL:
		ranges = []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case syntax.OpAnyChar:
		ranges = []rune{0, unicode.MaxRune}
	case syntax.OpCharClass:
	default:
		return nil
	}
	c := &class{}
	var beyond rune // how many characters outside of ASCII are in it
	for i := 0; i+1 < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		for r := lo; r <= min(hi, utf8.RuneSelf-1); r++ {
			c.ascii[r] = true
		}
		beyond += max(0, hi-max(lo, utf8.RuneSelf)+1)
	}
	c.others = beyond == unicode.MaxRune-utf8.RuneSelf+1
	if beyond > 0 && !c.others {
		return nil
	}
	return c
}

// folds reports whether a literal matches letters of the other case too.
func folds(re *syntax.Regexp) bool {
	return re.Flags&syntax.FoldCase != 0 && slices.ContainsFunc(re.Rune, func(r rune) bool { return unicode.SimpleFold(r) != r })
}

// texts lists what a sequence of expressions matches, if that is a few texts
// and none of them is empty.
func texts(parts []*syntax.Regexp) ([]string, bool) {
	out := []string{""}
	for _, re := range parts {
		one, ok := textsOf(re)
		if !ok || len(out)*len(one) > maxTexts {
			return nil, false
		}
		var longer []string
		for _, a := range out {
			for _, b := range one {
				longer = append(longer, a+b)
			}
		}
		out = longer
	}
	return out, !slices.Contains(out, "")
}

func textsOf(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpCapture:
		return textsOf(re.Sub[0])
	case syntax.OpLiteral:
		// The replacement character stands for invalid UTF-8 too.
		if folds(re) || slices.Contains(re.Rune, utf8.RuneError) {
			return nil, false
		}
		return []string{string(re.Rune)}, true
	case syntax.OpCharClass:
		var out []string
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if len(out) == maxTexts || r == utf8.RuneError {
					return nil, false
				}
				out = append(out, string(r))
			}
		}
		return out, len(out) > 0
	case syntax.OpConcat:
		return texts(re.Sub)
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			one, ok := textsOf(sub)
			if !ok || len(out)+len(one) > maxTexts {
				return nil, false
			}
			out = append(out, one...)
		}
		return out, true
	case syntax.OpQuest:
		one, ok := textsOf(re.Sub[0])
		return append(one, ""), ok
	case syntax.OpEmptyMatch:
		return []string{""}, true
	}
	return nil, false
}

// prefixFree reports whether no text begins with another: only then does it not
// matter which of them is tried first.
func prefixFree(list []string) bool {
	for i, a := range list {
		for j, b := range list {
			if i != j && strings.HasPrefix(a, b) {
				return false
			}
		}
	}
	return true
}
