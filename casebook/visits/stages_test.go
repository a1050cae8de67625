package visits_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"whet/casebook/visits"
	"whet/casebook/visits/appended"
	"whet/casebook/visits/best"
	"whet/casebook/visits/final"
	"whet/casebook/visits/fprintf"
	"whet/casebook/visits/logbuf"
	"whet/casebook/visits/original"
	"whet/casebook/visits/pool"
	"whet/casebook/visits/visitstest"
	"whet/casebook/visits/zerolog"
)

type stage struct {
	name  string
	make  visitstest.New
	parse visitstest.Parse
}

var stages = []stage{
	{"original", func(w io.Writer) visits.Counter { return original.New(w) }, visitstest.Logfmt},
	{"fprintf", func(w io.Writer) visits.Counter { return fprintf.New(w) }, visitstest.Logfmt},
	{"pool", func(w io.Writer) visits.Counter { return pool.New(w) }, visitstest.Logfmt},
	{"logbuf", func(w io.Writer) visits.Counter { return logbuf.New(w) }, visitstest.Logfmt},
	{"zerolog", func(w io.Writer) visits.Counter { return zerolog.New(w) }, visitstest.JSON},
	{"appended", func(w io.Writer) visits.Counter { return appended.New(w) }, visitstest.JSON},
	{"final", func(w io.Writer) visits.Counter { return final.New(w) }, visitstest.JSON},
	{"best", func(w io.Writer) visits.Counter { return best.New(w) }, visitstest.JSON},
}

func named(t testing.TB, name string) stage {
	t.Helper()
	i := slices.IndexFunc(stages, func(s stage) bool { return s.name == name })
	if i < 0 {
		t.Fatalf("there is no stage %s", name)
	}
	return stages[i]
}

// seen is all that a stage shows of two visits: a request, and the same one again.
type seen struct {
	Answers []string
	Headers []map[string][]string
	Records []map[string]string
}

func visitTwice(t testing.TB, s stage, method, query, contentType, body string) (seen, *visitstest.Log) {
	t.Helper()
	log := new(visitstest.Log)
	h := s.make(log)
	var got seen
	for range 2 {
		w := visitstest.NewRecorder()
		h.ServeHTTP(w, visitstest.Request(method, query, contentType, body))
		got.Answers = append(got.Answers, fmt.Sprintf("%d %s", w.Status, w.Body.String()))
		got.Headers = append(got.Headers, w.Header())
	}
	for _, r := range log.Records(t, s.parse) {
		fields := maps.Clone(r.Fields)
		fields["level"], fields["message"] = r.Level, r.Message
		got.Records = append(got.Records, fields)
	}
	return got, log
}

// FuzzStages: all stages show the same, and what they show of a query without
// a form is what url.ParseQuery finds in it.
func FuzzStages(f *testing.F) {
	const form = "application/x-www-form-urlencoded"
	for _, query := range []string{
		"name=Ann&color=red", "name=%41&color=%23fff", "n%61me=x&name=y", "name=a+b;c&name=d", "name=%", "name=%4", "name=%4g&name=",
		"color=red&color=blue&name", "name&name=x", "=&=x&name==", "a&b&c&d&e&f&g&h&name=I", "a&b&c&d&e&f&name=H&name=I", "a&b&c&d&e&f&g&name=H&",
		"&&&&&&&&&name=x", "name=\x00\xff\"'<>&amp;", "name=%00%1f%7f%80%c3%a9%e2%80%a8\\", "NAME=x", "name[]=x", "colour=red", "name=x&color=RED%00",
		";name=x", "name;=x&name=y", "na%6De&name=x", "+name=x&name+=y&name=z", "name=x#f", "name=%u0041&name=B",
	} {
		f.Add("GET", query, "", "")
		f.Add("POST", query, form, query)
	}
	f.Add("POST", "name=Q", form, "name=%zz&color=red")
	f.Add("POST", "name=Q", "multipart/form-data; boundary=X", "--X\r\nContent-Disposition: form-data; name=\"color\"\r\n\r\nred\r\n--X--\r\n")
	f.Add("GET", "color=red", "multipart/form-data; boundary=X", "--X\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nP\r\n--X--\r\n")
	f.Add("PUT", "name=Q", form, "name=x")
	f.Add("HEAD", "name=Q", "", "")

	f.Fuzz(func(t *testing.T, method, query, contentType, body string) {
		var first seen
		for i, s := range stages {
			got, _ := visitTwice(t, s, method, query, contentType, body)
			if i == 0 {
				first = got
				continue
			}
			a, _ := json.Marshal(first)
			b, _ := json.Marshal(got)
			if string(a) != string(b) || !slices.Equal(first.Answers, got.Answers) {
				t.Errorf("%s %q %q %q:\n%s shows %q\n%s shows %q", method, query, contentType, body, stages[0].name, first, s.name, got)
			}
		}
		if (method == "" || method == "GET") && contentType == "" {
			values, _ := url.ParseQuery(query) // bad pairs are left out
			checkOracle(t, first, values.Get("name"), values.Get("color"))
		}
	})
}

// checkOracle holds two visits to what a reader of the rules expects.
func checkOracle(t *testing.T, got seen, name, colour string) {
	t.Helper()
	if name == "" {
		if len(got.Records) != 0 || !strings.HasPrefix(got.Answers[0], "400 ") {
			t.Errorf("a request without a name was answered %q and logged %v", got.Answers[0], got.Records)
		}
		return
	}
	text, ok := strings.CutPrefix(got.Answers[1], "200 <h1 style='color: "+visits.Colour(colour)+"'>Welcome!</h1>\n<p>Name: ")
	text, ok2 := strings.CutSuffix(text, "</p>\n<p>Count: 2</p>\n")
	if !ok || !ok2 || strings.ContainsAny(text, "<>'\"") {
		t.Errorf("answer is %q", got.Answers[1])
	}
	plain := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#39;", "'", "&#34;", `"`, "&amp;", "&").Replace(text)
	if plain != name {
		t.Errorf("answer names %q, want %q", plain, name)
	}
	want := map[string]string{"level": "info", "message": "visited", "module": "hello", "name": string([]rune(name)), "count": "2"}
	if len(got.Records) != 2 || !maps.Equal(got.Records[1], want) {
		t.Errorf("log has %v, want last %v", got.Records, want)
	}
}

// FuzzRecord: best writes the bytes that zerolog writes, so whoever reads the
// log of final can read that of best.
func FuzzRecord(f *testing.F) {
	for _, name := range []string{"Ann", "a\"b\\c", "\x00\x07\b\t\n\f\r\x1f\x7f", "é\u2028\U0001f600", "\xff", "\xc3", "a\xe2\x82", "\xed\xa0\x80", "\ufffd", "<&>'/"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if name == "" {
			return // not logged
		}
		query := url.Values{"name": {name}}.Encode()
		// The records carry the time: tried again where the two logs were
		// written in different seconds.
		var want, got []string
		for range 3 {
			_, a := visitTwice(t, named(t, "final"), "GET", query, "", "")
			_, b := visitTwice(t, named(t, "best"), "GET", query, "", "")
			want, got = a.Writes, b.Writes
			if slices.Equal(got, want) {
				return
			}
		}
		t.Errorf("best logs %q, final %q", got, want)
	})
}
