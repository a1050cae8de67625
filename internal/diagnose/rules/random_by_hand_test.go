package rules_test

import (
	"strings"
	"testing"

	"whet/internal/finding"
)

const randomSource = `package app; import ("math/rand"; "testing"; "x/lib")

const hex = "0123456789abcdef"

var letters = []rune(lib.Letters)
var tags = []string{"b", "i", "p"}
var values = []int32{1, 2, 3}
var marks = [...]byte{'!', '?'}

func id(from Source, b []byte, out []rune, long string) []byte {
	for i := range b { // 11
		b[i] = hex[from.Next(len(hex))] // 12
		out[i] = letters[from.Next(len(letters))] // 13
		b = append(b, 'a'+byte(rand.Intn(26))) // 14
		b = append(b, long[rand.Intn(len(long))]) // 15
		b[i] = marks[rand.Intn(2)] // 16
		b[i] = hex[rand.Intn(257)] // 17
		b[i] = hex[rand.Intn(len(b))] // 18
		text += tags[rand.Intn(len(tags))] // 19
		out[i] = values[rand.Intn(len(values))] // 20
		sum += long[rand.Intn(len(long))] // 21
		b[i] = hex[rand.Intn(16)+from.Next(3)] // 22
		if i > 3 {
			b[i] = hex[rand.Intn(16)] // 24
		}
		n := rand.Intn(16) // 26
		b[i] = hex[n] // 27
		m := rand.Intn(16) // 28
		b[i], sum = hex[m], m // 29
	}
	for i := range b {
		b[i] = hex[rand.Intn(16)] // 32
		for range 2 {
			b[i] = hex[rand.Intn(16)] // 34
		}
	}
	b[0] = hex[rand.Intn(16)] // 37
	return b
}

func (s Source) Next(n int) int { // 41
	return rand.Intn(n) // 42
}

func (s Source) Fair(n int) int {
	for {
		if v := rand.Int31(); v < max { // 47
			return int(v) % n
		}
	}
}

func BenchmarkID(b *testing.B) {
	for b.Loop() {
		buf[0] = hex[rand.Intn(16)] // 55
	}
}

type Source struct{}

var (
	text string
	sum  int
	max  int32
	buf  []byte
)
`

// Of 1000 samples n draw random numbers for the statement. Of an alphabet of up
// to 64 nine draws of ten go, else six of seven: of 350 samples 315 or 300.
func TestRandomByHand(t *testing.T) {
	const intn = " math/rand.Intn math/rand.(*Rand).Intn"
	for _, test := range []struct {
		name       string
		frames     string
		n          int64
		want       int
		avoidable  float64
		confidence finding.Confidence
		remedy     string
	}{
		{"through an interface's method", "m/app.id:12 m/app.Source.Next:42" + intn, 350, 12, 0.315, finding.High, "63 of one Int63 give ten"},
		{"runes, how many is not known", "m/app.id:13 m/app.Source.Next:42" + intn, 350, 13, 0.3, finding.High, "in place of runes"},
		{"counted from a character", "m/app.id:14" + intn, 350, 14, 0.315, finding.High, ""},
		{"a parameter's characters", "m/app.id:15" + intn, 350, 15, 0.3, finding.High, ""},
		{"listed one by one", "m/app.id:16" + intn, 350, 16, 0.315, finding.High, ""},
		{"math/rand/v2", "m/app.id:16 math/rand/v2.IntN math/rand/v2.(*Rand).uint64n", 350, 16, 0.315, finding.High, ""},
		{"crypto/rand", "m/app.id:12 m/app.Source.Next:42 crypto/rand.Int io.ReadFull crypto/rand.(*reader).Read", 350, 12, 0.315, finding.High, "Keep crypto/rand"},
		{"a source of one's own below the package", "m/app.id:14" + intn + " m/app.(*locked).Int63:42 math/rand.(*rngSource).Int63", 350, 14, 0.315, finding.High, ""},
		{"a number that has a name", "m/app.id:26" + intn, 350, 26, 0.315, finding.High, ""},
		{"such a number used twice", "m/app.id:28" + intn, 350, 0, 0, "", ""},
		{"more than a byte numbers", "m/app.id:17" + intn, 350, 0, 0, "", ""},
		{"below the length of something else", "m/app.id:18" + intn, 350, 0, 0, "", ""},
		{"words", "m/app.id:19" + intn, 350, 0, 0, "", ""},
		{"numbers out of a list", "m/app.id:20" + intn, 350, 0, 0, "", ""},
		{"a sum", "m/app.id:21" + intn, 350, 0, 0, "", ""},
		{"two draws", "m/app.id:22" + intn, 350, 0, 0, "", ""},
		{"under a condition", "m/app.id:24" + intn, 350, 0, 0, "", ""},
		{"beside an inner loop", "m/app.id:32" + intn, 350, 0, 0, "", ""},
		{"in the inner loop", "m/app.id:34" + intn, 350, 34, 0.315, finding.High, ""},
		{"outside of a loop", "m/app.id:37" + intn, 350, 0, 0, "", ""},
		{"the benchmark's own", "m/app.BenchmarkID:55" + intn, 350, 0, 0, "", ""},
		{"no random number", "m/app.id:12 m/app.Source.Next:42 lib.Next", 350, 0, 0, "", ""},
		{"a loop of the wrapper's", "m/app.id:12 m/app.Source.Fair:47 math/rand.Int31", 350, 0, 0, "", ""},
		{"a library in between", "m/app.id:14 lib.Each m/app.Source.Next:42" + intn, 350, 0, 0, "", ""},
		{"five functions in between", "m/app.id:14 m/app.a:42 m/app.b:42 m/app.c:42 m/app.d:42 m/app.e:42" + intn, 350, 0, 0, "", ""},
		{"below the threshold: 0.9 · 55 = 49.5", "m/app.id:14" + intn, 55, 0, 0, "", ""},
		{"above it: 0.9 · 56 = 50.4", "m/app.id:14" + intn, 56, 14, 0.0504, finding.High, ""},
	} {
		s := app(t, randomSource, known, []stack{{frames: test.frames, n: test.n}, {frames: "m/app.id:14", n: 100}, {frames: "m/app.work:99", n: 900 - test.n}}, nil)
		got := said(t, "random-per-element", s)
		switch {
		case test.want == 0 && len(got) > 0:
			t.Errorf("%s: %s", test.name, describe(got[0]))
		case test.want != 0 && (len(got) != 1 || got[0].Line != test.want || !near(got[0].CPURatio, float64(test.n)/1000) || !near(got[0].AvoidableCPURatio, test.avoidable) ||
			got[0].Confidence != test.confidence || !strings.Contains(got[0].Remedy, test.remedy)):
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}
