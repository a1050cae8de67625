package explore

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// completer completes what is typed in the prompt: commands and options at the
// beginning, values of options after "=", names of functions after a
// command.
type completer struct {
	first     []string            // commands and assignments
	helped    []string            // what help knows
	values    map[string][]string // of an option
	functions []string
	commands  map[string]bool
}

func newCompleter(p *prompt) *completer {
	c := &completer{values: make(map[string][]string), commands: make(map[string]bool)}
	for _, w := range promptWords {
		c.first = append(c.first, w.name)
	}
	for _, command := range p.grammar.commands {
		c.first = append(c.first, command.name)
		c.helped = append(c.helped, command.name)
		c.commands[command.name] = true
	}
	for _, o := range p.s.options() {
		c.first = append(c.first, o.name+"=")
		c.helped = append(c.helped, o.name)
		switch {
		case o.isSwitch():
			c.values[o.name] = []string{"false", "true"}
		case len(o.choices) > 0:
			for _, choice := range o.choices {
				c.values[o.name] = append(c.values[o.name], choice.name)
			}
		case o.name == "sample_index":
			c.values[o.name] = p.grammar.sampleTypes
		case o.name == "unit":
			c.values[o.name] = []string{"auto", "minimum"}
		}
	}
	c.first = append(c.first, p.grammar.sampleTypes...)
	seen := make(map[string]bool)
	for _, source := range p.subject.Sources {
		for _, f := range source.Profile.Functions {
			if f.Name != "" && !seen[f.Name] {
				seen[f.Name] = true
				c.functions = append(c.functions, f.Name)
			}
		}
	}
	for _, list := range [][]string{c.first, c.helped, c.functions} {
		slices.Sort(list)
	}
	return c
}

// Options that hold regular expressions of functions.
var matchesFunctions = []string{"focus", "ignore", "hide", "show", "show_from", "prune_from"}

// mostChoices bounds what is printed of what a word may become.
const mostChoices = 40

// complete returns the line with its last word as far as it is certain, and
// what that may become.
func (c *completer) complete(line string) (string, []string) {
	head, word := "", line
	if i := strings.LastIndexByte(line, ' '); i >= 0 {
		head, word = line[:i+1], line[i+1:]
	}
	before := strings.Fields(head)
	var from []string
	inside := false // the word may stand anywhere in a candidate
	switch name, value, assigned := strings.Cut(word, "="); {
	case len(before) == 0 && assigned:
		head, word = head+name+"=", value
		from = c.values[name]
		if slices.Contains(matchesFunctions, name) {
			from, inside = c.functions, true
		}
	case len(before) == 0:
		from = c.first
	case before[0] == "help":
		from = c.helped
	case c.commands[strings.TrimRight(before[0], "0123456789")] || c.commands[before[0]]:
		if strings.HasPrefix(word, "-") {
			head, word = head+"-", word[1:]
		}
		if before[0] != "tags" {
			from, inside = c.functions, true
		}
	}
	if word == "" && inside {
		return line, nil
	}
	var found []string
	for _, candidate := range from {
		if strings.HasPrefix(candidate, word) {
			found = append(found, candidate)
		}
	}
	if inside && len(found) == 0 {
		for _, candidate := range from {
			if strings.Contains(candidate, word) {
				found = append(found, candidate)
			}
		}
	}
	switch len(found) {
	case 0:
		return line, nil
	case 1:
		done := found[0]
		if inside {
			done = quoteName(done)
		}
		return head + done, found
	}
	if common := commonPrefix(found); strings.HasPrefix(common, word) {
		word = common
	}
	if len(found) > mostChoices {
		found = append(found[:mostChoices:mostChoices], "…")
	}
	return head + word, found
}

// quoteName writes a function's name so that it can stand in a line and means
// itself as a regular expression, with as little as that takes: a name that is
// read by people keeps its dots.
func quoteName(name string) string {
	return strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "*", `\*`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`, "+", `\+`, "?", `\?`, "|", `\|`, "^", `\^`, "$", `\$`, " ", `\x20`).Replace(name)
}

func commonPrefix(names []string) string {
	prefix := names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, prefix) {
			_, size := utf8.DecodeLastRuneInString(prefix)
			prefix = prefix[:len(prefix)-size]
		}
	}
	return prefix
}
