package proof

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"whet/internal/analyze/tables"
	"whet/internal/printable"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
)

const compareOld = `Unit digits/op better=higher assume=exact
goos: linux
pkg: example.org/m
BenchmarkEncode/size=16-8 1000 100 ns/op 32 digits/op 64 B/op
BenchmarkEncode/size=16-8 1000 101 ns/op 32 digits/op 64 B/op
BenchmarkEncode/size=16-8 1000 102 ns/op 32 digits/op 64 B/op
BenchmarkEncode/size=16-8 1000 103 ns/op 32 digits/op 64 B/op
BenchmarkEncode/size=16-8 1000 104 ns/op 32 digits/op 64 B/op
BenchmarkEncode/size=1k-8 1000 5000 ns/op
BenchmarkEncode/size=1k-8 1000 5010 ns/op
BenchmarkEncode/size=1k-8 1000 5020 ns/op
BenchmarkEncode/size=1k-8 1000 5030 ns/op
BenchmarkEncode/size=1k-8 1000 5040 ns/op
BenchmarkGone-8 1000 7 ns/op
some other output
`

const compareNew = `goos: linux
pkg: example.org/m
BenchmarkEncode/size=16-8 1000 50 ns/op 32 digits/op 64 B/op
BenchmarkEncode/size=16-8 1000 51 ns/op 32 digits/op 64 B/op
BenchmarkEncode/size=16-8 1000 52 ns/op 32 digits/op 64 B/op
BenchmarkEncode/size=16-8 1000 53 ns/op 32 digits/op 64 B/op
BenchmarkEncode/size=16-8 1000 54 ns/op 32 digits/op 64 B/op
BenchmarkEncode/size=1k-8 1000 5060 ns/op
BenchmarkEncode/size=1k-8 1000 5070 ns/op
BenchmarkEncode/size=1k-8 1000 5080 ns/op
BenchmarkEncode/size=1k-8 1000 5090 ns/op
BenchmarkEncode/size=1k-8 1000 5100 ns/op
FAIL
`

func comparison(t testing.TB, o tables.Options, files ...string) *tables.Result {
	t.Helper()
	c, err := tables.NewCollector(o)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range files {
		name := []string{"old.txt", "new.txt", "third.txt"}[i]
		if err := c.Add(tables.Operand{Label: name, Path: name}, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := c.Result()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCompareGolden(t *testing.T) {
	o := tables.DefaultOptions()
	o.Margin = 0.02
	r := comparison(t, o, compareOld, compareNew)
	var text, colour, table, markdown, document bytes.Buffer
	for _, err := range []error{
		WriteCompareText(&text, r, page.TextOptions{}), WriteCompareText(&colour, r, page.TextOptions{Color: true}),
		WriteCompareCSV(&table, &table, r), WriteCompareMarkdown(&markdown, r), WriteCompareJSON(&document, r),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	pagetest.Golden(t, "compare.txt", text.Bytes())
	pagetest.Golden(t, "compare_color.txt", colour.Bytes())
	pagetest.Golden(t, "compare.csv", table.Bytes())
	pagetest.Golden(t, "compare.md", markdown.Bytes())
	pagetest.Golden(t, "compare.json", document.Bytes())
}

// The JSON says what is printed: for better values of more, the ratio is
// new/old, so that above 1 is better everywhere.
func TestCompareRatios(t *testing.T) {
	for _, tt := range []struct {
		unit         string
		old, new     string
		ratio, delta *float64
	}{
		{"ns/op", "100", "80", new(float64(1.25)), new(float64(-0.2))},
		{"MB/s", "100", "80", new(float64(0.8)), new(float64(-0.2))},
		{"frobs", "100", "80", new(float64(1.25)), new(float64(-0.2))},
		{"frobs", "0", "0", new(float64(1)), new(float64(0))},
		{"frobs", "0", "5", new(float64(0)), nil},
		{"frobs", "5", "0", nil, new(float64(-1))},
	} {
		var b bytes.Buffer
		if err := WriteCompareJSON(&b, comparison(t, tables.DefaultOptions(), "BenchmarkX 1 "+tt.old+" "+tt.unit+"\n", "BenchmarkX 1 "+tt.new+" "+tt.unit+"\n")); err != nil {
			t.Fatal(err)
		}
		var d comparisons
		if err := json.Unmarshal(b.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		c := d.Tables[0].Rows[0].Cells[1].Comparison
		if !alike(c.Ratio, tt.ratio) || !alike(c.Delta, tt.delta) {
			t.Errorf("%s from %s to %s:\n%s", tt.unit, tt.old, tt.new, &b)
		}
	}
}

// comparisons are what the document has of each cell.
type comparisons struct {
	Tables []struct {
		Rows []struct {
			Cells []struct {
				Comparison struct {
					Ratio *float64 `json:"ratio"`
					Delta *float64 `json:"delta_ratio"`
				}
			}
		}
	}
}

func alike(a, b *float64) bool {
	return a == nil && b == nil || a != nil && b != nil && math.Abs(*a-*b) < 1e-12
}

const hostileBenchmarks = "note: \x1b[2J\u202e|`a`| @everyone <script> [x](http://example.org) *b* \u0085\n" +
	"BenchmarkX/\x1b[31m|`\\|@everyone</td><script>-8 1 5 \x1b[1mn|s\\|`/op\n" +
	"BenchmarkX/=cmd|'/c\u202ecalc'!A0\\ 1 5 \x1b[1mn|s\\|`/op\n" +
	"Benchmark\u0301\u200b** 1 5 [x](y)\n" +
	"FAIL\t\x1b[2J\n"

// checkReports writes a comparison in every form and looks for what acts on a
// terminal or a page.
func checkReports(t *testing.T, r *tables.Result) {
	t.Helper()
	var text, sheet, remarks, md, document bytes.Buffer
	for _, err := range []error{
		WriteCompareText(&text, r, page.TextOptions{}), WriteCompareCSV(&sheet, &remarks, r), WriteCompareMarkdown(&md, r), WriteCompareJSON(&document, r),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, b := range map[string]*bytes.Buffer{"text": &text, "csv": &sheet, "remarks": &remarks, "markdown": &md, "json": &document} {
		if !utf8.Valid(b.Bytes()) {
			t.Fatalf("%s is not UTF-8:\n%q", name, b)
		}
		for _, c := range b.String() {
			if printable.Hidden(c) && c != '\n' && (name != "json" || c < 0xa0) {
				t.Fatalf("%s holds %q:\n%q", name, c, b)
			}
		}
	}
	if _, err := csvRecords(sheet.String()); err != nil {
		t.Fatalf("csv: %v\n%s", err, &sheet)
	}
	var d comparisons
	if err := json.Unmarshal(document.Bytes(), &d); err != nil || len(d.Tables) != len(r.Tables) {
		t.Fatalf("json: %v\n%s", err, &document)
	}
	columns := 0
	for line := range strings.Lines(md.String()) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := bars(line)
		if columns != 0 && n != columns {
			t.Fatalf("markdown: %d bars, %d in the line before: %s\n%s", n, columns, line, &md)
		}
		columns = n
	}
	if strings.ContainsAny(strings.ReplaceAll(strings.ReplaceAll(withoutSpans(md.String()), "<code>", ""), "</code>", ""), "<>@[]{}`") {
		t.Fatalf("markdown holds markup:\n%s", &md)
	}
}

// withoutSpans removes code spans, which hold what they like.
func withoutSpans(s string) string {
	parts := strings.Split(s, "`")
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString(parts[i])
	}
	return b.String()
}

// bars counts what ends a cell: a bar that no backslash escapes.
func bars(line string) int {
	n := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			n++
		}
	}
	return n
}

func csvRecords(s string) ([][]string, error) {
	r := csv.NewReader(strings.NewReader(s))
	r.FieldsPerRecord = -1
	return r.ReadAll()
}

func TestCompareHostile(t *testing.T) {
	r := comparison(t, tables.DefaultOptions(), hostileBenchmarks, hostileBenchmarks)
	r.Files[0].Name = "\x1b[2J"
	checkReports(t, r)
	var b bytes.Buffer
	if err := WriteBenchcmp(&b, &tables.Benchcmp{Blocks: []tables.Block{{Unit: "ns/op", Pairs: []tables.Pair{{Name: "Benchmark\x1b[2J\tX\n", Old: 1, New: 2}}}}}); err != nil {
		t.Fatal(err)
	}
	if want := "benchmark                 old ns/op     new ns/op     delta\nBenchmark\\x1b[2J\\tX\\n     1.00          2.00          +100.00%\n"; b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}

// FuzzCompareReports: whatever the files hold, every form can be printed, holds
// nothing that acts, and its tables have as many cells in each line.
func FuzzCompareReports(f *testing.F) {
	f.Add(compareOld, compareNew, 0.02)
	f.Add(hostileBenchmarks, "BenchmarkX 1 -1e300 u 1e300 u 0 v\nBenchmarkX 1 1e-300 u\n", 0.0)
	f.Add("Unit u assume=exact\nBenchmarkX 1 0 u\nBenchmarkY 1 5 u\n", "BenchmarkX 1 1 u\nBenchmarkZ 1 5 u\n", 0.5)
	f.Fuzz(func(t *testing.T, a, b string, margin float64) {
		if len(a)+len(b) > 10_000 {
			return
		}
		o := tables.DefaultOptions()
		o.Margin = margin
		c, err := tables.NewCollector(o)
		if err != nil {
			return
		}
		for _, text := range []string{a, b} {
			name := string(rune('a' + len(text)%26))
			if err := c.Add(tables.Operand{Label: name, Path: name}, strings.NewReader(text)); err != nil {
				return
			}
		}
		if r, err := c.Result(); err == nil {
			checkReports(t, r)
		}
	})
}

// A spanning cell widens its columns evenly, the tight ones not at all.
func TestGrid(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cells []gridCell
		tight []int
		want  string
	}{
		{"plain", []gridCell{{text: "a"}, {col: 1, text: "b", margin: " "}, {row: 1, text: "long"}, {row: 1, col: 1, text: "c", margin: " "}}, nil, "a    b\nlong c\n"},
		{"right", []gridCell{{text: "a", align: alignRight}, {row: 1, text: "abc"}}, nil, "  a\nabc\n"},
		{"center", []gridCell{{text: "a", align: alignCenter}, {row: 1, text: "abcd"}}, nil, " a\nabcd\n"},
		{"wide margin", []gridCell{{text: "a"}, {col: 1, text: "b", margin: " │ "}, {row: 1, text: "a"}, {row: 1, col: 1, text: "c", margin: " "}}, nil, "a │ b\na   c\n"},
		{"span that fits", []gridCell{{span: 2, text: "abc"}, {row: 1, text: "ab"}, {row: 1, col: 1, text: "cd", margin: " "}}, nil, "abc\nab cd\n"},
		// 8 for two columns: 4 and 4.
		{"span that widens", []gridCell{{span: 2, text: "abcdefgh"}, {row: 1, text: "a"}, {row: 1, col: 1, text: "b", margin: " "}, {row: 1, col: 2, text: "c", margin: " "}}, nil, "abcdefgh\na    b   c\n"},
		// 9 for two: the wider column, with its margin, gets 5.
		{"span of odd width", []gridCell{{span: 2, text: "abcdefghi"}, {row: 1, text: "a"}, {row: 1, col: 1, text: "b", margin: " "}, {row: 1, col: 2, text: "c", margin: " "}}, nil, "abcdefghi\na    b    c\n"},
		{"tight column", []gridCell{{span: 2, text: "abcdefgh"}, {row: 1, text: "a"}, {row: 1, col: 1, text: "b", margin: " "}, {row: 1, col: 2, text: "c", margin: " "}}, []int{1}, "abcdefgh\na      b c\n"},
		{"all tight", []gridCell{{span: 2, text: "abcdefgh"}, {row: 1, text: "a"}, {row: 1, col: 1, text: "b", margin: " "}, {row: 1, col: 2, text: "c", margin: " "}}, []int{0, 1}, "abcdefgh\na b c\n"},
		// It begins five cells too early: five blanks, and its margin.
		{"after all tight", []gridCell{{span: 2, text: "abcdefgh"}, {col: 2, text: "z", margin: " "}, {row: 1, text: "a"}, {row: 1, col: 1, text: "b", margin: " "}, {row: 1, col: 2, text: "c", margin: " "}}, []int{0, 1}, "abcdefgh      z\na b c\n"},
		{"nothing at the end", []gridCell{{text: "a"}, {col: 1, text: " "}, {row: 2, text: "b"}}, nil, "a\n\nb\n"},
	} {
		g := grid{tight: make(map[int]bool)}
		for _, c := range tt.cells {
			g.add(c)
		}
		for _, col := range tt.tight {
			g.tight[col] = true
		}
		var b bytes.Buffer
		g.write(&b, nil)
		if b.String() != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.name, &b, tt.want)
		}
	}
}

// Columns are named as spreadsheets name them.
func TestSheetColumns(t *testing.T) {
	for n, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 27: "AB", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := sheetColumn(n); got != want {
			t.Errorf("column %d is %s, want %s", n, got, want)
		}
	}
}
