package regexpreplace

import (
	"fmt"
	"strconv"
	"strings"
)

// operation is what takes a method's place.
type operation uint8

const (
	contains operation = iota
	begins
	ends
	equals
	allOf // every character is of the class
	sides // the first or the last character is
	replace
	cutHead
	cutTail
	trimBoth
	split
	index
	found // the text that is found, or none
)

// plan is a method's equivalent for one pattern.
type plan struct {
	form
	op    operation
	repl  string // of replace, cutHead, cutTail
	known bool   // repl is
	bytes bool   // of a []byte
}

// maxListed is how many characters are written one by one, as the arguments of
// a replacer or a cutset; more are written as ranges, for a loop.
const maxListed = 16

// planFor finds the equivalent of a method of *regexp.Regexp, by its bare name,
// for a pattern. repl is its replacement, nil: not constant.
func planFor(pattern, method string, repl *string) (plan, bool) {
	f, ok := parse(pattern)
	if !ok {
		return plan{}, false
	}
	p := plan{form: f}
	switch method {
	case "Match":
		p.bytes = true
		return p.match()
	case "MatchString":
		return p.match()
	case "ReplaceAll", "ReplaceAllLiteral":
		p.bytes = true
		fallthrough
	case "ReplaceAllString", "ReplaceAllLiteralString":
		if repl != nil {
			p.repl, p.known = *repl, true
		}
		literal := strings.Contains(method, "Literal")
		if !literal && (!p.known || strings.Contains(p.repl, "$")) {
			return plan{}, false // it may ask for what was matched
		}
		return p.replacing()
	case "Split":
		p.op = split
		return p, p.plain() && (len(p.texts) == 1 || p.listable() && !p.run)
	case "FindIndex", "Find":
		p.bytes = true
		fallthrough
	case "FindStringIndex", "FindString":
		p.op = index
		if !strings.HasSuffix(method, "Index") {
			p.op = found
		}
		return p, p.plain() && (len(p.texts) == 1 || p.listable() && !p.run)
	}
	return plan{}, false
}

// plain: it may match anywhere.
func (p *plan) plain() bool { return !p.head && !p.tail && !p.trim }

// listable: a class of few characters, all of which are named.
func (p *plan) listable() bool {
	return p.chars != nil && !p.chars.others && len(p.chars.list(true)) <= maxListed
}

func (p plan) match() (plan, bool) {
	switch {
	case p.trim:
		p.op = sides
	case p.head && p.tail:
		p.op = equals
		if p.chars != nil {
			p.op = allOf
			return p, p.run // one character of others is not one byte
		}
	case p.empty:
		return plan{}, false // it always matches
	case p.head:
		p.op = begins
	case p.tail:
		p.op = ends
	}
	return p, true
}

func (p plan) replacing() (plan, bool) {
	// Each character of a run is removed, or the run as a whole: that is the
	// same only where nothing is put in its place.
	if p.empty || p.run && (!p.known || p.repl != "") {
		return plan{}, false
	}
	switch {
	case p.trim:
		p.op = trimBoth
		return p, p.listable()
	case p.head && p.tail:
		return plan{}, false
	case p.head, p.tail:
		p.op = cutHead
		if p.tail {
			p.op = cutTail
		}
		return p, p.known && (len(p.texts) == 1 || p.run && p.listable())
	}
	p.op = replace
	if len(p.texts) == 1 {
		return p, true
	}
	return p, p.known && (p.chars != nil || !p.bytes)
}

// list returns the ASCII characters that are in the class, or are not.
func (c *class) list(in bool) string {
	var b strings.Builder
	for ch, is := range c.ascii {
		if is == in {
			b.WriteByte(byte(ch))
		}
	}
	return b.String()
}

// listed writes characters for people and for Go: few as a string, many as
// ranges.
func listed(chars string) string {
	if len(chars) <= maxListed {
		return strconv.Quote(chars)
	}
	var parts []string
	for i := 0; i < len(chars); {
		j := i
		for j+1 < len(chars) && chars[j+1] == chars[j]+1 {
			j++
		}
		if j-i < 2 {
			j = i
			parts = append(parts, strconv.QuoteRune(rune(chars[i])))
		} else {
			parts = append(parts, strconv.QuoteRune(rune(chars[i]))+" to "+strconv.QuoteRune(rune(chars[j])))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// one names what a byte of the class is: what a loop asks.
func (c *class) one() string {
	if !c.others {
		return "one of " + listed(c.list(true))
	}
	if out := c.list(false); out != "" {
		return "none of " + listed(out)
	}
	return "any"
}

// words say what to write in place of the method.
func (p *plan) words() string {
	pkg, lit := "strings", strconv.Quote
	if p.bytes {
		pkg, lit = "bytes", func(s string) string { return "[]byte(" + strconv.Quote(s) + ")" }
	}
	each := func(format string) string {
		var out []string
		for _, t := range p.texts {
			out = append(out, fmt.Sprintf(format, pkg, lit(t)))
		}
		return strings.Join(out, " || ")
	}
	switch p.op {
	case contains:
		switch {
		case p.texts != nil:
			return each("%s.Contains(s, %s)")
		case p.listable():
			return fmt.Sprintf("%s.ContainsAny(s, %s)", pkg, listed(p.chars.list(true)))
		}
		return "a loop over the bytes that looks for one that is " + p.chars.one()
	case begins, ends:
		at, fn := "s[0]", "HasPrefix"
		if p.op == ends {
			at, fn = "s[len(s)-1]", "HasSuffix"
		}
		if p.texts != nil {
			return each("%s." + fn + "(s, %s)")
		}
		return fmt.Sprintf("len(s) > 0 and %s being %s", at, p.chars.one())
	case sides:
		return "len(s) > 0 and s[0] or s[len(s)-1] being " + p.chars.one()
	case equals:
		if p.bytes {
			return each("%s.Equal(s, %s)")
		}
		return strings.ReplaceAll(each("%s s == %s"), pkg+" ", "")
	case allOf:
		text := "a loop over the bytes that stops at one that is not " + p.chars.one()
		if p.chars.others {
			text = "a loop over the bytes that stops at one of " + listed(p.chars.list(false))
		}
		if !p.empty {
			text += " (and no match for an empty text)"
		}
		return text
	case replace:
		return p.replaceWords(pkg, lit)
	case cutHead, cutTail:
		if p.texts == nil {
			return fmt.Sprintf("%s.%s(s, %s)", pkg, map[operation]string{cutHead: "TrimLeft", cutTail: "TrimRight"}[p.op], listed(p.chars.list(true)))
		}
		side := map[operation]string{cutHead: "Prefix", cutTail: "Suffix"}[p.op]
		if p.repl == "" {
			return fmt.Sprintf("%s.Trim%s(s, %s)", pkg, side, lit(p.texts[0]))
		}
		return fmt.Sprintf("%s.Cut%s(s, %s), and %q put in its place where it was found", pkg, side, lit(p.texts[0]), p.repl)
	case trimBoth:
		return fmt.Sprintf("%s.Trim(s, %s)", pkg, listed(p.chars.list(true)))
	case split:
		if p.texts != nil {
			return fmt.Sprintf("strings.Split(s, %s), or SplitN with the same count", lit(p.texts[0]))
		}
		if c := p.chars.list(true); len(c) == 1 {
			return fmt.Sprintf("strings.Split(s, %s), or SplitN with the same count", lit(c))
		}
		return fmt.Sprintf("a loop that cuts s where strings.IndexAny(s, %s) finds the next one (strings.FieldsFunc would drop empty parts)", listed(p.chars.list(true)))
	}
	return p.searchWords(pkg, lit)
}

func (p *plan) replaceWords(pkg string, lit func(string) string) string {
	switch {
	case len(p.texts) == 1 && !p.known:
		return fmt.Sprintf("%s.ReplaceAll(s, %s, …)", pkg, lit(p.texts[0]))
	case len(p.texts) == 1:
		return fmt.Sprintf("%s.ReplaceAll(s, %s, %s)", pkg, lit(p.texts[0]), lit(p.repl))
	}
	old := p.texts
	if old == nil && !p.chars.others {
		old = strings.Split(p.chars.list(true), "")
	}
	switch {
	case old == nil:
		return fmt.Sprintf("a loop over the characters (for _, r := range s) that keeps those that are one of %s and writes %q for any other", listed(p.chars.list(false)), p.repl)
	case len(old) == 1:
		return fmt.Sprintf("%s.ReplaceAll(s, %s, %s)", pkg, lit(old[0]), lit(p.repl))
	case p.bytes || len(old) > maxListed:
		return fmt.Sprintf("a loop over the bytes that writes %q for each that is one of %s and keeps the others", p.repl, listed(strings.Join(old, "")))
	}
	var args []string
	for _, o := range old {
		args = append(args, strconv.Quote(o), strconv.Quote(p.repl))
	}
	return fmt.Sprintf("a package variable strings.NewReplacer(%s) and its Replace, or a loop over the bytes", strings.Join(args, ", "))
}

func (p *plan) searchWords(pkg string, lit func(string) string) string {
	at := ""
	if p.texts != nil {
		at = fmt.Sprintf("%s.Index(s, %s)", pkg, lit(p.texts[0]))
	} else {
		at = fmt.Sprintf("%s.IndexAny(s, %s)", pkg, listed(p.chars.list(true)))
	}
	if p.op == index {
		return at + " and the length of what it finds"
	}
	return at + ", and what stands there"
}
