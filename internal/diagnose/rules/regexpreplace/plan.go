package regexpreplace

import (
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
	pattern string
	op      operation
	repl    string // of replace, cutHead, cutTail
	known   bool   // repl is
	bytes   bool   // of a []byte
}

// maxListed is the number of characters that are written one by one, as the arguments of
// a replacer or a cutset; more are written as ranges, for a loop.
const maxListed = 16

// searches are methods that look for one text after another.
var searches = map[string]operation{"Split": split, "FindIndex": index, "Find": found}

// planFor finds the equivalent of a method of *regexp.Regexp, by its bare name,
// for a pattern. repl is its replacement, nil: not constant.
func planFor(pattern, method string, repl *string) (plan, bool) {
	f, ok := parse(pattern)
	if !ok {
		return plan{}, false
	}
	stem := strings.Replace(method, "String", "", 1) // MatchString is Match of a string
	p := plan{form: f, pattern: pattern, bytes: stem == method && method != "Split"}
	switch op, search := searches[stem]; {
	case search:
		p.op = op
		return p, p.plain() && (len(p.texts) == 1 || p.listable() && !p.run)
	case stem == "Match":
		return p.match()
	case stem == "ReplaceAll", stem == "ReplaceAllLiteral":
		if repl != nil {
			p.repl, p.known = *repl, true
		}
		if stem == "ReplaceAll" && (!p.known || strings.Contains(p.repl, "$")) {
			return plan{}, false // it may ask for what was matched
		}
		return p.replacing()
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

// wordings say what to write in place of a method, of texts and of a class.
var wordings = map[operation][2]string{
	contains: {"{pkg}.Contains(s, {text})", "a loop over the bytes that looks for one that is {one}"},
	begins:   {"{pkg}.HasPrefix(s, {text})", "len(s) > 0 and s[0] being {one}"},
	ends:     {"{pkg}.HasSuffix(s, {text})", "len(s) > 0 and s[len(s)-1] being {one}"},
	sides:    {"", "len(s) > 0 and s[0] or s[len(s)-1] being {one}"},
	equals:   {"s == {text}", ""},
	allOf:    {"", "a loop over the bytes that stops at the first that is not {one}"},
	cutHead:  {"{pkg}.TrimPrefix(s, {text})", "{pkg}.TrimLeft(s, {set})"},
	cutTail:  {"{pkg}.TrimSuffix(s, {text})", "{pkg}.TrimRight(s, {set})"},
	trimBoth: {"", "{pkg}.Trim(s, {set})"},
	replace:  {"{pkg}.ReplaceAll(s, {text}, {by})", "a loop over the bytes that writes {new} for each that is {one} and copies the others"},
	split:    {"strings.Split(s, {text}), or SplitN with the same count", "a loop that cuts s at the next index that strings.IndexAny(s, {set}) finds (strings.FieldsFunc would drop empty parts)"},
	index:    {"{pkg}.Index(s, {text}) and the length of the match", "{pkg}.IndexAny(s, {set}) and the length of the match"},
	found:    {"{pkg}.Index(s, {text}), and the text at that index", "{pkg}.IndexAny(s, {set}), and the character at that index"},
}

// wording returns the wording of the plan.
func (p *plan) wording() string {
	cut := " in its place if it was found"
	switch {
	case p.op == contains && p.listable():
		return "{pkg}.ContainsAny(s, {set})"
	case p.op == equals && p.bytes:
		return "{pkg}.Equal(s, {text})"
	case p.op == cutHead && p.repl != "":
		return "{pkg}.CutPrefix(s, {text}), and {new}" + cut
	case p.op == cutTail && p.repl != "":
		return "{pkg}.CutSuffix(s, {text}), and {new}" + cut
	case p.op == replace && p.chars != nil && p.chars.others:
		return "a loop over the characters (for _, r := range s) that keeps those that are one of {rest} and writes {new} for any other"
	case p.op == replace && len(p.replaced()) > 1 && !p.bytes && len(p.replaced()) <= maxListed:
		return "the Replace method of a package variable strings.NewReplacer({pairs}), or a loop over the bytes"
	case p.op == allOf && p.chars.others:
		return "a loop over the bytes that stops at one of {rest}"
	case p.texts != nil:
		return wordings[p.op][0]
	}
	return wordings[p.op][1]
}

// replaced returns the texts or characters that are.
func (p *plan) replaced() []string {
	if p.chars != nil {
		return strings.Split(p.chars.list(true), "")
	}
	return p.texts
}

// words say what to write in place of the method.
func (p *plan) words() string {
	pkg, literal, by := "strings", strconv.Quote, "…"
	if p.bytes {
		pkg, literal = "bytes", func(s string) string { return "[]byte(" + strconv.Quote(s) + ")" }
	}
	if p.known {
		by = literal(p.repl)
	}
	values := []string{"{pkg}", pkg, "{by}", by, "{new}", strconv.Quote(p.repl)}
	if p.chars != nil {
		values = append(values, "{one}", p.chars.one(), "{set}", listed(p.chars.list(true)), "{rest}", listed(p.chars.list(false)))
	}
	wording := p.wording()
	fill := func(more ...string) string { return strings.NewReplacer(append(values, more...)...).Replace(wording) }
	switch {
	case p.op == replace && len(p.texts) != 1:
		var pairs []string
		for _, old := range p.replaced() {
			pairs = append(pairs, strconv.Quote(old), strconv.Quote(p.repl))
		}
		return fill("{pairs}", strings.Join(pairs, ", "))
	case p.op == allOf && !p.empty:
		return fill() + " (and no match for an empty string)"
	case p.texts == nil:
		return fill()
	}
	var each []string
	for _, t := range p.texts {
		each = append(each, fill("{text}", literal(t)))
	}
	return strings.Join(each, " || ")
}
