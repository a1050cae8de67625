package document

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// Members stand in their order, those of an object within as the object's own, and
// what is not set is not there.
func TestObject(t *testing.T) {
	inner := Object{"b", 2, "left", IfSet(0), "c", IfSet("<x>")}
	o := Object{Begin(Top, nil), "a", 1, inner, Amount("flat", "nanoseconds", 7), Amount("cum", "parsecs", 8),
		"list", Each([]int{1, 2}, func(n *int) Object { return Object{"n", *n} }), "none", Each(nil, func(*int) Object { return nil }), "null", (*int)(nil)}
	var b bytes.Buffer
	if err := WriteLine(&b, o); err != nil {
		t.Fatal(err)
	}
	want := `{"schema":"whet/top/1","warnings":[],"a":1,"b":2,"c":"<x>","flat_ns":7,"cum":8,"list":[{"n":1},{"n":2}],"none":[],"null":null}` + "\n"
	if b.String() != want {
		t.Errorf("%s, want %s", b.String(), want)
	}
	if h := (Object{Object{o}, "d", 1}).Header(); h.Schema != Top || h.Warnings == nil {
		t.Errorf("its header is %+v", h)
	}
}

// What is no object is an error, not a document.
func TestObjectOfNothing(t *testing.T) {
	for text, o := range map[string]Object{
		"1 is no key":   {1, 2},
		"a is no key":   {"b", 1, "a"},
		"unsupported":   {"a", math.NaN()},
		"nil is no key": {Object{nil, 1}},
	} {
		if data, err := json.Marshal(o); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(text, "nil ")) {
			t.Errorf("%v: %s, %v", o, data, err)
		}
	}
	for _, o := range []Object{nil, {"schema"}, {"a", 1, "b", 2}, {"schema", Top, "warnings", nil}} {
		if err := Write(&bytes.Buffer{}, o); err == nil {
			t.Errorf("%v is a document", o)
		}
	}
}
