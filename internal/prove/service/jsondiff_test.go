package service

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// diff compares two JSON texts.
func diff(t interface{ Fatalf(string, ...any) }, old, new string, ignored ...string) values {
	patterns, err := parseIgnored(ignored)
	if err != nil {
		t.Fatalf("%v", err)
	}
	x, err := jsonValue([]byte(old))
	if err != nil {
		t.Fatalf("%s: %v", old, err)
	}
	y, err := jsonValue([]byte(new))
	if err != nil {
		t.Fatalf("%s: %v", new, err)
	}
	c := values{ignored: patterns}
	c.compare(x, y)
	return c
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		old, new string
		ignored  string
		want     []difference
	}{
		{`{"a":1,"b":[1,2]}`, ` {"b" : [1, 2.0], "a":1e0} `, "", nil},
		{`1`, `2`, "", []difference{{"", "1", "2"}}},
		{`{"a":1}`, `{"a":2}`, "", []difference{{"a", "1", "2"}}},
		{`{"a":1}`, `{}`, "", []difference{{"a", "1", absent}}},
		{`{}`, `{"a":null}`, "", []difference{{"a", absent, "null"}}},
		{`{"a":{"b":[0,{"c":"x"}]}}`, `{"a":{"b":[0,{"c":"y"}]}}`, "", []difference{{"a.b.1.c", `"x"`, `"y"`}}},
		{`[1,2]`, `[1]`, "", []difference{{"1", "2", absent}}},
		{`[]`, `[[]]`, "", []difference{{"0", absent, "[]"}}},
		{`{"a":[]}`, `{"a":{}}`, "", []difference{{"a", "[]", "{}"}}},
		{`{"a":"1"}`, `{"a":1}`, "", []difference{{"a", `"1"`, "1"}}},
		{`{"a":null}`, `{"a":false}`, "", []difference{{"a", "null", "false"}}},
		{`"x"`, `["x"]`, "", []difference{{"", `"x"`, `["x"]`}}},
		{`9007199254740993`, `9007199254740992`, "", []difference{{"", "9007199254740993", "9007199254740992"}}}, // one number as a float64
		{`0.1`, `0.10000000000000000001`, "", []difference{{"", "0.1", "0.10000000000000000001"}}},
		{`-0`, `0`, "", nil},
		{`100`, `1E+2`, "", nil},
		{`1e999999999`, `1e999999998`, "", []difference{{"", "1e999999999", "1e999999998"}}},
		{`{"a":1,"b":2}`, `{"a":3,"b":4}`, "a", []difference{{"b", "2", "4"}}},
		{`{"a":{"id":1},"b":{"id":2}}`, `{"a":{"id":3},"b":{"id":4}}`, "*.id", nil},
		{`{"id":1}`, `{"id":2}`, "*.id", []difference{{"id", "1", "2"}}},
		{`{"i":[{"t":1},{"t":2}]}`, `{"i":[{"t":3},{"t":4}]}`, "i.*.t", nil},
		{`{"i":[{"t":1},{"t":2}]}`, `{"i":[{"t":3},{"t":4}]}`, "i.1.t", []difference{{"i.0.t", "1", "3"}}},
		{`{"t":1,"i":[{"t":2}]}`, `{"i":[{"t":4}]}`, "**.t", nil},
		{`{"a":{"b":{"c":1}}}`, `{"a":{"b":{"c":2}}}`, "a.**.c", nil},
		{`{"a":{"c":1}}`, `{"a":{"c":2}}`, "a.**.c", nil},
		{`{"a":{"c":1},"c":1}`, `{"a":{"c":2},"c":2}`, "a.**.c", []difference{{"c", "1", "2"}}},
		{`{"a":1}`, `{"a":2}`, "b,c", []difference{{"a", "1", "2"}}},
	} {
		got := diff(t, c.old, c.new, splitList(c.ignored)...)
		if !slices.Equal(got.found, c.want) || got.count != len(c.want) {
			t.Errorf("%s and %s without %q: %v, want %v", c.old, c.new, c.ignored, got.found, c.want)
		}
	}
}

func splitList(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// What is kept is bounded, and what is counted is not.
func TestValuesAreBounded(t *testing.T) {
	long := `"` + strings.Repeat("é", 1000) + `"`
	got := diff(t, `[`+strings.Repeat(long+",", 99)+`1]`, `[`+strings.Repeat("0,", 99)+`1]`)
	if got.count != 99 || len(got.found) != mostPerResponse || len(got.found[0].old) > 110 || !strings.HasSuffix(got.found[0].old, "é…") {
		t.Errorf("%d differ, %d kept: %q", got.count, len(got.found), got.found[0].old)
	}
}

func TestIgnoredRefused(t *testing.T) {
	for _, bad := range []string{"", ".", "a.", ".a", "a..b", "**", "a.**", strings.Repeat("a.", 200) + "a"} {
		if _, err := parseIgnored([]string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if _, err := parseIgnored(slices.Repeat([]string{"a"}, maxPatterns+1)); err == nil {
		t.Error("too many were taken")
	}
}

func TestJSONValue(t *testing.T) {
	for _, bad := range []string{"", "{", "1 2", `{"a":1}x`, "nul"} {
		if v, err := jsonValue([]byte(bad)); err == nil {
			t.Errorf("%q: %v", bad, v)
		}
	}
}

// tree draws a JSON value whose numbers are written in one way only.
func tree(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 4
		if depth > 0 {
			kinds = 6
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.StringN(0, 2, -1).Draw(t, "string")
		case 3:
			return float64(rapid.IntRange(-2, 2).Draw(t, "number"))
		case 4:
			return rapid.SliceOfN(tree(depth-1), 0, 3).Draw(t, "array")
		}
		return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), tree(depth-1), 0, 3).Draw(t, "object")
	})
}

// A second implementation: values of one kind of number differ exactly where
// reflect.DeepEqual says so. And the comparison has no direction.
func TestValuesAgainstReflect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := tree(3).Draw(t, "old"), tree(3).Draw(t, "new")
		a, _ := json.Marshal(x)
		b, _ := json.Marshal(y)
		var plainX, plainY any
		json.Unmarshal(a, &plainX)
		json.Unmarshal(b, &plainY)
		there, back := diff(t, string(a), string(b)), diff(t, string(b), string(a))
		if same := reflect.DeepEqual(plainX, plainY); same != (there.count == 0) {
			t.Fatalf("%s and %s: %v, reflect says the same: %v", a, b, there.found, same)
		}
		if there.count != back.count {
			t.Fatalf("%s and %s: %v; the other way round %v", a, b, there.found, back.found)
		}
		for i, p := range there.found {
			if q := back.found[i]; q.path != p.path || q.old != p.new || q.new != p.old {
				t.Fatalf("%v there, %v back", p, q)
			}
			// What is ignored no longer differs, and nothing else changes.
			if p.path != "" && there.count <= mostPerResponse {
				if left := diff(t, string(a), string(b), p.path); left.count != there.count-1 {
					t.Fatalf("%s and %s without %s: %v, before %v", a, b, p.path, left.found, there.found)
				}
			}
		}
	})
}

// Two bodies are the same or not whichever is the old one, and a body is the
// same as itself written anew.
func FuzzValues(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.50,"x",null,{"b":true}]}`), []byte(`[1e2]`))
	f.Add([]byte(`1e5`), []byte(`100000`))
	f.Add([]byte(`{"a":1,"a":2}`), []byte("\"\xff\""))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		x, err := jsonValue(old)
		if err != nil {
			return
		}
		written, err := json.MarshalIndent(x, "", " ")
		if err != nil {
			t.Fatalf("%q: %v", old, err)
		}
		again, err := jsonValue(written)
		if err != nil {
			t.Fatalf("%q: %v", written, err)
		}
		var c values
		if c.compare(x, again); c.count != 0 {
			t.Errorf("%q written anew differs: %v", old, c.found)
		}
		y, err := jsonValue(new)
		if err != nil {
			return
		}
		var there, back values
		there.compare(x, y)
		back.compare(y, x)
		if there.count != back.count {
			t.Errorf("%q and %q: %v; the other way round %v", old, new, there.found, back.found)
		}
	})
}
