package rules_test

import (
	"strings"
	"testing"
)

const resultSource = `package app; import ("bytes"; "strconv"; "sync")

func array(n int64) string { // 3
	var memory [64]byte // 4
	b := strconv.AppendInt(memory[:0], n, 10) // 5
	b = append(b, '!') // 6
	return string(b) // 7
}

func helper(n int) string { // 10
	b := make([]byte, 0, 64) // 11
	return string(appendDigits(b, n)) // 12
}

func runes() (id string) { // 15
	r := make([]rune, 32) // 16
	r[0] = 'a' // 17
	id = string(r) // 18
	return id
}

func pooled(n int) string { // 22
	p := scratch.Get().(*[]byte) // 23
	b := append((*p)[:0], "pages "...) // 24
	s := string(b) // 25
	*p = b
	scratch.Put(p)
	return s
}

func buffer() string { // 31
	buf := buffers.Get().(*bytes.Buffer) // 32
	s := buf.String() // 33
	buffers.Put(buf)
	return s
}

func field(e *entry) { // 38
	w := writers.Get().(*writer) // 39
	w.buf = append(w.buf[:0], '<') // 40
	e.name = string(w.buf) // 41
	w.other = nil
}

func handed(b []byte) string { // 45
	return string(b) // 46
}

func swapped(b []byte) string { // 49
	x := make([]byte, 8) // 50
	x = b // 51
	return string(x) // 52
}

func used(n int) int { // 55
	b := make([]byte, 8) // 56
	s := string(b) // 57
	return count(s)
}

func two(name string) (string, []byte) { // 61
	b := make([]byte, 8) // 62
	return string(b), []byte(name) // 63
}

func entries() []entry { // 66
	var b [8]byte // 67
	return []entry{{name: string(b[:])}} // 68
}

func local() string { // 71
	var buf bytes.Buffer // 72
	return buf.String() // 73
}

var scratch, buffers, writers sync.Pool

type entry struct{ name string }

type writer struct {
	buf   []byte
	other any
}

func appendDigits(b []byte, n int) []byte
func count(string) int
`

// A string that is returned or stored has to be made once: what it is made of
// decides whether there is something to save.
func TestStringResultsByHand(t *testing.T) {
	const toString, block = " runtime.slicebytetostring runtime.memmove", " runtime.slicebytetostring runtime.mallocgc"
	// 300 of 1000 samples copy at a place, and its string is 32 of 64 bytes.
	at := func(place string) ([]stack, []stack) {
		return []stack{{frames: "m/app." + place + toString, n: 200}, {frames: "m/app." + place + block, n: 100}, {frames: "m/app.work:99", n: 700}},
			[]stack{{"m/app." + place, 100, 32}, {"m/app.work:99", 100, 32}}
	}
	for _, test := range []struct {
		name   string
		place  string
		more   []stack // further allocations
		want   string
		remedy string
	}{
		{name: "an array on the stack", place: "array:7"},
		{name: "the same, outgrown in every call", place: "array:7", more: []stack{{"m/app.array:5 strconv.AppendInt", 100, 128}}, want: "app.go:7"},
		{name: "outgrown by the function's own append", place: "array:7", more: []stack{{"m/app.array:6", 10, 128}}, want: "app.go:7"},
		{name: "outgrown in nine calls of a hundred", place: "array:7", more: []stack{{"m/app.array:6", 9, 128}}},
		{name: "what another function of the same name makes elsewhere", place: "array:7", more: []stack{{"m/app.work:99 strconv.AppendInt", 100, 128}}},
		{name: "a slice on the stack, filled by a helper", place: "helper:12"},
		{name: "a slice on the heap: two for one", place: "helper:12", more: []stack{{"m/app.helper:11", 100, 64}}, want: "app.go:12", remedy: "Use a strings.Builder"},
		{name: "a helper that makes a new one", place: "helper:12", more: []stack{{"m/app.helper:12 m/app.appendDigits:80", 100, 64}}, want: "app.go:12"},
		{name: "a pool's slice", place: "pooled:25"},
		{name: "a pool that is never filled", place: "pooled:25", more: []stack{{"m/app.pooled:23 sync.(*Pool).Get m/app.glob..func1:90", 100, 64}}, want: "app.go:25"},
		{name: "a pool's field, into a field", place: "field:41"},
		{name: "in a literal that is returned", place: "entries:68"},
		{name: "the caller's bytes", place: "handed:46", want: "app.go:46", remedy: "Use one type from end to end"},
		{name: "a variable that is given others", place: "swapped:52", want: "app.go:52", remedy: "Use one type from end to end"},
		{name: "a string that is only used", place: "used:57", want: "app.go:57"},
		{name: "a copy to bytes beside it", place: "two:63", want: "app.go:63"},
	} {
		cpu, allocs := at(test.place)
		s := app(t, resultSource, known, cpu, append(allocs, test.more...))
		s.AllocIterations = 100
		got := said(t, "string-copy", s)
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s: %s:%d: %s", test.name, got[0].File, got[0].Line, got[0].Why)
		case test.want != "" && (len(got) != 1 || place(got[0].File, got[0].Line, "") != test.want || !near(got[0].CPURatio, 0.3) || !strings.Contains(got[0].Remedy, test.remedy)):
			t.Errorf("%s: %+v, want %s", test.name, got, test.want)
		}
	}
	for _, test := range []struct{ place, want string }{{"buffer:33", ""}, {"local:73", "app.go:73"}} {
		s := app(t, resultSource, known, []stack{{frames: "m/app." + test.place + " bytes.(*Buffer).String runtime.slicebytetostring", n: 300}, {frames: "m/app.work:99", n: 700}},
			[]stack{{"m/app." + test.place + " bytes.(*Buffer).String", 100, 32}, {"m/app.work:99", 100, 32}})
		if got := said(t, "string-copy", s); (len(got) > 0) != (test.want != "") || len(got) > 0 && place(got[0].File, got[0].Line, "") != test.want {
			t.Errorf("%s: %+v", test.place, got)
		}
	}
	cpu, _ := at("array:7")
	if got := said(t, "string-copy", app(t, resultSource, known, cpu, nil)); len(got) != 1 {
		t.Errorf("without an allocation profile nothing says that the array stays on the stack: %+v", got)
	}

	// Of runes the encoding is to be saved, not the block: 200 of 300 samples.
	s := app(t, resultSource, known, []stack{
		{frames: "m/app.runes:18 runtime.slicerunetostring", n: 200}, {frames: "m/app.runes:18 runtime.slicerunetostring runtime.rawstring runtime.mallocgc", n: 100}, {frames: "m/app.work:99", n: 700},
	}, []stack{{"m/app.runes:18", 100, 32}})
	s.AllocIterations = 100
	got := said(t, "string-copy", s)
	if len(got) != 1 || !near(got[0].CPURatio, 0.3) || !near(got[0].AvoidableCPURatio, 0.2) || got[0].AllocBytesRatio != 0 || !strings.Contains(got[0].Remedy, "Build bytes in place of runes") || got[0].Evidence[0].Text != "300 of 1000 base samples copy here: []rune to string, of which 200 encode" {
		t.Errorf("runes: %+v", got)
	}
}
