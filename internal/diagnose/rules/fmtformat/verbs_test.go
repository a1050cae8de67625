package fmtformat

import (
	"encoding/hex"
	"fmt"
	"go/types"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"whet/internal/typed/typedtest"
)

func TestIsFormatting(t *testing.T) {
	for fn, want := range map[string]bool{
		"fmt.Sprint": true, "fmt.Sprintf": true, "fmt.Sprintln": true, "fmt.Fprint": true, "fmt.Fprintf": true, "fmt.Printf": true,
		"fmt.Println": true, "fmt.Append": true, "fmt.Appendf": true, "fmt.Appendln": true,
		"fmt.Errorf": false, "fmt.Sscanf": false, "fmt.(*pp).doPrintf": false, "fmt.Sprinter": false, "m/fmt.Sprintf": false, "log.Printf": false,
	} {
		if isFormatting(fn) != want {
			t.Errorf("%s: %v", fn, !want)
		}
	}
}

func TestVerbs(t *testing.T) {
	for format, want := range map[string]string{
		"%s:%d": "sd", "%v%%%t": "vt", "%.2f %g %e": "fge", "no verb": "", "%q %x %c": "qxc", "100%%": "",
		"%+v": "!", "%#v": "!", "%T": "!", "%p": "!", "%5d": "!", "%-5s": "!", "%08x": "!", "%.3s": "!", "%[1]d": "!", "%*d": "!", "% x": "!", "%": "!", "%.": "!", "%.2": "!", "%w": "!", "%b": "!",
	} {
		got, ok := verbs(format)
		if !ok {
			got = []byte("!")
		}
		if string(got) != want {
			t.Errorf("%q: %q, want %q", format, got, want)
		}
	}
}

func TestReplaceable(t *testing.T) {
	const file = `package x; import ("fmt"; "io")
type ID int
type Level int
func (Level) String() string { return "" }
func f(w io.Writer, b []byte, s, format string, i int, n int64, id ID, l Level, err error, list []any, c complex128) {
`
	for _, test := range []struct {
		name, call string
		want       bool
	}{
		{"plain", `fmt.Sprintf("%s:%d", s, i)`, true},
		{"a writer is no argument", `fmt.Fprintf(w, "%d", n)`, true},
		{"append", `fmt.Appendf(b, "%d", n)`, true},
		{"no format function", `fmt.Sprint(i)`, true},
		{"named basic type", `fmt.Sprintf("%d", id)`, true},
		{"text alone", `fmt.Fprintf(w, "text")`, true},
		{"Stringer", `fmt.Sprintf("%v", l)`, false},
		{"error", `fmt.Sprint(err)`, false},
		{"spread", `fmt.Sprint(list...)`, false},
		{"format not constant", `fmt.Sprintf(format, i)`, false},
		{"flags", `fmt.Sprintf("%05d", i)`, false},
		{"too few arguments", `fmt.Sprintf("%d %d", i)`, false},
		{"too many arguments", `fmt.Sprintf("%d", i, i)`, false},
		{"verb does not suit", `fmt.Sprintf("%d", s)`, false},
		{"complex", `fmt.Sprint(c)`, false},
		{"not typed", `fmt.Sprint(unknown)`, false},
		{"nothing at all", `fmt.Fprintf()`, false},
	} {
		p := typedtest.Program(t, typedtest.File{Package: "m/x", Frame: "x.go", Text: file + test.call + "\n}"})
		sites := p.Sites("x.go", 6, 6)
		if len(sites) != 1 {
			t.Fatalf("%s: %d calls", test.name, len(sites))
		}
		if _, ok := replaceable(sites[0]); ok != test.want {
			t.Errorf("%s: %v", test.name, ok)
		}
	}
}

func TestRemedy(t *testing.T) {
	for _, test := range []struct {
		fn   string
		uses []use
		want []string
	}{
		{"fmt.Sprintf", []use{{'d', types.Typ[types.Int]}}, []string{"strconv.Itoa"}},
		{"fmt.Sprintf", []use{{'d', types.Typ[types.Int64]}}, []string{"strconv.FormatInt"}},
		{"fmt.Sprint", []use{{'v', types.Typ[types.Uint8]}}, []string{"strconv.FormatUint"}},
		{"fmt.Sprintf", []use{{'s', types.Typ[types.String]}, {'s', types.Typ[types.String]}}, []string{"concatenation with +"}},
		{"fmt.Sprintf", []use{{'s', types.Typ[types.String]}, {'t', types.Typ[types.Bool]}}, []string{"strconv.FormatBool", "the strings themselves"}},
		{"fmt.Fprint", []use{{'v', types.Typ[types.String]}}, []string{"io.WriteString"}},
		{"fmt.Fprintf", []use{{'q', types.Typ[types.String]}, {'g', types.Typ[types.Float64]}}, []string{"strconv.AppendQuote", "strconv.AppendFloat", "Write it once"}},
		{"fmt.Appendf", []use{{'x', types.Typ[types.Int]}}, []string{"strconv.AppendInt(b, n, 16)"}},
		{"fmt.Sprintf", []use{{'x', types.Typ[types.String]}}, []string{"hex.EncodeToString"}},
		{"fmt.Sprintf", []use{{'q', types.Typ[types.Uint8]}}, []string{"strconv.QuoteRune"}},
		{"fmt.Sprint", []use{{'v', types.NewNamed(types.NewTypeName(0, nil, "ID", nil), types.Typ[types.Int], nil)}}, []string{"strconv.Itoa"}},
	} {
		got := remedy(test.fn, test.uses)
		for _, w := range test.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s %v: %q lacks %q", test.fn, test.uses, got, w)
			}
		}
	}
}

// What a remedy names gives the same bytes as fmt: the rule must not change
// what a program prints.
func TestReplacementsPrintTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		u := rapid.Uint64().Draw(t, "u")
		f := math.Float64frombits(rapid.Uint64().Draw(t, "f"))
		s := rapid.String().Draw(t, "s")
		b := rapid.Bool().Draw(t, "b")
		r := rapid.Rune().Draw(t, "r")
		for _, pair := range [][2]string{
			{fmt.Sprintf("%d", n), strconv.FormatInt(n, 10)},
			{fmt.Sprint(u), strconv.FormatUint(u, 10)},
			{fmt.Sprintf("%x", n), strconv.FormatInt(n, 16)},
			{fmt.Sprintf("%x", s), hex.EncodeToString([]byte(s))},
			{fmt.Sprintf("%s:%v", s, s), s + ":" + s},
			{fmt.Sprintf("%q", s), strconv.Quote(s)},
			{fmt.Sprintf("%t", b), strconv.FormatBool(b)},
			{fmt.Sprintf("%c", r), string(utf8.AppendRune(nil, r))},
			{fmt.Sprintf("%.3f", f), strconv.FormatFloat(f, 'f', 3, 64)},
		} {
			// fmt writes +Inf where strconv does too; both write NaN.
			if pair[0] != pair[1] {
				t.Errorf("fmt %q, replacement %q", pair[0], pair[1])
			}
		}
		if !math.IsInf(f, 0) && !math.IsNaN(f) {
			if a, b := fmt.Sprint(f), strconv.FormatFloat(f, 'g', -1, 64); a != b {
				t.Errorf("Sprint(float) %q, FormatFloat 'g' %q", a, b)
			}
		}
	})
}

// FuzzVerbs: a format that is accepted has as many verbs as fmt asks
// arguments for.
func FuzzVerbs(f *testing.F) {
	for _, s := range []string{"%d", "%%", "%.2f%s", "%+v", "%[1]d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, format string) {
		vs, ok := verbs(format)
		if !ok {
			return
		}
		args := make([]any, len(vs))
		for i, v := range vs {
			switch v {
			case 's', 'q', 'v', 'x':
				args[i] = "text"
			case 't':
				args[i] = true
			case 'd', 'c':
				args[i] = 65
			default:
				args[i] = 1.5
			}
		}
		got := fmt.Sprintf(format, args...)
		for _, complaint := range []string{"%!", "(MISSING)", "(NOVERB)", "%!(EXTRA"} {
			if strings.Contains(got, complaint) && !strings.Contains(format, complaint) && !strings.Contains(format, "!") {
				t.Errorf("%q with %q gives %q", format, vs, got)
			}
		}
	})
}
