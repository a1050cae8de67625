package target

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// files returns the bodies that targets refer to.
func files(name string) ([]byte, error) {
	if name == "missing" {
		return nil, errors.New("there is none")
	}
	return []byte("<" + name + ">"), nil
}

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		format     Format
		want       []Target
	}{
		{"http, simple", "GET http://localhost:8080/path?item=1\nHEAD http://user:pw@h/\n", HTTP, []Target{
			{Method: "GET", URL: "http://localhost:8080/path?item=1", Line: 1}, {Method: "HEAD", URL: "http://user:pw@h/", Line: 2}}},
		{"http, headers", "\n\nGET http://h/a\nX-Account: 8675\nx-twice:1\nx-twice: 2 \nX-Empty:\n\n  DELETE http://h/b \r\n\tAuthorization: Token a:b\r\n", HTTP, []Target{
			{Method: "GET", URL: "http://h/a", Header: []Field{{"X-Account", "8675"}, {"x-twice", "1"}, {"x-twice", "2"}, {"X-Empty", ""}}, Line: 3},
			{Method: "DELETE", URL: "http://h/b", Header: []Field{{"Authorization", "Token a:b"}}, Line: 9}}},
		{"http, bodies at the end", "POST http://h/a\n@a.json\n\nPATCH http://h/b\nX: 1\n@b c.json\nPUT http://h/c\nY: 2\nGET http://h/d", HTTP, []Target{
			{Method: "POST", URL: "http://h/a", Body: []byte("<a.json>"), Line: 1},
			{Method: "PATCH", URL: "http://h/b", Header: []Field{{"X", "1"}}, Body: []byte("<b c.json>"), Line: 4},
			{Method: "PUT", URL: "http://h/c", Header: []Field{{"Y", "2"}}, Line: 7},
			{Method: "GET", URL: "http://h/d", Line: 9}}},
		{"http, comments and weights", "# first\nGET http://h/a\n# not sent: X: 1\nX: 2\n# weight: 3\nGET http://h/b\n#weight: 0.5\n\nM-SEARCH http://h/c", HTTP, []Target{
			{Method: "GET", URL: "http://h/a", Header: []Field{{"X", "2"}}, Line: 2}, {Method: "GET", URL: "http://h/b", Weight: 3, Line: 6},
			{Method: "M-SEARCH", URL: "http://h/c", Weight: 0.5, Line: 9}}},
		{"http, weight after a header", "GET http://h/a\nX: 2\n# weight: 2\nM-SEARCH http://h/b\n", HTTP, []Target{
			{Method: "GET", URL: "http://h/a", Header: []Field{{"X", "2"}}, Line: 1}, {Method: "M-SEARCH", URL: "http://h/b", Weight: 2, Line: 4}}},
		{"json", `{"method":"GET","url":"http://h/"}` + "\n\n" + `{"method":"POST","url":"http://h/<b>","body":"UHVuY2gh","header":{"X":["1","2"],"A":["b"]},"weight":2.5,"other":{}}`, JSON, []Target{
			{Method: "GET", URL: "http://h/", Line: 1},
			{Method: "POST", URL: "http://h/<b>", Body: []byte("Punch!"), Header: []Field{{"A", "b"}, {"X", "1"}, {"X", "2"}}, Weight: 2.5, Line: 3}}},
		{"json, printed", "\ufeff{\n \"method\": \"GET\",\n \"url\": \"http://h/a\"\n}\n{\n \"method\": \"GET\",\n \"url\": \"http://h/b\"\n}\n", JSON, []Target{
			{Method: "GET", URL: "http://h/a", Line: 1}, {Method: "GET", URL: "http://h/b", Line: 5}}},
		{"json, array", " [\n{\"method\":\"GET\",\"url\":\"http://h/a\"},\n\n {\"method\":\"GET\",\"url\":\"http://h/b\"}\n]\n", JSON, []Target{
			{Method: "GET", URL: "http://h/a", Line: 2}, {Method: "GET", URL: "http://h/b", Line: 4}}},
	} {
		if got := Sniff([]byte(tc.text)); got != tc.format {
			t.Errorf("%s: taken for %s", tc.name, got)
		}
		for how, r := range map[string]io.Reader{"at once": strings.NewReader(tc.text), "byte by byte": iotest.OneByteReader(strings.NewReader(tc.text))} {
			got, warnings, err := ReadAll(r, Options{Name: "x", File: files})
			if err != nil || warnings != nil {
				t.Errorf("%s, %s: %v, %q", tc.name, how, err, warnings)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s, %s: %s", tc.name, how, diff)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", "read targets: x: no targets in it (http format)"},
		{"# nothing\n", "no targets in it"},
		{"localhost:8080\n", `read targets: x:1: "localhost:8080" is not a request; want a line such as GET http://localhost:8080/`},
		{"\nGET\n", `x:2: "GET" is not a request`},
		{"GET http://h/\nno header\n", `x:2: "no header" is not a header; want Name: value`},
		{"GET http://h/\n: v\n", `x:2: ": v" is not a header`},
		{"GET http://h/\n@missing\n", `x:2: body @missing: there is none`},
		{"POST http://h/\n@a\nX: 1\n", `x:3: "X: 1" is not a request`},
		{"# weight: much\nGET http://h/", `x:1: weight "much" is not a number above 0; want a line such as # weight: 3`},
		{"# weight: 0\nGET http://h/", `x:1: weight "0" is not`},
		{"# weight: Inf\nGET http://h/", `x:2: weight +Inf is not`},
		{"GET http://h/\n\n# weight: 1\n", `x:3: no target follows the last weight`},
		{"GET http://h/\nX: " + strings.Repeat("a", maxLine), `x:2: a line is longer than 1048576 bytes`},
		{"GET http://h/\n" + strings.Repeat("X: a\n", maxHeader+1), `x:1002: more than 1000 headers`},
		{`{"method":"GET"}`, `x:1: a target needs "method" and "url"`},
		{`{"method":"GET","url":"http://h/","body":"not base64!"}`, `x:1: the body is not base64 at byte 3`},
		{`{"method":"GET","url":"http://h/","header":{"A":"b"}}`, `x:1: "header" cannot be a JSON string`},
		{`{"method":"GET","url":"http://h/","weight":-1}`, `x:1: weight -1 is not a number above 0`},
		{"{\"method\":\"GET\",\"url\":\"http://h/\"}\n{\"method\":", `x:2: the file is truncated`},
		{"{\"method\":\"GET\",\"url\":\"http://h/\"}\n7", `x:2: a JSON number, want an object`},
		{"{\"method\":\"GET\",\"url\":\"http://h/\"}\n]", `x:2: `},
		{"[{\"method\":\"GET\",\"url\":\"http://h/\"}", `x:1: the file is truncated`},
		{"[{\"method\":\"GET\",\"url\":\"http://h/\"}]\n[", `x:2: [, want a target or the end`},
		{"[null]", `x:1: null is not a target`},
		{"[]", `no targets in it (json format)`},
		{`{"log":{}}`, `x:1: not an HTTP archive: "log" has no "entries"`},
		{`{"log":[]}`, `x:1: not an HTTP archive: "log" does not begin with {`},
		{`{"log":{"entries":[{}]}}`, `x:1: an entry needs a "request"`},
		{`{"log":{"entries":[],"entries":[]}}`, `"entries" appears twice`},
		{`{"log":{"entries":[]},"log":{}}`, `"log" appears twice`},
		{`{"log":{"entries":[]}}x`, `x:1: invalid character`},
		{`{"log":{"entries":[]}}{`, `x:1: { follows the end`},
		{"{\"log\":{\"entries\":[\n", `the file is truncated`},
		{"{\"log\":{\n\"entries\":[\n\n{\"request\":{\"method\":1}}]}}", `x:4: "request.method" cannot be a JSON number`},
	} {
		got, _, err := ReadAll(strings.NewReader(tc.text), Options{Name: "x", File: files})
		if err == nil || !strings.Contains(err.Error(), tc.want) || got != nil {
			t.Errorf("%.60q: got %v, %v, want %q", tc.text, got, err, tc.want)
		}
	}
	_, _, err := ReadAll(strings.NewReader("GET http://h/\n@a"), Options{Name: "-"})
	if err == nil || !strings.Contains(err.Error(), "-:2: body @a: body files are not supported here") {
		t.Errorf("without files: %v", err)
	}
	_, _, err = ReadAll(io.MultiReader(strings.NewReader("GET http://h/\n"), iotest.ErrReader(errors.New("the disk is gone"))), Options{Name: "x"})
	if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("a failing reader: %v", err)
	}
}

// TestErrorStays: after an error there are no more targets, not the same one
// for ever.
func TestErrorStays(t *testing.T) {
	r := NewReader(strings.NewReader("GET http://h/a\nbad\n\nGET http://h/b\n"), Options{Name: "x"})
	_, first := r.Next()
	_, second := r.Next()
	if first == nil || !errors.Is(second, first) {
		t.Errorf("got %v, then %v", first, second)
	}
}

// TestStreams: the first target is there before the file has ended.
func TestStreams(t *testing.T) {
	for _, text := range []string{"GET http://h/a\n\n", `{"method":"GET","url":"http://h/a"}` + "\n", `{"log":{"entries":[{"request":{"method":"GET","url":"http://h/a"}},`} {
		in, out := io.Pipe()
		read := make(chan Target)
		go func() {
			r := NewReader(in, Options{Name: "x"})
			first, _ := r.Next()
			read <- first
			_, _ = io.Copy(io.Discard, in)
			close(read)
		}()
		if _, err := io.WriteString(out, text); err != nil {
			t.Fatal(err)
		}
		if got := <-read; got.URL != "http://h/a" {
			t.Errorf("%q: got %+v", text, got)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		<-read
	}
}

func TestFilesAreReadOnce(t *testing.T) {
	var asked []string
	got, _, err := ReadAll(strings.NewReader("POST http://h/\n@a\n\nPOST http://h/\n@b\n\nPOST http://h/\n@a\n"), Options{File: func(name string) ([]byte, error) {
		asked = append(asked, name)
		return []byte(name), nil
	}})
	if err != nil || !slices.Equal(asked, []string{"a", "b"}) || string(got[2].Body) != "a" {
		t.Errorf("asked for %q, got %v, %v", asked, got, err)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, bad := range map[string]Target{
		"line break in a URL": {Method: "GET", URL: "http://h/\nX: 1"}, "no method": {URL: "http://h/"}, "no URL": {Method: "GET"},
		"blank in a method": {Method: "GET http://other/", URL: " http://h/"}, "comment": {Method: "#GET", URL: "http://h/"},
		"line break in a value": {Method: "GET", URL: "http://h/", Header: []Field{{"X", "1\nY: 2"}}},
		"blank around a value":  {Method: "GET", URL: "http://h/", Header: []Field{{"X", " 1"}}},
		"colon in a name":       {Method: "GET", URL: "http://h/", Header: []Field{{"X:Y", "1"}}},
		"body's name":           {Method: "GET", URL: "http://h/", Header: []Field{{"@a", "1"}}},
		"comment's name":        {Method: "GET", URL: "http://h/", Header: []Field{{"#a", "1"}}},
		"request's name":        {Method: "GET", URL: "http://h/", Header: []Field{{"GET http", "//other/"}}},
		"no name":               {Method: "GET", URL: "http://h/", Header: []Field{{"", "1"}}},
		"name of a file":        {Method: "GET", URL: "http://h/", Body: []byte("a\n")},
	} {
		var out bytes.Buffer
		err := writeTargets(&out, []Target{bad}, func(_ int, body []byte) (string, error) { return string(body), nil })
		if err == nil || !strings.Contains(err.Error(), "write targets: target 1: ") {
			t.Errorf("%s: wrote %q, %v", name, out.String(), err)
		}
	}
	if err := writeJSON(io.Discard, []Target{{Method: "GET", URL: "http://h/\xff"}}); err == nil {
		t.Error("a URL that is no UTF-8 is written as JSON")
	}
	if err := writeJSON(io.Discard, []Target{{Method: "GET"}}); err == nil {
		t.Error("a target without a URL is written as JSON")
	}
}

// again writes targets in a format and reads them.
func again(t *testing.T, f Format, targets []Target) ([]Target, error) {
	t.Helper()
	var out bytes.Buffer
	var err error
	bodies := make(map[string][]byte)
	if f == HTTP {
		err = writeTargets(&out, targets, func(i int, body []byte) (string, error) {
			name := fmt.Sprintf("body%d", i)
			bodies[name] = body
			return name, nil
		})
	} else {
		err = writeJSON(&out, targets)
	}
	if err != nil {
		return nil, err
	}
	got, _, err := ReadAll(&out, Options{Name: "again", File: func(name string) ([]byte, error) { return bodies[name], nil }})
	if err != nil {
		t.Fatalf("what was written is refused: %v\n%s", err, out.String())
	}
	return got, nil
}

// settled takes off what writing may change: the lines, that it was a recording, empty bodies, and, in
// JSON, the order of the names.
func settled(targets []Target, byName bool) []Target {
	out := slices.Clone(targets)
	for i := range out {
		out[i].Line, out[i].Recorded = 0, false
		if len(out[i].Body) == 0 {
			out[i].Body = nil
		}
		if byName {
			out[i].Header = slices.Clone(out[i].Header)
			slices.SortStableFunc(out[i].Header, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
		}
	}
	return out
}

// FuzzRead: whatever is read in any format can be written in both, or is refused
// for a reason, and what was written is read as the same targets.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"GET http://localhost:8080/path?item=1\nHEAD http://h/\n", "# weight: 3\nPOST http://h/\nX: 1\nX: 2\n@a\n\nPUT http://h/b\nY:\n",
		"GET http://h/\nGET : x\nA B: c\n", "M-SEARCH http://h/ a b\r\n\r\n", "GET \u2003http://h/\n",
		`{"method":"POST","url":"http://h/","body":"UHVuY2gh","header":{"X":["1","2"]},"weight":2.5}`, `[{"method":"a","url":"b","header":{"":[]}}]`,
		`{"log":{"entries":[{"request":{"method":"GET","url":"http://h/","headers":[{"name":":path","value":"/"},{"name":"A","value":"b"}]}}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first, _, err := ReadAll(bytes.NewReader(data), Options{Name: "x", File: files})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read targets: x:") {
				t.Fatalf("an error that does not say where: %v", err)
			}
			return
		}
		for _, format := range []Format{HTTP, JSON} {
			second, err := again(t, format, first)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "write targets: target ") {
					t.Fatalf("an error that does not say where: %v", err)
				}
				continue
			}
			if diff := cmp.Diff(settled(first, format == JSON), settled(second, format == JSON)); diff != "" {
				t.Fatalf("%s: %s", format, diff)
			}
		}
	})
}
