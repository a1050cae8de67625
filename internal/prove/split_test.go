package prove

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// lines and what a shell makes of them.
var lines = map[string][]string{
	`a`:                              {"a"},
	`  a  b	c` + "\n" + `d `:         {"a", "b", "c", "d"},
	`a 'b c' "d e"`:                  {"a", "b c", "d e"},
	`a'b'"c"d`:                       {"abcd"},
	`a '' ""`:                        {"a", "", ""},
	`a b\ c \'d \"`:                  {"a", "b c", "'d", `"`},
	`a "b\"c\\d\$e\` + "`" + `f\g"`:  {"a", `b"c\d$e` + "`" + `f\g`},
	`a 'b\'c`:                        {"a", `b\c`},
	`a '$x | y' \| \$`:               {"a", "$x | y", "|", "$"},
	"a b\\\nc \"d\\\ne\"":            {"a", "bc", "de"},
	`./x -addr=127.0.0.1:{port} -q=`: {"./x", "-addr=127.0.0.1:{port}", "-q="},
	`sh -c 'sort < in | uniq'`:       {"sh", "-c", "sort < in | uniq"},
	`/x=y/z 1`:                       {"/x=y/z", "1"},
	`é "ü ß" \ö`:                     {"é", "ü ß", "ö"},
	`a#b c`:                          {"a#b", "c"},
}

func TestSplit(t *testing.T) {
	for line, want := range lines {
		got, err := Split(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", line, got, err, want)
		}
	}
}

// A shell is the second source, for every line that has no more meaning to it
// than to us.
func TestSplitAsAShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to compare with")
	}
	for line, want := range lines {
		if strings.Contains(line, "\n") && !strings.Contains(line, "\\\n") {
			continue // several commands to a shell
		}
		out, err := exec.Command(sh, "-c", `printf '%s\0' `+line).Output()
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, want) {
			t.Errorf("%q: a shell makes %q of it, and we want %q", line, got, want)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	for line, want := range map[string]string{
		``:                               "empty",
		" \t\n":                          "empty",
		`''`:                             "the program's name is empty",
		`a 'b`:                           "the quote ' at byte 3 is never closed",
		`a "b`:                           `the quote " at byte 3 is never closed`,
		`a "b\"`:                         `the quote " at byte 3 is never closed`,
		`a \`:                            "trailing backslash",
		`a | b`:                          "| at byte 3 needs a shell",
		`a > b`:                          "> at byte 3",
		`a; b`:                           "; at byte 2",
		`a &`:                            "& at byte 3",
		`a $HOME`:                        "$ at byte 3",
		`a "x$HOME"`:                     "$ at byte 5 needs a shell, but whet runs none: put it between single quotes",
		"a `b`":                          "` at byte 3",
		"(a)":                            "( at byte 1",
		"a \x00":                         "zero byte",
		"a '\x00'":                       "zero byte",
		"a \"\x00\"":                     "zero byte",
		"a \\\x00":                       "zero byte",
		`GOGC=50 ./server`:               `to set a variable write "env GOGC=50 ./server"`,
		strings.Repeat("a", maxLine+1):   "longer than 131072 bytes",
		`a ` + strings.Repeat("é'", 301): "…: the quote",
	} {
		got, err := Split(line)
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 1500 {
			t.Errorf("%.60q: %q, %v; want %q", line, got, err, want)
		}
	}
}

// quote writes a word so that a shell reads it as it is.
func quote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Words that were quoted come back as they were; and what a line was split into
// is split into the same once it is quoted.
func FuzzSplit(f *testing.F) {
	for line := range lines {
		f.Add(line)
	}
	f.Add("a 'b")
	f.Add("\\\xff\"")
	f.Fuzz(func(t *testing.T, line string) {
		if !strings.ContainsRune(line, 0) && len(line) < maxLine/8 {
			got, err := Split("x " + quote(line) + quote(line) + " " + quote(line))
			if err != nil || !slices.Equal(got, []string{"x", line + line, line}) {
				t.Errorf("%q quoted: %q, %v", line, got, err)
			}
		}
		words, err := Split(line)
		if err != nil {
			if words != nil {
				t.Errorf("%q: words beside an error: %q", line, words)
			}
			return
		}
		var again []string
		size := 0
		for _, w := range words {
			again = append(again, quote(w))
			size += len(again[len(again)-1]) + 1
		}
		if size > maxLine {
			return
		}
		if got, err := Split(strings.Join(again, " ")); err != nil || !slices.Equal(got, words) {
			t.Errorf("%q: %q; quoted: %q, %v", line, words, got, err)
		}
	})
}
