package rules_test

import (
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/explain"
)

const handedSource = `package app

import ("slices"; "strconv"; "strings"; "sync")

type scope struct { up *scope; below []*scope; marked []rune; n int; last []string } // 5

func (s *scope) above() []*scope { // 7
	if s.up == nil {
		return nil
	}
	return append([]*scope{s.up}, s.up.above()...) // 11
}

func (s *scope) all() (list []*scope) { // 14
	list = append(list, s) // 15
	for _, b := range s.below {
		more := b.all() // 17
		list = append(list, more...) // 18
	}
	return list
}

func (s *scope) into(list []*scope) []*scope { // 23
	list = append(list, s) // 24
	for _, b := range s.below {
		list = b.into(list) // 26
	}
	return list
}

func (s *scope) children() []*scope { return s.below } // 31

func flat(list []*scope) (out []*scope) {
	for _, s := range list {
		out = append(out, s.children()...) // 35
	}
	return out
}

func pieces(line string) []string { // 40
	out := make([]string, 0, 4) // 41
	for _, f := range strings.Fields(line) {
		out = append(out, f) // 43
	}
	return out
}

func words(lines []string) (out []string) {
	for _, l := range lines {
		out = append(out, pieces(l)...) // 50
	}
	return out
}

func once(line string, out []string) []string {
	return append(out, pieces(line)...) // 56
}

func kept(lines []string, use func([]string)) (out []string) {
	for _, l := range lines {
		p := pieces(l) // 61
		use(p)
		out = append(out, p...) // 63
	}
	return out
}

func (s *scope) end() string { // 68
	text := string(s.marked) // 69
	s.marked = s.marked[:0]
	return text
}

func (s *scope) next() {
	s.end() // 75
}

func (s *scope) text() string { // 78
	s.n++
	return strconv.Itoa(s.n) // 80
}

func (s *scope) step() string {
	s.text() // 84
	return s.text()
}

func (s *scope) add(b *strings.Builder) int { // 88
	s.n++
	return put(b, s.n) // 90
}

func put(b *strings.Builder, n int) int { // 93
	b.WriteString(strconv.Itoa(n)) // 94
	return n
}

func (s *scope) write(b *strings.Builder) {
	s.add(b) // 99
}

func (s *scope) shown() (string, bool) {
	t := s.end() // 103
	return t, t != ""
}

func distinct(line string) []string {
	out := make([]string, 0, 4) // 108
	for _, f := range strings.Fields(line) {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

func distincts(lines []string) (out []string) {
	for _, l := range lines {
		out = append(out, distinct(l)...) // 119
	}
	return out
}

func (s *scope) remembered(line string) []string {
	out := make([]string, 0, 4) // 125
	out = append(out, line)
	s.last = out
	return out
}

func (s *scope) remember(lines []string) (out []string) {
	for _, l := range lines {
		out = append(out, s.remembered(l)...) // 133
	}
	return out
}

func work(lines []string, mu *sync.Mutex, all *[]string) {
	for _, l := range lines {
		p := pieces(l) // 140
		mu.Lock()
		*all = append(*all, p...) // 142
		mu.Unlock()
	}
}

func (s *scope) put(b *strings.Builder, text string) (int, error) {
	s.n++
	return b.WriteString(text) // 149
}

func (s *scope) fill(b *strings.Builder) {
	s.put(b, "x") // 153
}

func (s *scope) read() []rune {
	s.n++
	return append([]rune(nil), s.marked...) // 158
}

func (s *scope) skipped() string {
	s.n++
	return string(s.read()) // 163
}

func (s *scope) skip() {
	s.skipped() // 167
}

func (s *scope) number(text string) int {
	s.n++
	n, err := strconv.Atoi(text) // 172
	if err != nil {
		panic(err)
	}
	return n
}

func (s *scope) check(text string) {
	s.number(text) // 180
}

func (s *scope) compact(list []int) []int {
	s.n++
	return slices.Compact(list) // 185
}

func (s *scope) tidy(list []int) {
	s.compact(list) // 189
}

func (s *scope) named() (text string) {
	defer func() { s.n += len(text) }()
	return strconv.Itoa(s.n) // 194
}

func (s *scope) count() {
	s.named() // 198
}
`

// TestHanded: a list that is made to be appended, and a result that nobody takes.
func TestHanded(t *testing.T) {
	const grows = " runtime.growslice runtime.mallocgc"
	for _, test := range []struct {
		name, rule, at, block string // the samples, of two places few of the first; and the blocks that are taken
		line                  int    // of the finding; 0: none
	}{
		{"a chain that each call copies", "built-to-be-read", "m/app.(*scope).above:11 m/app.(*scope).above:11" + grows, "m/app.(*scope).above:11 m/app.(*scope).above:11", 11},
		{"a tree that each call copies", "built-to-be-read", "m/app.(*scope).all:17 m/app.(*scope).all:18" + grows, "m/app.(*scope).all:17 m/app.(*scope).all:18", 17},
		{"one list that is handed down", "built-to-be-read", "m/app.(*scope).into:26 m/app.(*scope).into:24" + grows, "m/app.(*scope).into:26 m/app.(*scope).into:24", 0},
		{"a list that is there already", "built-to-be-read", "m/app.flat:35" + grows, "m/app.flat:35", 0},
		{"a list in each round", "built-to-be-read", "m/app.words:50 m/app.pieces:41 runtime.makeslice runtime.mallocgc", "m/app.words:50 m/app.pieces:41", 50},
		{"the elements of the list cost more", "built-to-be-read", "m/app.words:50 m/app.pieces:42 strings.Fields", "m/app.words:50 m/app.pieces:42 strings.Fields", 0},
		{"a list made once", "built-to-be-read", "m/app.once:56 m/app.pieces:41 runtime.makeslice runtime.mallocgc", "m/app.once:56 m/app.pieces:41", 0},
		{"a list that others see", "built-to-be-read", "m/app.kept:61 m/app.pieces:41 runtime.makeslice runtime.mallocgc", "m/app.kept:61 m/app.pieces:41", 0},
		{"a text that nobody takes", "used-in-part", "m/app.(*scope).next:75 m/app.(*scope).end:69 runtime.slicerunetostring runtime.mallocgc", "m/app.(*scope).next:75 m/app.(*scope).end:69", 75},
		{"a text that is dropped here", "used-in-part", "m/app.(*scope).step:84 m/app.(*scope).text:80 strconv.Itoa runtime.mallocgc", "m/app.(*scope).step:84 m/app.(*scope).text:80", 84},
		{"a result of what has to be done", "used-in-part", "m/app.(*scope).write:99 m/app.(*scope).add:90 m/app.put:94 strconv.Itoa runtime.mallocgc", "m/app.(*scope).write:99 m/app.(*scope).add:90 m/app.put:94", 0},
		{"a text that is taken", "used-in-part", "m/app.(*scope).shown:103 m/app.(*scope).end:69 runtime.slicerunetostring runtime.mallocgc", "m/app.(*scope).shown:103 m/app.(*scope).end:69", 0},
		{"a list without what it has already", "built-to-be-read", "m/app.distincts:119 m/app.distinct:108 runtime.makeslice runtime.mallocgc", "m/app.distincts:119 m/app.distinct:108", 0},
		{"a list that is kept, too", "built-to-be-read", "m/app.(*scope).remember:133 m/app.(*scope).remembered:125 runtime.makeslice runtime.mallocgc", "m/app.(*scope).remember:133 m/app.(*scope).remembered:125", 0},
		{"a list that a lock guards", "built-to-be-read", "m/app.work:140 m/app.pieces:41 runtime.makeslice runtime.mallocgc", "m/app.work:140 m/app.pieces:41", 0},
		{"what a write says", "used-in-part", "m/app.(*scope).fill:153 m/app.(*scope).put:149 strings.(*Builder).WriteString runtime.mallocgc", "m/app.(*scope).fill:153 m/app.(*scope).put:149", 0},
		{"a text of what has to be read", "used-in-part", "m/app.(*scope).skip:167 m/app.(*scope).skipped:163 m/app.(*scope).read:158 runtime.growslice runtime.mallocgc", "m/app.(*scope).skip:167 m/app.(*scope).skipped:163 m/app.(*scope).read:158", 0},
		{"a number that has to be one", "used-in-part", "m/app.(*scope).check:180 m/app.(*scope).number:172 strconv.Atoi", "m/app.(*scope).check:180 m/app.(*scope).number:172", 0},
		{"a list that is changed in place", "used-in-part", "m/app.(*scope).tidy:189 m/app.(*scope).compact:185 slices.Compact", "m/app.(*scope).tidy:189 m/app.(*scope).compact:185", 0},
		{"a text that a deferred call uses", "used-in-part", "m/app.(*scope).count:198 m/app.(*scope).named:194 strconv.Itoa runtime.mallocgc", "m/app.(*scope).count:198 m/app.(*scope).named:194", 0},
		{"a text that most calls take", "used-in-part", "m/app.(*scope).next:75 m/app.(*scope).end:69 runtime.slicerunetostring;m/app.(*scope).shown:103 m/app.(*scope).end:69 runtime.slicerunetostring", "m/app.(*scope).shown:103 m/app.(*scope).end:69", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			cpu := []stack{{frames: "other.work", n: 600}}
			few, most, two := strings.Cut(test.at, ";")
			if cpu = append(cpu, stack{frames: few, n: 400}); two {
				cpu[1].n = 60
				cpu = append(cpu, stack{frames: most, n: 340})
			}
			s := app(t, handedSource, known, cpu,
				[]stack{{frames: test.block, n: 1000, size: 64}, {frames: "m/app.other:300", n: 1, size: 16}})
			reg, err := diagnose.NewRegistry(explain.Rules()...)
			if err != nil {
				t.Fatal(err)
			}
			line := 0
			for _, f := range run(t, reg, []*diagnose.Subject{s}).Findings {
				if f.Rule == test.rule {
					line = f.Line
				}
			}
			if line != test.line {
				t.Errorf("it speaks of line %d, want %d", line, test.line)
			}
		})
	}
}
