package document

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

type sample struct {
	Head
	Name  string   `json:"name"`
	Value *float64 `json:"value"`
}

func TestWrite(t *testing.T) {
	nan, one := math.NaN(), 1.0
	var b bytes.Buffer
	if err := Write(&b, sample{New(Top, nil), "<a&b> \x1b\u202e", Known(&nan)}); err != nil {
		t.Fatal(err)
	}
	const want = "{\n  \"schema\": \"whet/top/1\",\n  \"warnings\": [],\n  \"name\": \"<a&b> \\u001b\\u202e\",\n  \"value\": null\n}\n"
	if b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
	b.Reset()
	if err := WriteLine(&b, sample{Head: New(Top, []string{"x"}), Value: Known(&one)}); err != nil || b.String() != `{"schema":"whet/top/1","warnings":["x"],"name":"","value":1}`+"\n" {
		t.Errorf("%v: %s", err, b.String())
	}
	for _, bad := range []sample{{Head: Head{Schema: Top}}, {Head: New("whet/toop/1", nil)}, {Head: New("", nil)}} {
		b.Reset()
		if err := Write(&b, bad); err == nil || b.Len() > 0 {
			t.Errorf("%+v is written: %s", bad.Head, b.String())
		}
		if err := NewStream(&b, bad).Close(); err == nil {
			t.Errorf("%+v is streamed", bad.Head)
		}
	}
}

func TestStream(t *testing.T) {
	var b bytes.Buffer
	d := NewStream(&b, sample{Head: New(Raw, nil), Name: "n"})
	d.List("a")
	d.Item(1)
	d.Item("\x7f")
	d.List("b")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || len(got["a"].([]any)) != 2 || len(got["b"].([]any)) != 0 || got["schema"] != Raw || strings.Contains(b.String(), "\x7f") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// A schema stands in the table once, and a view's name leads to its own.
func TestSchemas(t *testing.T) {
	var names []string
	for _, s := range Schemas() {
		if !regexp.MustCompile(`^whet/[a-z-]+/[1-9][0-9]*$`).MatchString(s.Name) || s.What == "" || s.By == "" {
			t.Errorf("%+v", s)
		}
		names = append(names, s.Name)
	}
	slices.Sort(names)
	if n := len(slices.Compact(slices.Clone(names))); n != len(names) {
		t.Errorf("%d names, %d of them different", len(names), n)
	}
	if Of("peek") != Peek || Of("poke") != "" {
		t.Errorf("peek %q, poke %q", Of("peek"), Of("poke"))
	}
}
