package service

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/load"
)

func TestParseRequests(t *testing.T) {
	const text = `# a comment
GET /

  GET   /items?id=7&x=%20y	{"Accept":"text/plain", "X-A":"b c"}
POST /items {"Content-Type":"application/json"} {"name": "x"}
PUT /items/7 {} {"name":"y"}
PUT /items/8 ["z"]
DELETE /items/9 {}
PATCH /x plain text, as it stands
`
	got, err := parseRequests(strings.NewReader(text))
	want := []load.Request{
		{Method: "GET", Target: "/"},
		{Method: "GET", Target: "/items?id=7&x=%20y", Header: map[string]string{"Accept": "text/plain", "X-A": "b c"}},
		{Method: "POST", Target: "/items", Header: map[string]string{"Content-Type": "application/json"}, Body: []byte(`{"name": "x"}`)},
		{Method: "PUT", Target: "/items/7", Header: map[string]string{}, Body: []byte(`{"name":"y"}`)},
		{Method: "PUT", Target: "/items/8", Body: []byte(`["z"]`)},
		{Method: "DELETE", Target: "/items/9", Header: map[string]string{}},
		{Method: "PATCH", Target: "/x", Body: []byte("plain text, as it stands")},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
}

func TestParseRequestsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "no requests: write lines",
		"# only this\n\n":          "no requests: write lines",
		"GET":                      "line 1: \"GET\" has no path",
		"\nGET x":                  `line 2: path "x"`,
		"GET http://other/":        "without a host",
		"G(T /":                    `method "G(T"`,
		`POST / {"a":1}`:           "put {} before a body that is an object",
		`POST / {"a":`:             "put {} before",
		`POST / {"a b":"c"}`:       `header "a b"`,
		`POST / {"a":"b\r\nc: d"}`: `header "a"`,
		strings.Repeat("GET /\n", 2) + "GET /" + strings.Repeat("x", maxRequestLine): "line 3: longer than 1 MiB",
		strings.Repeat("GET /\n", maxRequests+1):                                     "line 100001: more than 100000 requests",
		strings.Repeat(strings.Repeat("#", maxRequestLine-2)+"\n", 65):               "larger than 64 MiB",
	} {
		if got, err := parseRequests(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 500 {
			t.Errorf("%.50q: %d requests, %v; want %q", text, len(got), err, want)
		}
	}
	if _, err := readRequests(filepath.Join(t.TempDir(), "none")); err == nil || !strings.HasPrefix(err.Error(), "read requests: ") {
		t.Error(err)
	}
	name := filepath.Join(t.TempDir(), "requests")
	if err := os.WriteFile(name, []byte("GET"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readRequests(name); err == nil || !strings.HasPrefix(err.Error(), "read requests "+name+": line 1: ") {
		t.Error(err)
	}
}

// write writes a request as it is read.
func write(q load.Request) string {
	header, _ := json.Marshal(q.Header)
	if q.Header == nil {
		header = []byte("{}")
	}
	return fmt.Sprintf("%s %s %s %s\n", q.Method, q.Target, header, q.Body)
}

// What was read can be sent, and is read again as it was once written.
func FuzzParseRequests(f *testing.F) {
	f.Add("GET /\nPOST /x?y {\"A\":\"b\"} {\"c\":1}\n")
	f.Add("# x\r\nPUT / {} {")
	f.Add("GET / {\"A\":null}\nGET\t/\t\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseRequests(strings.NewReader(text))
		if err != nil {
			return
		}
		var written strings.Builder
		for i, q := range got {
			if q.Method == "" || q.Target == "" || q.Validate() != nil {
				t.Fatalf("%q: %+v: %v", text, q, q.Validate())
			}
			if got[i].Header == nil {
				got[i].Header = map[string]string{}
			}
			written.WriteString(write(q))
		}
		again, err := parseRequests(strings.NewReader(written.String()))
		for i := range again {
			if again[i].Header == nil {
				again[i].Header = map[string]string{}
			}
		}
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%q: %+v; written %q: %+v, %v", text, got, written.String(), again, err)
		}
	})
}
