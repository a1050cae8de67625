package symbolname

import "strings"

// Plain cuts a name at its argument list, as pprof does before it decides
// whether the name is to be dropped: "(anonymous namespace)" and "operator()"
// are no argument lists.
func Plain(name string) string {
	name = strings.TrimPrefix(name, ".")
	for i := 0; i < len(name); {
		switch rest := name[i:]; {
		case strings.HasPrefix(rest, "(anonymous namespace)"):
			i += len("(anonymous namespace)")
		case strings.HasPrefix(rest, "operator()"):
			i += len("operator()")
		case rest[0] == '(':
			return name[:i]
		default:
			i++
		}
	}
	return name
}
