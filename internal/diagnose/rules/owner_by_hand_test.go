package rules_test

import (
	"strings"
	"testing"

	"whet/internal/finding"
)

const ownerSource = `package app

import ("bytes"; "strings"; "sync")

type metric struct { name string; parts []string } // 5

func (m *metric) write(b *bytes.Buffer) { // 7
	for _, p := range m.parts {
		labels(b, p) // 9
	}
}

func labels(b *bytes.Buffer, p string) { b.WriteString(p) } // 13

func family(list []metric) []byte {
	b := bytes.Buffer{} // 16
	for i := range list {
		list[i].write(&b) // 18
	}
	return b.Bytes()
}

func sized(list []metric) []byte {
	var b bytes.Buffer // 24
	b.Grow(64 * len(list))
	for i := range list {
		list[i].write(&b) // 27
	}
	return b.Bytes()
}

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func pooled(list []metric, use func([]byte)) {
	b := pool.Get().(*bytes.Buffer) // 35
	for i := range list {
		list[i].write(b) // 37
	}
	use(b.Bytes())
	pool.Put(b)
}

func Given(b *bytes.Buffer, list []metric) {
	for i := range list {
		list[i].write(b) // 45
	}
}

type builder struct { b *strings.Builder; args int } // 49

func newBuilder() *builder { return &builder{b: &strings.Builder{}} } // 51

func (b *builder) put(s string) { b.b.WriteString(s) } // 53

func equal(field, value string) string {
	b := newBuilder() // 56
	b.put(field) // 57
	b.put(" = ")
	b.put(value)
	return b.b.String()
}

type printer struct { out bytes.Buffer } // 63

func (p *printer) print(list []metric) { // 65
	for i := range list {
		list[i].write(&p.out) // 67
	}
}

func direct(list []string) string {
	var b strings.Builder // 72
	for _, s := range list {
		b.WriteString(s) // 74
	}
	return b.String()
}

func again(lists [][]metric, use func([]byte)) {
	var b bytes.Buffer // 80
	for _, list := range lists {
		b.Reset()
		for i := range list {
			list[i].write(&b) // 84
		}
		use(b.Bytes())
	}
}

func single(name string) []byte {
	var b bytes.Buffer // 91
	labels(&b, name) // 92
	return b.Bytes()
}

func either(name string) []byte {
	var b bytes.Buffer // 97
	if name == "" {
		labels(&b, "none") // 99
	} else {
		labels(&b, name) // 101
	}
	return b.Bytes()
}

func early(name string) []byte {
	var b bytes.Buffer // 107
	if name == "" {
		labels(&b, "none") // 109
		return b.Bytes()
	}
	labels(&b, name) // 112
	return b.Bytes()
}

func rounds(list []string, use func([]byte)) {
	for _, name := range list {
		var b bytes.Buffer // 118
		labels(&b, name) // 119
		use(b.Bytes())
	}
}

func both(name, value string) []byte {
	var b bytes.Buffer // 125
	labels(&b, name) // 126
	labels(&b, value) // 127
	return b.Bytes()
}

func same(name, value string) []byte {
	var b bytes.Buffer // 132
	labels(&b, name); labels(&b, value) // 133
	return b.Bytes()
}
`

// TestOwner: what grows where a buffer was handed on is claimed where the buffer is made.
func TestOwner(t *testing.T) {
	const (
		writes = " m/app.(*metric).write:9 m/app.labels:13 bytes.(*Buffer).WriteString bytes.(*Buffer).grow bytes.growSlice"
		label  = " m/app.labels:13 bytes.(*Buffer).WriteString bytes.(*Buffer).grow bytes.growSlice"
		puts   = " m/app.(*builder).put:53 strings.(*Builder).WriteString"
	)
	for _, test := range []struct {
		name, at string // of several stacks each has the blocks of the next size
		sizes    []int64
		line     int // of the finding; 0: none
		says     string
	}{
		{"made and handed on", "m/app.family:18" + writes, []int64{64, 128, 256, 512}, 16, "b is made in app.family without a size"},
		{"of which it gives up a third", "m/app.family:18" + writes, []int64{64, 128}, 16, "33.3 % of its bytes"},
		{"inside a type of its own", "m/app.equal:57" + puts + ";m/app.equal:58" + puts + ";m/app.equal:59" + puts, []int64{8, 16, 32}, 56, "b is made in app.equal without a size"},
		{"by two calls, one after the other", "m/app.both:126" + label + ";m/app.both:127" + label, []int64{64, 128}, 125, "b is made in app.both"},
		{"by two calls of one line", "m/app.same:133" + label, []int64{64, 128}, 132, "b is made in app.same"},
		{"written once, of two lengths", "m/app.single:92" + label, []int64{64, 128}, 0, ""},
		{"written once, of many lengths", "m/app.single:92" + label, []int64{64, 128, 256, 512}, 0, ""},
		{"by one of two branches", "m/app.either:99" + label + ";m/app.either:101" + label, []int64{64, 128}, 0, ""},
		{"by a branch that returns, or after it", "m/app.early:109" + label + ";m/app.early:112" + label, []int64{64, 128}, 0, ""},
		{"made in each round", "m/app.rounds:119" + label, []int64{64, 128}, 0, ""},
		{"of one size", "m/app.family:18" + writes, []int64{64}, 0, ""},
		{"sized where it is made", "m/app.sized:27" + writes, []int64{64, 128, 256, 512}, 0, ""},
		{"from a pool", "m/app.pooled:37" + writes, []int64{64, 128, 256, 512}, 0, ""},
		{"of a caller that is not known", "m/app.Given:45" + writes, []int64{64, 128, 256, 512}, 0, ""},
		{"of an object", "m/app.(*printer).print:67" + writes, []int64{64, 128, 256, 512}, 0, ""},
		{"used again", "m/app.again:84" + writes, []int64{64, 128, 256, 512}, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			allocs := []stack{{frames: "m/app.other:300", n: 1, size: 16}}
			at := strings.Split(test.at, ";")
			for i, size := range test.sizes {
				allocs = append(allocs, stack{frames: at[i%len(at)], n: 1000, size: size})
			}
			s := app(t, ownerSource, known, []stack{{frames: at[0] + " runtime.growslice runtime.mallocgc", n: 400}, {frames: "other.work", n: 600}}, allocs)
			var made []finding.Finding
			for _, f := range said(t, "step-growth", s) {
				if strings.Contains(f.Why, "is made in") {
					made = append(made, f)
				}
			}
			switch {
			case test.line == 0:
				if len(made) > 0 {
					t.Errorf("it speaks: %+v", made)
				}
			case len(made) != 1:
				t.Fatalf("%d findings", len(made))
			case made[0].Line != test.line || made[0].CPURatio < 0.4-1e-9 || !strings.Contains(made[0].Why, test.says):
				t.Errorf("line %d, %v of the time, %q; want line %d, 0.4, %q", made[0].Line, made[0].CPURatio, made[0].Why, test.line, test.says)
			}
		})
	}
}
