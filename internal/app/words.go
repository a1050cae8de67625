package app

import (
	"fmt"
	"strings"
)

// unglue divides flags of one letter from the figures that follow without a
// space, as wrk's users write them: -t2 -c100 -d30s.
func unglue(letters string, args []string) []string {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 2 && a[0] == '-' && strings.IndexByte(letters, a[1]) >= 0 && '0' <= a[2] && a[2] <= '9' {
			out = append(out, a[:2], a[2:])
			continue
		}
		out = append(out, a)
	}
	return out
}

// foreignFlag says what stands for a flag of another tool that an error is
// about; "" where nothing is known.
func foreignFlag(words map[string]string, err error) string {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok || words[name] == "" {
		return ""
	}
	return fmt.Sprintf("unknown flag -%s: here it is %s", name, words[name])
}
