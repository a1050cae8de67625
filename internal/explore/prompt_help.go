package explore

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/cli"
	"whet/internal/printable"
)

// promptWords are the words of the prompt that make no view.
var promptWords = []struct{ name, help string }{
	{"help", "print this list; help NAME explains a command or an option"},
	{"options", "print the options and their values (short: o)"},
	{":", "clear focus, ignore, hide, tagfocus and tagignore"},
	{"exit", "end the session (quit, q and Ctrl-D are the same)"},
}

// greet begins a session on a terminal.
func (p *prompt) greet() {
	shown, err := p.subject.SampleType(p.s.sel.SampleIndex)
	if err != nil {
		shown = p.s.sel.SampleIndex
	}
	fmt.Fprintf(p.e.Stderr, "%s: sample types %s; shown is %s.\nhelp lists the commands, o the options; TAB completes, exit ends the session.\n",
		printable.Message(p.subject.Name), printable.Message(strings.Join(p.grammar.sampleTypes, ", ")), printable.Message(shown))
}

// help prints what there is, or what one of it is for.
func (p *prompt) help(name string) error {
	out := p.e.Stderr
	if name == "" {
		fmt.Fprint(out, "Commands:\n\n")
		for _, c := range p.sortedCommands() {
			cli.PrintFlag(out, c.usage(), c.help)
		}
		for _, w := range promptWords {
			cli.PrintFlag(out, w.name, w.help)
		}
		fmt.Fprint(out, "\nOptions, as NAME=VALUE:\n\n")
		for _, o := range p.s.options() {
			cli.PrintFlag(out, o.name, strings.ReplaceAll(o.help, "`", ""))
		}
		fmt.Fprint(out, "\n")
		cli.PrintFlag(out, strings.Join(p.grammar.sampleTypes, ", "), "shows that sample type; the prefixes total_ and mean_ too")
		return nil
	}
	if c := p.grammar.command(name); c != nil {
		fmt.Fprintf(out, "%s\n\n%s\n", c.usage(), c.help)
		if c.verb.param != "" {
			fmt.Fprintf(out, "%s is a regular expression of functions.\n", c.verb.param)
		}
		fmt.Fprint(out, `
N               at most N nodes; top20 means top 20
FOCUS           only samples with a frame that matches this regular expression; several are alternatives
-IGNORE         no samples with a frame that matches this regular expression
-cum            sorted by cum
>FILE           written to a file
`)
		return nil
	}
	if o, chosen, ok := p.s.option(name); ok {
		if chosen != "" {
			fmt.Fprintf(out, "%s=%s: %s\n", o.name, chosen, o.choices[slices.IndexFunc(o.choices, func(c choice) bool { return c.name == chosen })].help)
			return nil
		}
		fmt.Fprintf(out, "%s=%s: %s\n", o.name, o.get(), strings.ReplaceAll(o.help, "`", ""))
		for _, c := range o.choices {
			cli.PrintFlag(out, c.name, c.help)
		}
		return nil
	}
	return fmt.Errorf("unknown command or option %q: help lists them", name)
}

func (c *promptCommand) usage() string {
	if c.verb.param != "" {
		return c.name + " " + c.verb.param
	}
	return c.name
}

func (p *prompt) sortedCommands() []promptCommand {
	return slices.SortedFunc(slices.Values(p.grammar.commands), func(a, b promptCommand) int { return strings.Compare(a.name, b.name) })
}

// listOptions prints what holds, in a form that can be typed again.
func (p *prompt) listOptions() {
	var lines []string
	for _, o := range p.s.options() {
		value, note := o.get(), ""
		switch {
		case len(o.choices) > 0:
			note = "[" + o.choiceNames(" | ") + "]"
		case o.name == "sample_index":
			note = "[" + strings.Join(p.grammar.sampleTypes, " | ") + "]"
			if t, err := p.subject.SampleType(value); err == nil {
				value = t
			}
		case o.name == "nodecount" && p.s.nodeCount == chosenByView:
			note = "depends on the view"
		case value == "":
			note = "none"
		}
		line := fmt.Sprintf("  %-22s = %-20s", o.name, value)
		if note != "" {
			line += " " + commentStart + " " + note
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	slices.Sort(lines)
	fmt.Fprintln(p.e.Stderr, strings.Join(lines, "\n"))
}
