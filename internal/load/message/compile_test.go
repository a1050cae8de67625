package message

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestCompile(t *testing.T) {
	for _, tc := range []struct {
		target Target
		want   Message
	}{
		{Target{URL: "http://h"}, Message{Method: "GET", Scheme: "http", Host: "h", Target: "/"}},
		{Target{URL: "HTTPS://H.example:8443?a=b"}, Message{Method: "GET", Scheme: "https", Host: "H.example:8443", Target: "/?a=b"}},
		{Target{URL: "http://[::1]:80/a#b?c"}, Message{Method: "GET", Scheme: "http", Host: "[::1]:80", Target: "/a"}},
		{Target{URL: "http://h/a b/é?c=d e&f=\"%20"}, Message{Method: "GET", Scheme: "http", Host: "h", Target: "/a%20b/%C3%A9?c=d%20e&f=%22%20"}},
		{Target{URL: "http://h/", Body: []byte("x")}, Message{Method: "POST", Scheme: "http", Host: "h", Target: "/", Body: []byte("x")}},
		{Target{URL: "http://h/", Method: "GET", Body: []byte("x")}, Message{Method: "GET", Scheme: "http", Host: "h", Target: "/", Body: []byte("x")}},
		{Target{URL: "http://u:p@h/", Method: "M-SEARCH"}, Message{Method: "M-SEARCH", Scheme: "http", Host: "h", Target: "/", Header: []Field{{"Authorization", "Basic dTpw"}}}},
		{Target{URL: "http://u:p@h/", Header: []Field{{"authorization", "x"}}}, Message{Method: "GET", Scheme: "http", Host: "h", Target: "/", Header: []Field{{"authorization", "x"}}}},
		{Target{URL: "http://h/", Header: []Field{{"content-length", " 0"}, {"x-a", "\tb "}, {"HOST", "v"}, {"X-Empty", ""}}},
			Message{Method: "GET", Scheme: "http", Host: "h", Target: "/", Header: []Field{{"x-a", "b"}, {"HOST", "v"}, {"X-Empty", ""}}}},
		{Target{URL: "http://h/{{seq}}?{{x", Header: []Field{{"X", "{{y"}}, Body: []byte("{{z"), Literal: true},
			Message{Method: "POST", Scheme: "http", Host: "h", Target: "/%7B%7Bseq%7D%7D?%7B%7Bx", Header: []Field{{"X", "{{y"}}, Body: []byte("{{z")}},
		{Target{URL: `http://h/{{"{{"}}`, Header: []Field{{"X", `{{"{{"}}`}}, Body: []byte(`{{"{{"}}`)},
			Message{Method: "POST", Scheme: "http", Host: "h", Target: "/%7B%7B", Header: []Field{{"X", "{{"}}, Body: []byte("{{")}},
	} {
		got, ok := one(t, tc.target, Options{}).One()
		if !ok {
			t.Errorf("%s: is not one message", tc.target.URL)
			continue
		}
		if got.Method != tc.want.Method || got.Scheme != tc.want.Scheme || got.Host != tc.want.Host || got.Target != tc.want.Target ||
			!slices.Equal(got.Header, tc.want.Header) || !bytes.Equal(got.Body, tc.want.Body) {
			t.Errorf("%s: got %+v, want %+v", tc.target.URL, got, tc.want)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, tc := range []struct {
		target Target
		want   string
	}{
		{Target{}, `URL "": write it in full, as http://localhost:8080/path`},
		{Target{URL: "localhost:8080/"}, `URL "localhost:8080/": write it in full`},
		{Target{URL: "ftp://h/"}, `write it in full`},
		{Target{URL: "http:///a"}, `the host is missing`},
		{Target{URL: "http://:8080/"}, `the host is missing`},
		{Target{URL: "http://h:/"}, `the port is missing after the colon`},
		{Target{URL: "http://h:0/"}, `port 0 is not within 1 to 65535`},
		{Target{URL: "http://h:65536/"}, `port 65536 is not`},
		{Target{URL: "http://h:x/"}, `invalid port`},
		{Target{URL: "http://h\r\nX: 1/"}, `invalid`},
		{Target{URL: "http://a b/"}, `invalid`},
		{Target{URL: "http://a,b/"}, `invalid character ','`},
		{Target{URL: "http://é/"}, `write it in its ASCII form`},
		{Target{URL: "http://[::g]/"}, `invalid`},
		{Target{URL: "http://[1.2.3.4]/"}, `invalid`},
		{Target{URL: "http://{{pick a b}}/"}, `the host cannot be a template`},
		{Target{URL: "http://h/%4"}, `"%4" is not an escaped character; write a plain percent sign as %25`},
		{Target{URL: "http://h/{{nothing}}"}, `URL "http://h/{{nothing}}": {{nothing}}: unknown generator`},
		{Target{URL: "http://h/", Method: "GE T"}, `method "GE T": invalid characters`},
		{Target{URL: "http://h/", Method: "GET\r\nX:"}, `invalid characters; give a word`},
		{Target{URL: "http://h/", Method: "CONNECT"}, `opens a tunnel through a proxy`},
		{Target{URL: "http://h/", Header: []Field{{"", "a"}}}, `header "": not a header name`},
		{Target{URL: "http://h/", Header: []Field{{"A:", "a"}}}, `header "A:": not a header name`},
		{Target{URL: "http://h/", Header: []Field{{"A\r\nB", "a"}}}, `header "A\r\nB": not a header name`},
		{Target{URL: "http://h/", Header: []Field{{"{{seq}}", "a"}}}, `not a header name`},
		{Target{URL: "http://h/", Header: []Field{{"A", "b\r\nC: d"}}}, `header A: the value "b\r\nC: d" contains the control character '\r'`},
		{Target{URL: "http://h/", Header: []Field{{"A", "b\x00"}}}, `control character '\x00'`},
		{Target{URL: "http://h/", Header: []Field{{"A", "{{pick \"b\\nc\"}}"}}}, `header A: the value "b\nc" contains the control character '\n'`},
		{Target{URL: "http://h/", Header: []Field{{"A", "{{\"b\\nc\"}}"}}}, `control character '\n'`},
		{Target{URL: "http://h/", Header: []Field{{"A", "{{csv.odd}}"}}}, `header A: users.csv, row 2, column odd: the value "x\ny" contains the control character '\n'`},
		{Target{URL: "http://h/", Header: []Field{{"A", "b\nc"}}, Literal: true}, `control character '\n'`},
		{Target{URL: "http://h/", Header: []Field{{"transfer-encoding", "chunked"}}}, `bodies are sent whole`},
		{Target{URL: "http://h/", Header: []Field{{"Host", "a"}, {"host", "b"}}}, `header Host: is given twice`},
		{Target{URL: "http://h/", Header: []Field{{"content-length", "5"}}, Body: []byte("body")}, `header Content-Length: is "5", but the body has 4 bytes`},
		{Target{URL: "http://h/", Header: []Field{{"Content-Length", "7"}}, Body: []byte("{{seq}}")}, `header Content-Length: leave it out: the length of each body from the template`},
		{Target{URL: "http://h/", Weight: -1}, `weight -1 is not a number above 0`},
	} {
		_, err := New([]Target{tc.target}, Options{Table: table(t)})
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "make requests: ") {
			t.Errorf("%+v: %v, want %q", tc.target, err, tc.want)
		}
	}
	if _, err := New(nil, Options{}); err == nil {
		t.Error("a set of no targets is made")
	}
	_, err := New([]Target{{URL: "http://h/"}, {URL: "x", From: "list:7"}}, Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "make requests: list:7: URL") {
		t.Errorf("the place of a target: %v", err)
	}
	_, err = New([]Target{{URL: "http://h/", Weight: 1}, {URL: "http://h/"}}, Options{})
	if err == nil || !strings.Contains(err.Error(), "target 2 has no weight but others do") {
		t.Errorf("a weight is missing: %v", err)
	}
	// Escaped line breaks are values like others.
	one(t, Target{URL: "http://h/{{raw csv.odd}}", Header: []Field{{"A", "{{json csv.odd}}"}, {"B", "{{query csv.odd}}"}}}, Options{Table: table(t)})
}

func TestHosts(t *testing.T) {
	s, err := New([]Target{{URL: "http://a/"}, {URL: "https://a/"}, {URL: "http://a/2"}, {URL: "http://a:80/"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"http://a", "https://a", "http://a:80"}; !slices.Equal(s.Hosts(), want) {
		t.Errorf("got %q, want %q", s.Hosts(), want)
	}
	for i, want := range []int{0, 1, 0, 2} {
		if m, ok := s.Fixed(i); !ok || m.Origin != want || m.Index != i {
			t.Errorf("target %d: %+v", i, m)
		}
	}
	if _, ok := s.One(); ok || s.Len() != 4 {
		t.Error("four targets are one message")
	}
}

// FuzzMessage: whatever stands in a target and in the CSV file, what New does
// not refuse is one request, as net/http's server reads it: its target, its
// headers and its body are those of the message, and nothing is after it. And a
// value comes out of the URL as it went in.
func FuzzMessage(f *testing.F) {
	for _, seed := range [][4]string{
		{"/a?b=c", "v", "body", "x"}, {"/{{csv.v}}?q={{csv.v}}", "{{csv.v}}", "{{csv.v}}", "a/b&c d\r\nX: 1"}, {"/{{raw csv.v}}", "{{json csv.v}}", "{{json csv.v}}", "\r\n\r\nGET / HTTP/1.1"},
		{"/{{\"\\r\\n\"}}#{{", "{{query csv.v}}", "{{uuid}}", "%"}, {"?{{pick \"a b\" c}}", "\r\nA: b", "{{seq}}", "é\xff"}, {"@evil/", "a\tb", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, path, header, body, value string) {
		tab := &Table{name: "t", columns: []string{"v"}, rows: [][]string{{value}}, longest: []int{len(value)}}
		s, err := New([]Target{{URL: "http://h" + path, Method: "POST", Header: []Field{{"A", header}}, Body: []byte(body)}}, Options{Table: tab})
		if err != nil {
			if len(err.Error()) > 2000 {
				t.Fatalf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		var m Message
		s.Stream(0).Next(&m)
		if !strings.HasPrefix(m.Target, "/") {
			t.Fatalf("the target is %q", m.Target)
		}
		if len(m.Host)+len(m.Target)+len(m.Header[0].Value) > 1<<18 {
			return
		}
		q := read(t, &m)
		if q.RequestURI != m.Target || len(q.Header) != len(m.Header)+1 || q.Header.Get("A") != strings.Trim(m.Header[0].Value, " \t") {
			t.Fatalf("%+v is read as %q with %q", m, q.RequestURI, q.Header)
		}
		if got, err := io.ReadAll(q.Body); err != nil || !bytes.Equal(got, m.Body) {
			t.Fatalf("body %q is read as %q, %v", m.Body, got, err)
		}

		s = one(t, Target{URL: "http://h/p/{{csv.v}}/q?a={{csv.v}}&b=c"}, Options{Table: tab})
		s.Stream(0).Next(&m)
		u, err := url.ParseRequestURI(m.Target)
		if err != nil {
			t.Fatalf("%q: %v", m.Target, err)
		}
		if u.Path != "/p/"+value+"/q" || strings.Count(u.EscapedPath(), "/") != 3 || u.Query().Get("a") != value || u.Query().Get("b") != "c" {
			t.Fatalf("value %q is in %q", value, m.Target)
		}
	})
}

// read has net/http's server read a message.
func read(t *testing.T, m *Message) *http.Request {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: h\r\n", m.Method, m.Target)
	for _, f := range m.Header {
		fmt.Fprintf(&b, "%s: %s\r\n", f.Name, f.Value)
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m.Body), m.Body)
	q, err := http.ReadRequest(bufio.NewReader(&b))
	if err != nil {
		t.Fatalf("%+v: %v", m, err)
	}
	return q
}
