package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"whet/internal/loadresult"
)

// verdict returns what a verifier says of an answer that comes in pieces of n bytes.
func verdict(v *Verifier, header [][2]string, body string, n int) string {
	v.Reset()
	for _, f := range header {
		v.Field([]byte(f[0]), []byte(f[1]))
	}
	for p := []byte(body); len(p) > 0; {
		k := min(n, len(p))
		v.Body(p[:k])
		p = p[k:]
	}
	if v.Kind(200) == "" {
		return ""
	}
	return v.Why(200)
}

func TestVerifier(t *testing.T) {
	sum := sha256.Sum256([]byte("hello"))
	other := sha256.Sum256([]byte("hullo"))
	html := [][2]string{{"Server", "x"}, {"CONTENT-type", "text/html"}, {"Content-Type", "again"}}
	for _, c := range []struct {
		check  Check
		header [][2]string
		body   string
		want   string
	}{
		{Check{Header: []Field{{"Content-Type", "text/html"}}}, html, "", ""},
		{Check{Header: []Field{{"Content-Type", "text/html"}, {"server", "y"}}}, html, "", "the header server: y is missing"},
		{Check{Header: []Field{{"X", ""}}}, html, "", "the header X:  is missing"},
		{Check{Bytes: &Range{5, 5}}, nil, "hello", ""},
		{Check{Bytes: &Range{6, 9}}, nil, "hello", "the body has 5 bytes, not 6 to 9"},
		{Check{Bytes: &Range{0, 4}}, nil, "hello", "the body has 5 bytes, not 0 to 4"},
		{Check{SHA256: strings.ToUpper(hex.EncodeToString(sum[:]))}, nil, "hello", ""},
		{Check{SHA256: hex.EncodeToString(sum[:])}, nil, "hullo", "the sha256 of the body is " + hex.EncodeToString(other[:])},
		{Check{JSON: []Field{{"user.id", "5"}, {"items.1.name", "b"}}}, nil, `{"user":{"id":5},"items":[{},{"name":"b"}]}`, ""},
		{Check{JSON: []Field{{"user.id", "5"}}}, nil, `{"user":{"id":6}}`, "the value at user.id is not 5"},
		{Check{JSON: []Field{{"user.id", "5"}}}, nil, `{"user":[5]}`, "the body has no value at user.id"},
		{Check{JSON: []Field{{"user", "5"}}}, nil, `{"user":{"user":5}}`, "the value at user is not 5"},
		{Check{JSON: []Field{{`a\.b.c`, "5"}, {`\.`, "7"}, {`\d\`, "8"}}}, nil, `{"a.b":{"c":5},".":7,"\\d\\":8}`, ""},
		{Check{JSON: []Field{{`a\.b`, "5"}}}, nil, `{"a":{"b":5}}`, `the body has no value at a\.b`},
		{Check{JSON: []Field{{"a", "5"}}}, nil, `{"a":5`, "the body is not JSON: it is truncated"},
		{Check{JSON: []Field{{"a", "5"}}}, nil, `{"a":5}}`, "the body is not JSON: data follows the document"},
		{Check{JSON: []Field{{"a", "5"}}}, nil, ``, "the body is not JSON: it is truncated"},
	} {
		if err := c.check.Validate(); err != nil {
			t.Fatal(err)
		}
		v := c.check.Verifier()
		for n := 1; n <= len(c.body)+1; n++ {
			if got := verdict(v, c.header, c.body, n); got != c.want {
				t.Errorf("%+v, %q in pieces of %d: %q, want %q", c.check, c.body, n, got, c.want)
			}
		}
		if v.Kind(404) != loadresult.Status4xx || v.Why(404) != "answered 404 Not Found" {
			t.Errorf("404: %s, %s", v.Kind(404), v.Why(404))
		}
	}
}

func TestStatusKind(t *testing.T) {
	for _, c := range []struct {
		status []Range
		got    int
		want   string
	}{
		{nil, 200, ""}, {nil, 302, ""}, {nil, 404, loadresult.Status4xx}, {nil, 503, loadresult.Status5xx},
		{[]Range{{404, 404}}, 404, ""}, {[]Range{{404, 404}}, 200, loadresult.WrongAnswer}, {[]Range{{404, 404}}, 500, loadresult.Status5xx},
		{[]Range{{200, 204}, {304, 304}}, 304, ""}, {[]Range{{200, 204}, {304, 304}}, 205, loadresult.WrongAnswer},
	} {
		if got := (&Check{Status: c.status}).StatusKind(c.got); got != c.want {
			t.Errorf("%d of %v: %q, want %q", c.got, c.status, got, c.want)
		}
	}
	var none *Check
	if none.StatusKind(500) != loadresult.Status5xx || none.Looks() || none.Verifier() != nil || none.Validate() != nil {
		t.Error("no check is one")
	}
}

func TestCheckValidate(t *testing.T) {
	for want, c := range map[string]Check{
		"check status 99":           {Status: []Range{{99, 99}}},
		"check status 300 to 200":   {Status: []Range{{300, 200}}},
		"check 5 to 4 bytes":        {Bytes: &Range{5, 4}},
		`check sha256 "abc"`:        {SHA256: "abc"},
		`check sha256 "abcd"`:       {SHA256: "abcd"},
		`check header "a b"`:        {Header: []Field{{"a b", ""}}},
		`check json "a..b"`:         {JSON: []Field{{"a..b", ""}}},
		`check json "a\\.b."`:       {JSON: []Field{{`a\.b.`, ""}}},
		"check 101 fields: give up": {JSON: make([]Field, 101)},
	} {
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// reference returns what encoding/json says.
func reference(body string, f Field) bool {
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var v any
	if !json.Valid([]byte(body)) || d.Decode(&v) != nil {
		return false
	}
	for step := range strings.SplitSeq(strings.ReplaceAll(f.Name, `\.`, "\x00"), ".") {
		step = strings.ReplaceAll(step, "\x00", ".")
		switch c := v.(type) {
		case map[string]any:
			next, ok := c[step]
			if !ok {
				return false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(c) || strconv.Itoa(i) != step {
				return false
			}
			v = c[i]
		default:
			return false
		}
	}
	switch v := v.(type) {
	case nil:
		return f.Value == "null"
	case bool:
		return f.Value == strconv.FormatBool(v)
	case json.Number:
		return f.Value == string(v)
	case string:
		return f.Value == v
	}
	return false
}

// However it is cut, a document has the verdict that encoding/json gives.
func FuzzJSON(f *testing.F) {
	for _, c := range [][3]string{
		{`{"a":{"b":[1,{"c":"x"}]}}`, "a.b.1.c", "x"},
		{`{"a":{"b":1},"a":{}}`, "a.b", "1"},
		{`{"a":1,"a":2}`, "a", "2"},
		{`{"a.b":{"c":1}}`, `a\.b.c`, "1"}, {`{"a\\":{"b":1}}`, `a\.b`, "1"}, {`{"a.":1}`, `a\.`, "1"}, {`{"a\\":1}`, `a\`, "1"},
		{`{"a":2,"a":[2]}`, "a", "2"},
		{"{\"\\u0061\\ud83d\\ude00\":\"\\ud83d\\u0041\\udead\\ud800\"}", "a😀", "\ufffdA\ufffd\ufffd"},
		{"{\"a\":\"\xff\xfe\"}", "a", "\ufffd\ufffd"},
		{`{"a":"\"\\\/\b\f\n\r\t"}`, "a", "\"\\/\b\f\n\r\t"},
		{`[-0.5e+10, 0, 12]`, "0", "-0.5e+10"},
		{`[01]`, "0", "01"}, {`[1.]`, "0", "1."}, {`[1e]`, "0", "1e"}, {`[-]`, "0", "-"},
		{` [ true , false , null ] `, "2", "null"},
		{`{"a":"longer than what is looked for"}`, "a", "long"},
		{`{"a" 1}`, "a", "1"}, {`{,}`, "a", "1"}, {`[1,]`, "0", "1"}, {`{"a":1,}`, "a", "1"}, {`[1 2]`, "0", "1"}, {`{"a":1]`, "a", "1"},
		{`[[[["x"]]]]`, "0.0.0.0", "x"}, {`{"0":{"0":"x"}}`, "0.0", "x"}, {`[1`, "0", "1"}, {"[\"a\nb\"]", "0", "a"}, {`tru`, "0", "tru"}, {"7", "0", "7"},
	} {
		f.Add(c[0], c[1], c[2], 3)
	}
	f.Fuzz(func(t *testing.T, body, name, value string, cut int) {
		fields := []Field{{name, value}, {"never.there", "x"}}
		check := Check{JSON: fields[:1]}
		if check.Validate() != nil || len(body) > 1<<16 || strings.Contains(name, "\x00") { // which the reference needs
			return
		}
		want := reference(body, fields[0])
		v := check.Verifier()
		for _, n := range []int{1, max(1, cut), len(body) + 1} {
			if got := verdict(v, nil, body, n); (got == "") != want {
				t.Fatalf("%q at %q in %q, in pieces of %d: %q, want %v", value, name, body, n, got, want)
			}
		}
		// One more field takes nothing from the first.
		check.JSON = fields
		v = check.Verifier()
		verdict(v, nil, body, 1)
		if got := v.json.ways[0].found && v.json.state == wantNothing; got != want {
			t.Fatalf("%q at %q in %q beside another: %v", value, name, body, got)
		}
	})
}

func TestVerifierAllocates(t *testing.T) {
	sum := sha256.Sum256([]byte(`{"user":{"id":5,"name":"x"}}`))
	c := Check{Header: []Field{{"A", "b"}}, Bytes: &Range{28, 28}, SHA256: hex.EncodeToString(sum[:]), JSON: []Field{{"user.id", "5"}, {"user.name", "x"}}}
	v := c.Verifier()
	name, value, body := []byte("a"), []byte("b"), []byte(`{"user":{"id":5,"name":"x"}}`)
	look := func() string {
		v.Reset()
		v.Field(name, value)
		v.Body(body[:10])
		v.Body(body[10:])
		return v.Kind(200)
	}
	if kind := look(); kind != "" {
		t.Fatal(kind, v.Why(200))
	}
	if n := testing.AllocsPerRun(100, func() { look() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A document deeper than encoding/json reads is none.
func TestDeepest(t *testing.T) {
	c := Check{JSON: []Field{{"0", "x"}}}
	for depth, want := range map[int]string{deepest: "the value at 0 is not x", deepest + 1: "the body is not JSON: nested too deeply"} {
		body := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		if json.Valid([]byte(body)) != !strings.Contains(want, "not JSON") {
			t.Fatalf("encoding/json has another limit than %d", depth)
		}
		if got := verdict(c.Verifier(), nil, body, 7); got != want {
			t.Errorf("depth %d: %q", depth, got)
		}
	}
}

func BenchmarkVerifier(b *testing.B) {
	c := Check{JSON: []Field{{"user.id", "5"}}}
	v := c.Verifier()
	body := append(bytes.Repeat([]byte(" "), 10), []byte(`{"items":["`+strings.Repeat("text ", 200)+`"],"user":{"id":5}}`)...)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		v.Reset()
		v.Body(body)
		if v.Kind(200) != "" {
			b.Fatal(v.Why(200))
		}
	}
}
