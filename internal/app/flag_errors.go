package app

import (
	"flag"
	"regexp"
	"strings"
	"time"
)

// notParsed is package flag's word for a value of the wrong kind.
var notParsed = regexp.MustCompile(`^invalid (?:boolean )?value .* for (?:flag )?-(\S+): parse error$`)

// parseError says what a flag takes where package flag says that it could not
// parse a value.
func parseError(fs *flag.FlagSet, err error) string {
	text := err.Error()
	m := notParsed.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	what := ""
	if g, ok := fs.Lookup(m[1]).Value.(flag.Getter); ok {
		switch g.Get().(type) {
		case int, int64:
			what = "give a whole number"
		case uint, uint64:
			what = "give a whole number from 0"
		case float64:
			what = "give a number"
		case time.Duration:
			what = "give a time like 30s or 500ms"
		case bool:
			what = "it takes no value"
		}
	}
	if what == "" {
		return text
	}
	return strings.TrimSuffix(text, "parse error") + what
}
