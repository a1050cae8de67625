package tables

import (
	"fmt"
	"strings"
)

// Operand is a file to read.
type Operand struct {
	Label string // its column's heading, the key .file
	Path  string // "-" is standard input
}

// Stdin is the path of standard input.
const Stdin = "-"

// Operands reads LABEL=PATH or PATH. An argument that begins like a path (/, ./, ../)
// is a path as a whole, so that directory names may contain "=". A path given twice
// without labels makes two columns, marked "#0" and "#1", as in benchstat; a label
// given twice makes one.
func Operands(args []string) ([]Operand, error) {
	out := make([]Operand, 0, len(args))
	labelled := make([]bool, 0, len(args))
	times, stdin := make(map[string]int), 0
	for _, arg := range args {
		label, path, ok := strings.Cut(arg, "=")
		if !ok || isPath(arg) {
			label, path, ok = arg, arg, false
			times[path]++
		}
		switch {
		case ok && label == "":
			return nil, fmt.Errorf("%q has no label before its =: give name=path, or ./ before a file whose name begins so", arg)
		case path == "":
			return nil, fmt.Errorf("%q names no file: give path or name=path", arg)
		case path == Stdin:
			stdin++
		}
		out, labelled = append(out, Operand{label, path}), append(labelled, ok)
	}
	if stdin > 1 {
		return nil, fmt.Errorf("- is standard input, which can be read only once, not %d times", stdin)
	}
	seen := make(map[string]int)
	for i := range out {
		if p := out[i].Path; !labelled[i] && times[p] > 1 {
			out[i].Label = fmt.Sprintf("%s#%d", p, seen[p])
			seen[p]++
		}
	}
	return out, nil
}

// isPath recognises what design calls a path at sight.
func isPath(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../")
}
