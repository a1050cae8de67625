package page

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"whet/internal/lazyregexp"
	"whet/internal/printable"
	"whet/internal/quantity"
)

// More says how many rows a page leaves out.
func More(n, limit int) string {
	if n <= limit {
		return ""
	}
	return fmt.Sprintf("%s more in the JSON report.", quantity.Count(float64(n-limit)))
}

// BarWidth returns a share as the length of a bar that is 100 long; what is there at
// all can be seen.
func BarWidth(ratio float64) string {
	if math.IsNaN(ratio) || ratio <= 0 {
		return "0"
	}
	return strconv.FormatFloat(min(max(ratio*100, 0.5), 100), 'f', 2, 64)
}

func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError || strings.Contains(s, "_") { // alloc_space is a name
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// Share is part/whole in [0,1]; 0 where there is no whole.
func Share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func FileLine(file string, line int) string {
	switch {
	case file == "":
		return "file not known"
	case line <= 0:
		return printable.Line(file)
	}
	return fmt.Sprintf("%s:%d", printable.Line(file), line)
}

// paragraph is a piece of a finding's prose. Lines that begin with a tab or
// four spaces are code, as in Go's doc comments.
type paragraph struct {
	Code bool
	Text string // code keeps its lines and tabs
}

func Paragraphs(s string) []paragraph {
	var out []paragraph
	open := false
	for line := range strings.SplitSeq(s, "\n") {
		code := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
		if strings.TrimSpace(line) == "" {
			open = false
			continue
		}
		text := printable.Line(strings.TrimSpace(line))
		sep := " "
		if code {
			text, sep = printable.Source(strings.TrimPrefix(strings.TrimPrefix(line, "    "), "\t")), "\n"
		}
		if n := len(out); open && out[n-1].Code == code {
			out[n-1].Text += sep + text
		} else {
			out = append(out, paragraph{code, text})
		}
		open = true
	}
	return out
}

// Cells returns the number of terminal cells a cleaned string takes.
func Cells(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
			r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
			r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd):
			n += 2
		default:
			n++
		}
	}
	return n
}

// Shorten cuts a function's or file's name from the left, where its package
// path stands, to at most width cells.
func Shorten(s string, width int) string {
	if Cells(s) <= width {
		return s
	}
	runes := []rune(s)
	n, i := 1, len(runes)
	for i > 0 && n+Cells(string(runes[i-1])) <= width {
		i--
		n += Cells(string(runes[i]))
	}
	return "…" + string(runes[i:])
}

// Wrap breaks text at spaces, but not at no-break ones nor between a figure and
// its unit, into lines of at most width cells. A word that is wider stands alone.
func Wrap(s string, width int) []string {
	var lines []string
	line, n := "", 0
	for _, word := range words(s) {
		w := Cells(word)
		if n > 0 && n+1+w > width {
			lines = append(lines, line)
			line, n = "", 0
		}
		if n > 0 {
			line += " "
			n++
		}
		line += word
		n += w
	}
	if n > 0 {
		lines = append(lines, line)
	}
	return lines
}

// words divides text at spaces, but keeps "5.6 %", "± 10.0 ms" and a figure of
// any other unit together.
func words(s string) []string {
	var out []string
	last := ""
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' }) {
		if n := len(out); n > 0 && (last == "±" || figure.Regexp().MatchString(last) && unit.Regexp().MatchString(word)) {
			out[n-1] += " " + word
		} else {
			out = append(out, word)
		}
		last = word
	}
	return out
}

// units are what figures are followed by.
const units = `(?:%|ns|µs|ms|s|(?:[kMGTPE]|[KMGTPE]i)?B|[kMGTPE]|cores|points)(?:/(?:s|op))?`

var (
	figure = lazyregexp.Pattern{Text: `^[(<>≈~−-]*[0-9][0-9.,]*$`}
	unit   = lazyregexp.Pattern{Text: `^` + units + `[/).,;:]*(s[).,;:]*)?$`}
	amount = lazyregexp.Pattern{Text: `(?:± ?)?[0-9][0-9.,]* ` + units + `|± ?[0-9][0-9.]*|--?[a-z]+(?:-[a-z]+)*`}
)

// line returns a text for a place of a page where text may stand: made printable and
// escaped. The browser breaks no line between a figure and its unit, nor within a flag.
func line(s string) template.HTML {
	s = printable.Line(s)
	var b strings.Builder
	from := 0
	for _, at := range amount.Regexp().FindAllStringIndex(s, -1) {
		before, _ := utf8.DecodeLastRuneInString(s[:at[0]])
		after, _ := utf8.DecodeRuneInString(s[at[1]:])
		if isWord(before) || isWord(after) { // "v2 s", "5 samples"
			continue
		}
		b.WriteString(html.EscapeString(s[from:at[0]]))
		b.WriteString(`<span class="amount">` + html.EscapeString(s[at[0]:at[1]]) + `</span>`)
		from = at[1]
	}
	b.WriteString(html.EscapeString(s[from:]))
	return template.HTML(b.String())
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func Ns(v int64) string { return quantity.Nanoseconds(float64(v)) }

// Cores is CPU time over wall time.
func Cores(cpu *int64, wallNs int64) string {
	if cpu == nil || wallNs <= 0 {
		return "unknown"
	}
	return quantity.Count(float64(*cpu)/float64(wallNs)) + " cores"
}

func BytesOf(v *int64) string {
	if v == nil {
		return "unknown"
	}
	return quantity.Bytes(float64(*v))
}

// Amount prints a value of a series in its unit.
func Amount(v float64, unit string) string {
	if rate, ok := strings.CutSuffix(unit, " per second"); ok {
		return Amount(v, rate) + "/s"
	}
	switch unit {
	case "per second":
		return quantity.Count(v) + "/s"
	case "bytes":
		return quantity.Bytes(v)
	case "nanoseconds":
		return quantity.Nanoseconds(v)
	case "count", "":
		return quantity.Count(v)
	}
	return quantity.Count(v) + " " + printable.Line(unit)
}

func CleanList(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = printable.Line(n)
	}
	return strings.Join(out, ", ")
}
