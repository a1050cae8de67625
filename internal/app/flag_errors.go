package app

import (
	"flag"
	"fmt"
	"strings"

	"whet/internal/lazyregexp"
)

// notParsed is package flag's word for a value of the wrong kind.
var notParsed = lazyregexp.Pattern{Text: `^invalid (?:boolean )?value .* for (?:flag )?-(\S+): parse error$`}

// parseError says what a flag takes where package flag says that it could not
// parse a value, and which flag may be meant by one that is not known.
func parseError(fs *flag.FlagSet, err error) string {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		var names []string
		fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		if near := nearest(strings.TrimPrefix(name, "-"), names); near != "" {
			return fmt.Sprintf("unknown flag -%s (did you mean -%s?)", name, near)
		}
	}
	m := notParsed.Regexp().FindStringSubmatch(text)
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
		case bool:
			what = "it takes no value"
		}
	}
	if what == "" {
		return text
	}
	return strings.TrimSuffix(text, "parse error") + what
}

// nearest returns the name that is most nearly written as another: two names are near
// with one change for each three letters, of which exchanging neighbours is one.
func nearest(name string, names []string) string {
	best, found := len(name)/3+1, ""
	if len(name) < 3 {
		return ""
	}
	for _, n := range names {
		if d := changes(name, n); d < best {
			best, found = d, n
		}
	}
	if found == "" {
		for _, n := range names {
			if strings.HasPrefix(n, name) && (found == "" || len(n) < len(found)) {
				found = n
			}
		}
	}
	return found
}

// changes returns the number of letters to be added, left out, replaced or exchanged
// with their neighbour to make b of a.
func changes(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(replaced, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
