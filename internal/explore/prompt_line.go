package explore

import (
	"fmt"
	"strconv"
	"strings"

	"whet/internal/cli"
)

// A line of the prompt is an assignment (focus=RE, trim=false, cum), a word of
// the prompt itself (help, options, exit), the name of a sample type, or a
// view with what it is of:
//
//	top20 -cum encoding/json -runtime >out.txt
//
// The grammar is pprof's: digits at the end of a command or alone are a number
// of nodes, a word is what to focus on, one with "-" before it what to ignore,
// several words are alternatives, and what such a line sets holds for it alone.

// promptAction is what a line asks for.
type promptAction struct {
	word    string         // of the prompt itself: options, help, exit; "" for none
	rest    string         // after it
	changed bool           // settings are to be kept
	command *promptCommand // a view, nil for none
	arg     string         // its regular expression
	s       settings       // what the view is made with, or what is to be kept
}

// promptCommand is a word of the prompt that makes a view.
type promptCommand struct {
	promptWord
	verb *profileVerb
}

// commentStart begins a comment on an assignment, as the list of options
// prints them.
const commentStart = "//:"

// promptGrammar is what lines are read with.
type promptGrammar struct {
	commands    []promptCommand
	sampleTypes []string
}

func (g *promptGrammar) command(name string) *promptCommand {
	for i := range g.commands {
		if g.commands[i].name == name {
			return &g.commands[i]
		}
	}
	return nil
}

// parse reads a line, given the settings that hold.
func (g *promptGrammar) parse(line string, s settings) (promptAction, error) {
	line = strings.TrimSpace(line)
	if kept, ok := g.shortcut(line, s); ok {
		return promptAction{changed: true, s: kept}, nil
	}
	name, value, assigned := strings.Cut(line, "=")
	if o, chosen, ok := s.option(strings.TrimSpace(name)); ok {
		value, _, _ = strings.Cut(value, commentStart)
		if err := o.assign(chosen, strings.TrimSpace(value), assigned); err != nil {
			return promptAction{}, err
		}
		return promptAction{changed: true, s: s}, nil
	}
	words := strings.Fields(line)
	if len(words) == 0 {
		return promptAction{}, nil
	}
	switch words[0] {
	case "o", "options":
		return promptAction{word: "options"}, nil
	case "q", "quit", "exit":
		return promptAction{word: "exit"}, nil
	case "help":
		return promptAction{word: "help", rest: strings.Join(words[1:], " ")}, nil
	}
	return g.parseCommand(words, s)
}

// shortcut reads the words that stand for assignments.
func (g *promptGrammar) shortcut(line string, s settings) (settings, bool) {
	if line == ":" {
		s.sel.Focus, s.sel.Ignore, s.sel.Hide, s.sel.TagFocus, s.sel.TagIgnore = "", "", "", "", ""
		return s, true
	}
	for _, t := range g.sampleTypes {
		switch line {
		case t:
			s.sel.SampleIndex = t
			return s, true
		case "total_" + t, "mean_" + t:
			s.sel.SampleIndex, s.sel.Mean = t, line[0] == 'm'
			return s, true
		}
	}
	return s, false
}

// assign gives the option a value, or the one of its choices that was named.
func (o option) assign(chosen, value string, assigned bool) error {
	switch {
	case chosen != "":
		on, err := cli.ParseSwitch(value)
		if err != nil || !on {
			return fmt.Errorf("%s is a value of %s: write %s=%s", chosen, o.name, o.name, chosen)
		}
		value = chosen
	case !assigned && !o.isSwitch():
		return fmt.Errorf("%s needs a value: write %s=VALUE, or %s= for none", o.name, o.name, o.name)
	}
	return o.set(value)
}

func (g *promptGrammar) parseCommand(words []string, s settings) (promptAction, error) {
	name, args := words[0], words[1:]
	c := g.command(name)
	if c == nil {
		if bare := strings.TrimRight(name, "0123456789"); bare != name {
			if c = g.command(bare); c != nil {
				args = append([]string{name[len(bare):]}, args...)
			}
		}
	}
	if c == nil {
		return promptAction{}, fmt.Errorf("unknown command %q: help lists them", name)
	}
	a := promptAction{command: c, s: s}
	if c.verb.param != "" {
		if len(args) == 0 {
			return promptAction{}, fmt.Errorf("%s needs a regular expression: write %s %s", c.name, c.name, c.verb.param)
		}
		a.arg, args = args[0], args[1:]
	}
	var focus, ignore []string
	for i := 0; i < len(args); i++ {
		word := args[i]
		if n, err := strconv.ParseInt(word, 10, 32); err == nil {
			a.s.nodeCount = int(n)
			continue
		}
		switch rest := word[1:]; {
		case word == "|":
			return promptAction{}, fmt.Errorf("pipes to programs are not supported: write > FILE instead of | %s", strings.Join(args[i+1:], " "))
		case word == "-cum", word == "--cum":
			a.s.sort = sortCum
		case word[0] == '>' && rest != "":
			a.s.output = rest
		case word[0] == '>':
			if i++; i == len(args) {
				return promptAction{}, fmt.Errorf("name a file after >")
			}
			a.s.output = args[i]
		case word[0] == '-' && rest != "":
			ignore = append(ignore, rest)
		case word[0] != '-':
			focus = append(focus, word)
		}
	}
	toFocus, toIgnore := &a.s.sel.Focus, &a.s.sel.Ignore
	if c.verb.name == "tags" {
		toFocus, toIgnore = &a.s.sel.TagFocus, &a.s.sel.TagIgnore
	}
	if len(focus) > 0 {
		*toFocus = strings.Join(focus, "|")
	}
	if len(ignore) > 0 {
		*toIgnore = strings.Join(ignore, "|")
	}
	if c.verb.name == "top" && c.suffix == "" && a.s.nodeCount == chosenByView {
		a.s.nodeCount = promptTop
	}
	if c.set != nil {
		c.set(&a.s)
	}
	return a, nil
}

// promptTop is the number of functions that top prints where nobody counts on more than
// a screen.
const promptTop = 10
