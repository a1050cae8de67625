package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Block is one fenced block of a page.
type Block struct {
	Info     string // after the fence: "console", "console sample", "sh", ...
	Line     int    // of the opening fence, from 1
	Lines    []string
	Commands []Command // of a console block
}

// Sample reports whether the block shows one real run.
func (b Block) Sample() bool { return strings.HasPrefix(b.Info+" ", "console sample ") }

// fileLink is an address of a file up to its name: of a sample it is as the machine is.
var fileLink = regexp.MustCompile(`file:///\S*/`)

// Cut shortens what a sample's command printed, the directories of links first: "console sample until Samples"
// shows all before the first line that begins with Samples, and the last
// paragraph.
func (b Block) Cut(printed []string) []string {
	if b.Sample() {
		printed = slices.Clone(printed)
		for i, line := range printed {
			printed[i] = fileLink.ReplaceAllString(line, "file://"+wild+"/")
		}
	}
	word, ok := strings.CutPrefix(b.Info, "console sample until ")
	if !ok {
		return printed
	}
	from := slices.IndexFunc(printed, func(line string) bool { return strings.HasPrefix(line, word) })
	to := len(printed)
	for to > 0 && printed[to-1] != "" {
		to--
	}
	if from < 0 || to <= from {
		return printed
	}
	return slices.Concat(printed[:from], []string{wild, ""}, printed[to:])
}

// Command is one command of a block with what it prints.
type Command struct {
	Line   int      // of the "$ ", from 1
	Text   string   // for the shell, comment included
	Exit   int      // the exit code it has
	Shown  []string // its lines as they stand in the page
	Output []string
}

var exitNote = regexp.MustCompile(`#\s*exit (\d+)$`)

// Blocks finds the fenced blocks of a page in Markdown.
func Blocks(page string) ([]Block, error) {
	var blocks []Block
	var open *Block
	n := 0
	for line := range strings.Lines(page) {
		n++
		line = strings.TrimRight(line, "\r\n")
		switch fence, isFence := strings.CutPrefix(line, "```"); {
		case isFence && open == nil:
			open = &Block{Info: strings.TrimSpace(fence), Line: n}
		case isFence && strings.TrimSpace(fence) == "":
			if open.Info == "console" || open.Sample() {
				var err error
				if open.Commands, err = commands(*open); err != nil {
					return nil, err
				}
			}
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.Lines = append(open.Lines, line)
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: the block is not closed", open.Line)
	}
	return blocks, nil
}

func commands(b Block) ([]Command, error) {
	var out []Command
	for i, line := range b.Lines {
		n := b.Line + 1 + i
		if text, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, Command{Line: n, Text: text, Shown: []string{line}})
			continue
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("line %d: output before the first command of the block", n)
		}
		c := &out[len(out)-1]
		if more, ok := strings.CutPrefix(line, "> "); ok && len(c.Output) == 0 && strings.HasSuffix(c.Text, `\`) {
			c.Text += "\n" + more
			c.Shown = append(c.Shown, line)
			continue
		}
		c.Output = append(c.Output, strings.TrimRightFunc(line, unicode.IsSpace))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("line %d: a console block without a command", b.Line)
	}
	for i := range out {
		c := &out[i]
		if m := exitNote.FindStringSubmatch(c.Text); m != nil {
			c.Exit, _ = strconv.Atoi(m[1])
		}
		// A blank line before the next command belongs to the page's looks.
		for len(c.Output) > 0 && c.Output[len(c.Output)-1] == "" {
			c.Output = c.Output[:len(c.Output)-1]
		}
	}
	return out, nil
}

// Lines splits what a command printed as a page would show it.
func Lines(printed string) []string {
	lines := strings.Split(printed, "\n")
	for i := range lines {
		lines[i] = strings.TrimRightFunc(lines[i], unicode.IsSpace)
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

const wild = "…"

// Match reports the first line shown that what was printed does not have,
// nil when all is as shown.
func Match(shown, printed []string) error {
	if rest, ok := matchLines(shown, printed); !ok {
		if rest < len(shown) {
			return fmt.Errorf("shown and not printed: %q", shown[rest])
		}
		return fmt.Errorf("printed and not shown: %q", printed[min(len(shown), len(printed)-1)])
	}
	return nil
}

// matchLines is a match with "…" lines for any number of lines; rest is how
// many of the lines shown could be matched at most.
func matchLines(shown, printed []string) (rest int, ok bool) {
	// reach holds the numbers of printed lines that the lines shown so far can
	// stand for.
	reach := map[int]bool{0: true}
	for i, line := range shown {
		next := make(map[int]bool)
		for n := range reach {
			switch {
			case line == wild:
				for k := n; k <= len(printed); k++ {
					next[k] = true
				}
			case n < len(printed) && matchLine(line, printed[n]):
				next[n+1] = true
			}
		}
		if len(next) == 0 {
			return i, false
		}
		reach = next
	}
	return len(shown), reach[len(printed)]
}

// matchLine is a match with "…" for any text within a line.
func matchLine(shown, printed string) bool {
	parts := strings.Split(shown, wild)
	if len(parts) == 1 {
		return shown == printed
	}
	rest, ok := strings.CutPrefix(printed, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}

// MatchSample compares one run with another: the lines that begin at the margin
// and hold no figure have to come again, in their order. The others depend on
// the machine and its moment.
func MatchSample(shown, printed []string) error {
	for _, line := range shown {
		if line == "" || line == wild || line[0] == ' ' || strings.ContainsFunc(line, unicode.IsDigit) {
			continue
		}
		i := slices.Index(printed, line)
		if i < 0 {
			return fmt.Errorf("shown and not printed: %q", line)
		}
		printed = printed[i+1:]
	}
	return nil
}
