package target

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHAR(t *testing.T) {
	data, err := os.ReadFile("testdata/shop.har")
	if err != nil {
		t.Fatal(err)
	}
	got, warnings, err := ReadAll(bytes.NewReader(data), Options{Name: "shop.har"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Target{
		{Method: "GET", URL: "https://shop.example/", Header: []Field{{"accept", "text/html"}, {"accept-encoding", "gzip, deflate, br"}, {"cookie", "session=1"}}, Line: 8, Recorded: true},
		{Method: "POST", URL: "https://shop.example/cart?add=1", Header: []Field{{"content-type", "application/json"}}, Body: []byte(`{"article":7,"{{":1}`), Line: 32, Recorded: true},
		{Method: "POST", URL: "http://shop.example:8080/login", Header: []Field{{"Host", "other.example"}, {"Content-Type", "application/x-www-form-urlencoded"}}, Body: []byte("name=J%C3%B6rg+K&pass=a%26b"), Line: 46, Recorded: true},
		{Method: "PUT", URL: "http://shop.example:8080/image", Header: []Field{{"Content-Type", "image/gif"}}, Body: []byte("GIF89a\x00"), Line: 62, Recorded: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(warnings) != 3 || !strings.HasPrefix(warnings[0], `shop.har:76: skipped: "data:image/png;base64`) || !strings.Contains(warnings[1], "it opens a WebSocket") ||
		!strings.Contains(warnings[2], `the body, of type "multipart/form-data; boundary=x", was not recorded`) {
		t.Errorf("warnings: %q", warnings)
	}
}

// TestManySkipped: of many entries that are left out ten are named.
func TestManySkipped(t *testing.T) {
	one := `{"request":{"method":"GET","url":"data:x"}},`
	text := `{"log":{"entries":[` + strings.Repeat(one, 30) + `{"request":{"method":"GET","url":"http://h/"}}]}}`
	_, warnings, err := ReadAll(strings.NewReader(text), Options{Name: "x"})
	if err != nil || len(warnings) != 11 || warnings[10] != "x: 20 more entries were skipped" {
		t.Errorf("got %q, %v", warnings, err)
	}
}

// FuzzHAR: an archive is read just when encoding/json reads it whole, and then
// method, URL and body of each entry are those that it finds.
func FuzzHAR(f *testing.F) {
	data, err := os.ReadFile("testdata/shop.har")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	for _, seed := range []string{
		`{"log":{"entries":[]}}`, `{"a":[{"log":1}],"log":{"pages":[[]],"entries":[{"request":{"method":"GET","url":"http://h/"}}],"x":{}},"b":null}`,
		`{"log":{"entries":[{"request":{"method":"GET","url":"HTTPS://h/","postData":{"text":"a"}}}]}} `, `{"log":{"entries":null}}`, `{"log":{"entries":[1]}}`,
		`{"log":{"entries":[{"request":{"method":"GET","url":"http://h/"}}`, `{"log":{"entries":[]}}}`, `{"log":{"entries":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, skipped, err := readHAR(data)
		var whole any
		strict := json.Unmarshal(bytes.TrimPrefix(data, []byte(byteOrderMark)), &whole)
		if err == nil && strict != nil {
			t.Fatalf("%d targets of what is no JSON: %v", len(got), strict)
		}
		if strict != nil || ambiguous(data) {
			return
		}
		entries, ok := at(at(whole, "log"), "entries").([]any)
		if !ok && err == nil {
			t.Fatalf("%d targets of what is no archive", len(got))
		}
		if err != nil {
			return
		}
		if len(got)+skipped != len(entries) {
			t.Fatalf("%d targets and %d skipped of %d entries", len(got), skipped, len(entries))
		}
		for _, e := range entries {
			if len(got) == 0 {
				break
			}
			q := at(e, "request")
			if at(q, "method") != got[0].Method || at(q, "url") != got[0].URL {
				continue // skipped
			}
			if post := at(q, "postData"); at(post, "encoding") == nil && at(post, "params") == nil {
				text, _ := at(post, "text").(string)
				if string(got[0].Body) != text {
					continue // another of the same URL
				}
			}
			got = got[1:]
		}
		if len(got) > 0 {
			t.Fatalf("%+v is no entry, or none in its place", got[0])
		}
	})
}

func readHAR(data []byte) (targets []Target, skipped int, err error) {
	r := NewReader(bytes.NewReader(data), Options{Name: "x", Format: HAR})
	for {
		t, err := r.Next()
		if err != nil {
			if r.err.Error() == "EOF" {
				err = nil
			}
			return targets, r.skipped, err
		}
		targets = append(targets, t)
	}
}

func at(v any, key string) any {
	m, _ := v.(map[string]any)
	return m[key]
}

// ambiguous reports whether an object has a key twice, or in letters of another
// case than ours, where encoding/json's two ways to read disagree.
func ambiguous(data []byte) bool {
	ours := []string{"request", "method", "url", "headers", "name", "value", "postData", "mimeType", "text", "encoding", "params"}
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte(byteOrderMark))))
	type level struct {
		object bool
		seen   []string
		key    bool
	}
	var levels []level
	for {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		top := len(levels) - 1
		if d, ok := token.(json.Delim); ok && (d == '}' || d == ']') {
			levels = levels[:top]
			continue
		}
		if top >= 0 && levels[top].object {
			if levels[top].key = !levels[top].key; levels[top].key {
				name := token.(string)
				if slices.Contains(levels[top].seen, name) || slices.ContainsFunc(ours, func(o string) bool { return o != name && strings.EqualFold(o, name) }) {
					return true
				}
				levels[top].seen = append(levels[top].seen, name)
				continue
			}
		}
		if d, ok := token.(json.Delim); ok {
			levels = append(levels, level{object: d == '{'})
		}
	}
}
