package message

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// table returns a CSV file with a column of plain values, one of odd ones and one
// whose name holds a blank.
func table(t *testing.T) *Table {
	t.Helper()
	tab, err := ReadTable("users.csv", strings.NewReader("name,odd,full name\nada,\"a/b?c&d#e f%41\"\"\",Ada L\nbob,\"x\ny\",Bob\ncy,é,Cy\n"))
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// bodies returns the bodies of the first n messages of a body's template.
func bodies(t *testing.T, body string, o Options, n int) []string {
	t.Helper()
	st := one(t, Target{URL: "http://h/", Body: []byte(body)}, o).Stream(0)
	var out []string
	var m Message
	for range n {
		st.Next(&m)
		out = append(out, string(m.Body))
	}
	return out
}

// TestGenerators: what each generator makes, over many messages.
func TestGenerators(t *testing.T) {
	for _, tc := range []struct {
		template, shape string
		distinct        int // of 2,000, at least
	}{
		{"{{int 1 3}}", `[123]`, 3},
		{"{{ int -2  2 }}", `-?[012]`, 5},
		{"{{int 7 7}}", `7`, 1},
		{"{{int -9223372036854775808 9223372036854775807}}", `-?\d{10,19}`, 2000},
		{"{{string 12}}", `[0-9a-zA-Z]{12}`, 2000},
		{"{{string 1}}", `[0-9a-zA-Z]`, 62},
		{"{{hex 16}}", `[0-9a-f]{16}`, 2000},
		{"{{hex 1}}", `[0-9a-f]`, 16},
		{"{{uuid}}", `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`, 2000},
		{`{{pick a "b c" "}}" 4}}`, `a|b c|}}|4`, 4},
		{`<{{"{{"}}>`, `<\{\{>`, 1},
		{`{"n":{{int 1 2}}}`, `\{"n":[12]\}`, 2},
	} {
		made := bodies(t, tc.template, Options{Seed: 1}, 2000)
		shape := regexp.MustCompile("^(?:" + tc.shape + ")$")
		for _, b := range made {
			if !shape.MatchString(b) {
				t.Errorf("%s made %q", tc.template, b)
				break
			}
		}
		slices.Sort(made)
		if got := len(slices.Compact(made)); got < tc.distinct {
			t.Errorf("%s made %d different values, want %d", tc.template, got, tc.distinct)
		}
	}
	if got := bodies(t, "{{seq}} {{seq}} {{seq 10}}", Options{}, 3); !slices.Equal(got, []string{"1 1 10", "2 2 11", "3 3 12"}) {
		t.Errorf("seq made %q", got)
	}
}

// TestEven: each value of int is drawn as often as the others: the sum of
// (n−e)²/e over ten of them exceeds 27.9 once in a thousand cases (χ², 9 degrees).
func TestEven(t *testing.T) {
	const n = 20_000
	var counts [10]float64
	for _, b := range bodies(t, "{{int 0 9}}", Options{Seed: 5}, n) {
		i, err := strconv.Atoi(b)
		if err != nil {
			t.Fatal(err)
		}
		counts[i]++
	}
	var sum float64
	for _, c := range counts {
		sum += (c - n/10) * (c - n/10) / (n / 10)
	}
	if sum > 27.9 {
		t.Errorf("int 0 9 made %v", counts)
	}
}

func TestTable(t *testing.T) {
	tab := table(t)
	if got := bodies(t, `{{csv.name}}={{csv.name}} {{csv "full name"}}`, Options{Table: tab}, 4); !slices.Equal(got, []string{"ada=ada Ada L", "bob=bob Bob", "cy=cy Cy", "ada=ada Ada L"}) {
		t.Errorf("rows in turn: %q", got)
	}
	if one(t, Target{URL: "http://h/{csv.name}{{seq}}"}, Options{Table: tab}).UsesTable() {
		t.Error("a target without a column is said to use the table")
	}
	s := one(t, Target{URL: "http://h/{{csv.odd}}/{{raw csv.odd}}?a={{csv.odd}}&b={{raw csv.odd}}&{{query csv.odd}}", Body: []byte("{{csv.odd}}|{{json csv.odd}}|{{query csv.odd}}|{{raw csv.odd}}")}, Options{Table: tab})
	if !s.UsesTable() {
		t.Error("a target with columns is said not to use the table")
	}
	var m Message
	st := s.Stream(0)
	st.Next(&m)
	if want := "/a%2Fb%3Fc&d%23e%20f%2541%22/a/b?c&d%23e%20f%41%22?a=a%2Fb%3Fc%26d%23e+f%2541%22&b=a/b?c&d%23e%20f%41%22&a%2Fb%3Fc%26d%23e+f%2541%22"; m.Target != want {
		t.Errorf("got  %s\nwant %s", m.Target, want)
	}
	if want := `a/b?c&d#e f%41"|a/b?c&d#e f%41\"|a%2Fb%3Fc%26d%23e+f%2541%22|a/b?c&d#e f%41"`; string(m.Body) != want {
		t.Errorf("got  %s\nwant %s", m.Body, want)
	}
}

// TestEscapes checks the escapes against net/url and encoding/json.
func TestEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := string(rapid.SliceOf(rapid.Byte()).Draw(t, "value"))
		if rapid.Bool().Draw(t, "text") {
			v = rapid.String().Draw(t, "value")
		}
		if got, want := string(inPath.append(nil, v)), url.PathEscape(v); got != want {
			t.Fatalf("path: got %q, want %q", got, want)
		}
		if got, want := string(inQuery.append(nil, v)), url.QueryEscape(v); got != want {
			t.Fatalf("query: got %q, want %q", got, want)
		}
		if got := string(plain.append(nil, v)); got != v {
			t.Fatalf("plain: got %q, want %q", got, v)
		}
		var back string
		if err := json.Unmarshal([]byte(`"`+string(inJSON.append(nil, v))+`"`), &back); err != nil || back != strings.ToValidUTF8(v, "\ufffd") && utf8.ValidString(v) {
			t.Fatalf("json: %q came back as %q, %v", v, back, err)
		}
		// As it stands it is escaped once at most: again changes nothing.
		once := string(rawURL.append(nil, v))
		if twice := string(rawURL.append(nil, once)); twice != once {
			t.Fatalf("raw: %q becomes %q, then %q", v, once, twice)
		}
		for i := range len(once) {
			if once[i] == '%' {
				if _, err := url.PathUnescape(once[i:min(i+3, len(once))]); err != nil {
					t.Fatalf("raw: %q becomes %q", v, once)
				}
			}
		}
		if strings.ContainsAny(once, " #\r\n\x00\"<>\\^`{|}") {
			t.Fatalf("raw: %q becomes %q", v, once)
		}
	})
}

func TestTemplateRefuses(t *testing.T) {
	tab := table(t)
	all := generators
	for _, tc := range []struct{ template, want string }{
		{"{{sequence}}", "{{sequence}}: unknown generator; want one of " + all},
		{"{{}}", "empty braces; want one of " + all},
		{"a {{seq", `{{seq: the closing }} is missing; a plain {{ is written as {{"{{"}}`},
		{`{{pick "a}}`, "the closing quote is missing"},
		{`{{"a" b}}`, "a quoted text must be alone"},
		{"{{seq 1 2}}", "write {{seq}}, or {{seq 1000}}"},
		{"{{seq x}}", `"x" is not a whole number to begin with`},
		{"{{int}}", "give the lowest and the highest number, as {{int 1 1000}}"},
		{"{{int 2 1}}", "the lowest, 2, is above the highest, 1"},
		{"{{int 1 9223372036854775808}}", "64-bit integers"},
		{"{{string}}", "give a number of characters from 1 to 1048576"},
		{"{{string 0}}", "from 1 to 1048576"},
		{"{{hex 1048577}}", "from 1 to 1048576"},
		{"{{uuid 4}}", "uuid takes no arguments"},
		{"{{pick}}", "list the choices"},
		{"{{csv.age}}", `users.csv has no column "age"; it has name, odd, full name`},
		{"{{csv}}", `write {{csv.NAME}}, or {{csv "A NAME"}}`},
		{"{{csv.}}", "unknown generator"},
		{"{{raw}}", "name the value, as {{raw csv.NAME}}"},
		{"{{" + strings.Repeat("a", 500), "the closing }} is missing"},
	} {
		_, err := New([]Target{{URL: "http://h/", Body: []byte(tc.template)}}, Options{Table: tab})
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "make requests: target: body: ") {
			t.Errorf("%.40s: %v, want %q", tc.template, err, tc.want)
		}
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("%.40s: an error of %d bytes", tc.template, len(err.Error()))
		}
		if _, err := New([]Target{{URL: "http://h/", Body: []byte(tc.template), Literal: true}}, Options{}); err != nil {
			t.Errorf("%.40s, literal: %v", tc.template, err)
		}
	}
	if _, err := New([]Target{{URL: "http://h/{{csv.name}}"}}, Options{}); err == nil || !strings.Contains(err.Error(), "no CSV file was given") {
		t.Errorf("without a CSV file: %v", err)
	}
	if _, err := New([]Target{{URL: "http://h/{{json csv.name}}"}}, Options{Table: tab}); err == nil || !strings.Contains(err.Error(), "json is for headers and bodies") {
		t.Errorf("json in a URL: %v", err)
	}
}

// sequence returns what a stream makes.
func sequence(s *Set, k, n int) []string {
	st := s.Stream(k)
	var out []string
	var m Message
	for range n {
		st.Next(&m)
		out = append(out, fmt.Sprintf("%d %s %s", m.Index, m.Target, m.Body))
	}
	return out
}

// TestDeterministic: a stream is a function of the seed and its number, whatever
// the others do.
func TestDeterministic(t *testing.T) {
	make := func(seed uint64) *Set {
		s, err := New([]Target{
			{URL: "http://h/{{int 1 1000000}}/{{uuid}}/{{pick a b c d}}", Weight: 1},
			{URL: "http://h/{{int 1 3}}", Body: []byte("{{string 20}}{{hex 20}}"), Weight: 2},
		}, Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	want := sequence(make(1), 3, 100)
	other := make(1)
	sequence(other, 0, 57)
	if got := sequence(other, 3, 100); !slices.Equal(got, want) {
		t.Error("equal seeds and streams make other messages")
	}
	for name, got := range map[string][]string{"seed": sequence(make(2), 3, 100), "stream": sequence(make(1), 4, 100)} {
		same := 0
		for i := range got {
			if got[i] == want[i] {
				same++
			}
		}
		// Nothing is equal but by chance.
		if same > 5 {
			t.Errorf("another %s makes %d of 100 messages the same", name, same)
		}
	}
}

// TestInTurn: over several streams each target, each row and each number is
// handed out once.
func TestInTurn(t *testing.T) {
	s, err := New([]Target{{URL: "http://h/a{{seq}}"}, {URL: "http://h/b{{seq}}"}, {URL: "http://h/c{{seq}}"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	streams := []*Stream{s.Stream(0), s.Stream(1)}
	var m Message
	for i := range 6 {
		streams[i/2%2].Next(&m)
		got = append(got, strings.Clone(m.Target))
	}
	if !slices.Equal(got, []string{"/a1", "/b2", "/c3", "/a4", "/b5", "/c6"}) {
		t.Errorf("got %q", got)
	}
}

// TestWeights: targets are drawn in proportion to their weights: of 30,000, each
// count is within four standard deviations √(np(1−p)) of np.
func TestWeights(t *testing.T) {
	weights := []float64{1, 0.5, 6, 2.5}
	var targets []Target
	for i, w := range weights {
		targets = append(targets, Target{URL: "http://h/" + strconv.Itoa(i), Weight: w})
	}
	s, err := New(targets, Options{Seed: 11})
	if err != nil {
		t.Fatal(err)
	}
	const n = 30_000
	counts := make([]float64, len(weights))
	st := s.Stream(0)
	var m Message
	for range n {
		st.Next(&m)
		counts[m.Index]++
	}
	for i, w := range weights {
		p := w / 10
		if math.Abs(counts[i]-n*p) > 4*math.Sqrt(n*p*(1-p)) {
			t.Errorf("weight %g of 10: %g of %d", w, counts[i], n)
		}
	}
}

// TestNextDoesNotAllocate: with every generator, several targets, headers and a
// CSV file.
func TestNextDoesNotAllocate(t *testing.T) {
	every := "{{seq}}{{int 1 1000}}{{string 12}}{{hex 16}}{{uuid}}{{pick a b}}{{csv.name}}"
	s, err := New([]Target{
		{URL: "http://h/" + every + "?" + every, Header: []Field{{"A", "b"}, {"C", every}}, Body: []byte(every + "{{json csv.odd}}"), Weight: 1},
		{URL: "http://h/", Header: []Field{{"A", "b"}}, Weight: 2},
		{URL: "https://h2/{{seq}}", Header: []Field{{"A", "b"}, {"D", "{{uuid}}"}, {"E", "f"}}, Weight: 3},
	}, Options{Table: table(t)})
	if err != nil {
		t.Fatal(err)
	}
	st := s.Stream(0)
	var m Message
	for range 1000 {
		st.Next(&m)
	}
	if n := testing.AllocsPerRun(1000, func() { st.Next(&m) }); n != 0 {
		t.Errorf("%g allocations a message", n)
	}
}

// TestDetach: a message that was detached stays, one that was not does not.
func TestDetach(t *testing.T) {
	st := one(t, Target{URL: "http://h/{{seq}}", Header: []Field{{"A", "{{seq}}"}}, Body: []byte("{{seq}}")}, Options{}).Stream(0)
	var kept, next Message
	st.Next(&kept)
	borrowed := kept
	kept.Detach()
	st.Next(&next)
	if kept.Target != "/1" || kept.Header[0].Value != "1" || string(kept.Body) != "1" {
		t.Errorf("the detached message became %+v %s", kept, kept.Body)
	}
	if borrowed.Target != "/2" {
		t.Errorf("the message that was not detached is still %q: this test shows nothing", borrowed.Target)
	}
}

func BenchmarkNext(b *testing.B) {
	for name, target := range map[string]Target{
		"fixed":    {URL: "http://h/"},
		"template": {URL: "http://h/users/{{int 1 100000}}", Header: []Field{{"X-Request-Id", "{{uuid}}"}}, Body: []byte(`{"id":{{seq}},"name":"{{string 12}}"}`)},
	} {
		b.Run(name, func(b *testing.B) {
			s, err := New([]Target{target}, Options{})
			if err != nil {
				b.Fatal(err)
			}
			st := s.Stream(0)
			var m Message
			for b.Loop() {
				st.Next(&m)
			}
		})
	}
}
