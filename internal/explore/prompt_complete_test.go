package explore

import (
	"regexp"
	"slices"
	"testing"
)

func testCompleter() *completer {
	return &completer{
		first:    []string{"exit", "flat=", "focus=", "help", "top", "tree", "trim="},
		helped:   []string{"focus", "top", "tree", "trim"},
		values:   map[string][]string{"trim": {"false", "true"}},
		commands: map[string]bool{"top": true, "list": true, "tags": true},
		functions: []string{
			"encoding/json.Marshal", "encoding/json.Unmarshal", "net/http.(*conn).serve", "runtime.mallocgc", "slices.Sort[go.shape.int]",
		},
	}
}

func TestPromptCompletes(t *testing.T) {
	for line, want := range map[string]string{
		"":                       "",
		"he":                     "help",
		"t":                      "t",
		"tr":                     "tr",
		"tri":                    "trim=",
		"f":                      "f",
		"foc":                    "focus=",
		"nothing":                "nothing",
		"trim=t":                 "trim=true",
		"trim=":                  "trim=",
		"help to":                "help top",
		"focus=mall":             `focus=runtime.mallocgc`,
		"top runtime.":           "top runtime.mallocgc",
		"top10 -cum runtime.":    "top10 -cum runtime.mallocgc",
		"top -runtime.":          "top -runtime.mallocgc",
		"top enc":                "top encoding/json.",
		"list encoding/json.U":   "list encoding/json.Unmarshal",
		"list net/http.(*conn":   `list net/http.\(\*conn\).serve`,
		"list slices.":           `list slices.Sort\[go.shape.int\]`,
		"list ":                  "list ",
		"list Marsh":             "list encoding/json.Marshal",
		"tags runtime.":          "tags runtime.",
		"unknown runtime.":       "unknown runtime.",
		"top encoding/json.M":    "top encoding/json.Marshal",
		"top ma >x runtime.mall": "top ma >x runtime.mallocgc",
	} {
		if got, _ := testCompleter().complete(line); got != want {
			t.Errorf("%q completes to %q, want %q", line, got, want)
		}
	}
	if _, choices := testCompleter().complete("tr"); !slices.Equal(choices, []string{"tree", "trim="}) {
		t.Errorf("tr may become %q", choices)
	}
}

// TestCompletedNamesMatchThemselves: a completed name is a regular expression
// of one word that matches the function.
func TestCompletedNamesMatchThemselves(t *testing.T) {
	for _, name := range append(testCompleter().functions, `a\b`, "x y", "f^$?+|{1}", "main.(*T[...]).M") {
		re, err := regexp.Compile("^" + quoteName(name) + "$")
		if err != nil || !re.MatchString(name) || slices.Contains([]byte(quoteName(name)), ' ') {
			t.Errorf("%q is completed as %q, which does not match it (%v)", name, quoteName(name), err)
		}
	}
}
