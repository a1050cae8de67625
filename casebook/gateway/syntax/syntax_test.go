package syntax

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

const fine = Fault(0)

// texts are what this package is about; FuzzCheck begins with them.
var texts = []struct {
	text string
	want Fault
}{
	{`{}`, fine}, {`[]`, fine}, {` { } `, fine}, {"\t\r\n[ ]\n", fine}, {`""`, fine}, {`0`, fine}, {`null`, fine}, {`true`, fine}, {`false`, fine},
	{`{"a":1}`, fine}, {`{ "a" : 1 , "b" : [ 1 , 2 , { } ] }`, fine}, {`{"a":1,"a":2}`, fine}, {`{"":""}`, fine}, {`[[],[[]],{"a":[{}]}]`, fine},
	{``, Broken}, {` `, Broken}, {`{`, Broken}, {`[`, Broken}, {`}`, Broken}, {`]`, Broken}, {`,`, Broken}, {`:`, Broken}, {`{]`, Broken}, {`[}`, Broken},
	{`{}{}`, Broken}, {`{} x`, Broken}, {"{}\x00", Broken}, {"{}\x00{", Broken}, {`1 2`, Broken}, {`[1,]`, Broken}, {`[,1]`, Broken}, {`[1 2]`, Broken}, {`[1}`, Broken},
	{`{"a":1,}`, Broken}, {`{,}`, Broken}, {`{"a"}`, Broken}, {`{"a":}`, Broken}, {`{"a" 1}`, Broken}, {`{"a":1 "b":2}`, Broken}, {`{"a":1]`, Broken}, {`{"a":1`, Broken}, {`{"a"`, Broken}, {`{"a":`, Broken}, {`{"a":1,`, Broken},
	{`{a:1}`, Broken}, {`{null:1}`, Broken}, {`{1:1}`, Broken}, {`{'a':1}`, Broken}, {`[[1]`, Broken}, {"[\v]", Broken}, {"\ufeff{}", Broken}, {`//x`, Broken}, {"[\u00a0]", Broken},
	// words
	{`nul`, Broken}, {`nulL`, Broken}, {`nullx`, Broken}, {`tru`, Broken}, {`True`, Broken}, {`fals`, Broken}, {`NaN`, Broken}, {`[n]`, Broken}, {`undefined`, Broken},
	// numbers
	{`-0`, fine}, {`10`, fine}, {`1.5`, fine}, {`0.1e39`, fine}, {`1e400`, fine}, {`-1E+05`, fine}, {`2e-7`, fine}, {strings.Repeat("9", 400), fine}, {`[0,-0.0e0]`, fine}, {`12345678901234567890`, fine},
	{`-`, Broken}, {`+1`, Broken}, {`-+1`, Broken}, {`01`, Broken}, {`-01`, Broken}, {`1.`, Broken}, {`.5`, Broken}, {`1.e5`, Broken}, {`1e`, Broken}, {`1e+`, Broken}, {`1.2.3`, Broken}, {`1e5.5`, Broken},
	{`0x10`, Broken}, {`1_000`, Broken}, {`--1`, Broken}, {`1-1`, Broken}, {`Infinity`, Broken}, {`[1.]`, Broken}, {`[-]`, Broken}, {`００`, Broken},
	// strings
	{`"a"`, fine}, {`"\"\\\/\b\f\n\r\t"`, fine}, {`"\u0041\u00e9\u20AC\ud83d\uDE00"`, fine}, {`"\u0000"`, fine}, {"\"\x7f\"", fine}, {`"é€😀"`, fine}, {"\"\u2028\ufffd\uffff\"", fine}, {`"abcdefg"`, fine}, {`"abcdefgh"`, fine}, {`"abcdefghi\njklmnopq"`, fine},
	{`"`, Broken}, {`"a`, Broken}, {`"\"`, Broken}, {`"\`, Broken}, {`"\a"`, Broken}, {`"\x41"`, Broken}, {`"\U0041"`, Broken}, {`"\u"`, Broken}, {`"\u004"`, Broken}, {`"\u004g"`, Broken}, {`"\u00 41"`, Broken}, {`"\'"`, Broken},
	{"\"\n\"", Broken}, {"\"\x00\"", Broken}, {"\"\x1f\"", Broken}, {"\"abcdefg\x1f\"", Broken}, {"\"abcdefgh\t\"", Broken}, {"\"\\n\t\"", Broken}, {`'a'`, Broken},
	// bytes that are not UTF-8, and halves of surrogate pairs
	{"\"\xff\"", Broken}, {"\"\xc3\"", Broken}, {"\"\xc0\x80\"", Broken}, {"\"\xed\xa0\x80\"", Broken}, {"\"\xf4\x90\x80\x80\"", Broken}, {"\"abcdefgh\x80\"", Broken}, {"{\"\xff\":1}", Broken}, {"[\xff]", Broken},
	{`"\ud800"`, Broken}, {`"\udc00"`, Broken}, {`"\ud800\n"`, Broken}, {`"\ud800\u0041"`, Broken}, {`"\ud800\ud800\udc00"`, Broken}, {`"\udc00\ud800"`, Broken}, {`"\ud800`, Broken}, {`"\ud800\udc0"`, Broken}, {`{"\ud800":1}`, Broken}, {`"\ud800udc00"`, Broken},
	// depth, of which the tests allow 5
	{`[[[[[]]]]]`, fine}, {`[[[[[1]],[[{}]]]]]`, Deep}, {`[[[[[[]]]]]]`, Deep}, {`{"a":{"a":{"a":{"a":{}}}}}`, fine}, {`{"a":{"a":{"a":{"a":{"a":{}}}}}}`, Deep}, {`[[[[[[`, Deep}, {`[[[[[1,{"a":1}]]]]]`, Deep},
}

const testDepth = 5

func fault(err error) Fault {
	if err == nil {
		return fine
	}
	return err.(Fault)
}

func TestCheck(t *testing.T) {
	for _, tt := range texts {
		if got := fault(Check([]byte(tt.text), testDepth)); got != tt.want {
			t.Errorf("%.60q: %v, want %v", tt.text, got, tt.want)
		}
	}
	for depth := range MaxDepth + 3 {
		text := []byte(strings.Repeat(`{"":[`, depth/2) + strings.Repeat("[", depth%2) + strings.Repeat("]", depth%2) + strings.Repeat("]}", depth/2))
		if depth == 0 {
			text = []byte("0")
		}
		for allowed := range MaxDepth + 3 {
			want := fine
			if depth > min(allowed, MaxDepth) {
				want = Deep
			}
			if got := fault(Check(text, allowed)); got != want {
				t.Fatalf("%d levels where %d are allowed: %v, want %v", depth, allowed, got, want)
			}
		}
	}
}

// Every byte of a long string is looked at, wherever it stands in a word.
func TestEveryPlace(t *testing.T) {
	for size := range 40 {
		for at := range size {
			for b := range 256 {
				s := bytes.Repeat([]byte{'x'}, size)
				s[at] = byte(b)
				text := append(append([]byte{'"'}, s...), '"')
				want := Broken
				if json.Valid(text) && utf8.Valid(text) {
					want = fine
				}
				if got := fault(Check(text, 0)); got != want {
					t.Fatalf("byte %#x at %d of %d: %v, want %v", b, at, size, got, want)
				}
			}
		}
	}
}

// halves reports whether a valid text has an escape that is half of a
// surrogate pair. It is the reference: what encoding/json makes of such a half
// is U+FFFD, which the text itself, without its escapes, may hold as well.
func halves(text []byte) bool {
	text = bytes.ReplaceAll(text, []byte(`\\`), []byte("  "))
	for i := bytes.Index(text, []byte(`\u`)); i >= 0; i = bytes.Index(text, []byte(`\u`)) {
		size := 6
		if i+12 <= len(text) && string(text[i+6:i+8]) == `\u` {
			size = 12
		}
		one := `"` + string(text[i:i+6]) + `"`
		pair := `"` + string(text[i:i+size]) + `"`
		var first, both string
		if json.Unmarshal([]byte(one), &first) != nil || json.Unmarshal([]byte(pair), &both) != nil {
			return true
		}
		switch {
		case first != "\ufffd" || strings.EqualFold(one, `"\ufffd"`):
			size = 6
		case utf8.RuneCountInString(both) != 1 || both == "\ufffd":
			return true
		}
		text = text[i+size:]
	}
	return false
}

func levelsOf(text []byte) (deepest int) {
	d := json.NewDecoder(bytes.NewReader(text))
	for n := 0; ; {
		token, err := d.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			n++
			deepest = max(deepest, n)
		case json.Delim('}'), json.Delim(']'):
			n--
		}
	}
}

// FuzzCheck: what passes is what encoding/json takes, in UTF-8, without halves
// of surrogate pairs, and not too deep.
func FuzzCheck(f *testing.F) {
	for _, tt := range texts {
		f.Add([]byte(tt.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		got := fault(Check(text, testDepth))
		if !bytes.Equal(text, before) {
			t.Fatalf("%q was changed to %q", before, text)
		}
		valid := json.Valid(text) && utf8.Valid(text) && !halves(text)
		switch {
		case !valid && got == fine:
			t.Errorf("%q passes", text)
		case valid && levelsOf(text) > testDepth && got != Deep:
			t.Errorf("%q: %v, want %v", text, got, Deep)
		case valid && levelsOf(text) <= testDepth && got != fine:
			t.Errorf("%q: %v", text, got)
		}
	})
}

// FuzzUnquote: a string that passes stands for what encoding/json reads in it.
func FuzzUnquote(f *testing.F) {
	for _, s := range []string{``, `a`, `\"\\\/\b\f\n\r\t`, `\u0041x\u00e9\u20AC`, `\ud83d\uDE00y`, `é\n`, `\\u0041`, `a\\`, `\u0000`, `\uffff\ufffd`, `x\ud83d\ude00\ud83d\ude01`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text := append(append([]byte{'"'}, raw...), '"')
		c := On(text)
		value, err := c.Value(0)
		if err != nil || len(value) != len(text) {
			return
		}
		var want string
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got := Unquote(raw)
		if string(got) != want {
			t.Errorf("%q stands for %q, want %q", raw, got, want)
		}
		if len(raw) > 0 && !bytes.ContainsRune(raw, '\\') && &got[0] != &raw[0] {
			t.Errorf("%q was copied", raw)
		}
	})
}

// FuzzCursor: walking over an object finds its members as encoding/json does,
// in the same places.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{`{}`, ` { } `, `{"a":1}`, `{"a":{"b":[]},"\u0061":"x" , "":null} `, `{"a":1,}`, `{"a":1 "b"}`, `{"a":1}x`, `[]`, `{"a":[[[[[[]]]]]]}`, `{a`, `{"a"`, `{"a",`, `{,`} {
		f.Add([]byte(s))
	}
	type member struct{ name, value string }
	f.Fuzz(func(t *testing.T, text []byte) {
		c := On(text)
		var got []member
		err := c.Enter()
		for first := true; err == nil; first = false {
			var name, value []byte
			var ok bool
			if name, ok, err = c.Name(first); err != nil || !ok {
				break
			}
			if value, err = c.Value(testDepth - 1); err == nil {
				got = append(got, member{string(Unquote(name)), string(value)})
			}
		}
		if err == nil {
			err = c.End()
		}
		want := Check(text, testDepth)
		if len(bytes.TrimLeft(text, " \t\r\n")) == 0 || bytes.TrimLeft(text, " \t\r\n")[0] != '{' {
			want = Broken
		}
		if fault(err) != fault(want) {
			t.Fatalf("%q: %v, want %v", text, err, want)
		}
		if err != nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.Token()
		for _, m := range got {
			name, err := d.Token()
			var value json.RawMessage
			if err == nil {
				err = d.Decode(&value)
			}
			if err != nil || name != m.name || string(value) != m.value {
				t.Errorf("%q: member %q, want %q and %q, %v", text, m, name, value, err)
			}
		}
		if d.More() {
			t.Errorf("%q has more members than %q", text, got)
		}
	})
}

func TestFaults(t *testing.T) {
	for fault, want := range map[Fault]string{Broken: "read JSON: it is not one JSON value in UTF-8", Deep: "read JSON: it nests too deep"} {
		if fault.Error() != want {
			t.Errorf("%q, want %q", fault.Error(), want)
		}
	}
}
