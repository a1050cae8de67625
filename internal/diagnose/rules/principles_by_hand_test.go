package rules_test

import (
	"math"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/explain"
	"whet/internal/finding"
)

const principlesSource = `package app

import ("math"; "os"; "reflect"; "slices"; "sort"; "strings"; "testing"; "time"; "unicode")

type item struct { name, key string } // 5

type byName []item

func (l byName) Len() int { return len(l) }
func (l byName) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l byName) Less(i, j int) bool { // 11
	return normal(l[i].name) < normal(l[j].name) // 12
}

func normal(s string) string { return strings.TrimSpace(strings.ToLower(s)) } // 15

func sorted(list []item, prefix string) {
	slices.SortFunc(list, func(a, b item) int {
		return strings.Compare(normal(a.name), normal(prefix)) // 19
	})
	sort.Sort(byName(list))
}

func plan(v any) (names []string) { // 24
	t := reflect.TypeOf(v)
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("json")) // 27
	}
	return names
}

func transform(row []float64) { // 32
	for i := range row {
		for j := range row {
			row[i] += math.Cos(float64(2*i+1) * float64(j) * math.Pi / float64(len(row))) // 35
		}
	}
}

func angles(row []float64) {
	for i := range row {
		row[i] = math.Cos(row[i]) // 42
	}
}

func day(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) // 47
}

func year(t time.Time) int { return t.Year() } // 50

type server struct { parts []string; path string; fields []string; line string; count int }

func newServer(path string) *server { return &server{path: path} } // 54

func clean(path string) string { return strings.ReplaceAll(path, "//", "/") } // 56

func (s *server) serve() string {
	return clean(s.path) // 59
}

func (s *server) moved(to string) string {
	s.line = to
	return clean(s.line) // 64
}

func words(line string) []string { // 67
	return strings.Fields(line) // 68
}

func (s *server) setLine(line string) {
	s.line = line
	s.fields = words(line) // 73
}

func (s *server) field(i int) string { // 76
	return s.fields[i] // 77
}

func (s *server) setAll(line string) int {
	s.parts = words(line) // 81
	return len(s.parts[0])
}

func one(line string) string { // 85
	all := words(line) // 86
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

func last(line string) string {
	all := words(line) // 94
	return all[len(all)-1]
}

func each(line string) (n int) {
	for _, w := range words(line) { // 99
		n += len(w)
	}
	return n
}

type node struct { left, right *node } // 105

var known = map[node]*node{}

func branch(left, right *node) *node { // 109
	n := &node{left, right} // 110
	if old, ok := known[*n]; ok { // 111
		return old
	}
	known[*n] = n // 114
	return n
}

func always(left, right *node) *node { // 118
	n := &node{left, right} // 119
	if left == nil {
		return nil
	}
	known[*n] = n // 123
	return n
}

func wait(c chan int, d time.Duration) int { // 127
	timer := time.NewTimer(d) // 128
	select {
	case n := <-c:
		return n
	case <-timer.C:
		return expired(c) // 133
	}
}

func expired(c chan int) int { return cap(c) } // 137

func equal(a, b *server) bool {
	return words2(a) == words2(b) // 140
}

func words2(s *server) string { // 143
	return strings.Join(s.parts, " ") // 144
}

func shown(a *server) string {
	return words2(a) // 148
}

func counted(a *server) int { // 151
	return len(table(a)) // 152
}

func table(s *server) map[string]bool { // 155
	out := make(map[string]bool)
	for _, p := range s.parts {
		out[p] = true // 158
	}
	return out
}

func has(s *server, name string) bool {
	return table(s)[name] // 164
}

func newlines(s string) string { // 167
	var b strings.Builder
	for _, r := range s {
		if r == '\n' {
			r = ' '
		}
		b.WriteRune(r) // 173
	}
	return b.String()
}

func upper(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(unicode.ToUpper(r)) // 181
	}
	return b.String()
}

func lines(f *os.File, list []string) {
	for _, line := range list {
		f.WriteString(line) // 188
	}
}

func stamp(s *server) bool {
	return time.Now().Unix() > int64(s.count) // 193
}

func start(list []string, f func(string)) {
	for _, s := range list {
		f(s) // 198
	}
}

func digits(list []byte) string {
	var b strings.Builder
	for _, c := range list {
		b.WriteByte('0' + c%10) // 205
	}
	return b.String()
}

func digit(b *strings.Builder, c byte) {
	b.WriteByte('0' + c%10) // 211
}

type attributes struct{ m map[string]any } // 214

func (a *attributes) with(key string, v any) *attributes { // 216
	n := &attributes{m: make(map[string]any, len(a.m)+1)}
	for k, v := range a.m {
		n.m[k] = v // 219
	}
	n.m[key] = v
	return n
}

func (a *attributes) and(v any) *attributes { return a.with("b", v) } // 225

type shop struct { x, y float64 } // 227

func (s *shop) far(x float64) float64 { return s.x - x } // 229

type town struct { shops []shop }

func (t *town) nearest(x float64) int { // 233
	best := 0
	for i := range t.shops {
		if t.shops[i].far(x) < t.shops[best].far(x) { // 236
			best = i
		}
	}
	return best
}

func (t *town) near(x float64) int { // 243
	found := -1
	for i := range t.shops {
		if t.shops[i].far(x) < 1 { // 246
			found = i
			break
		}
	}
	return found
}

func escaped(s string) string {
	s = strings.Replace(s, "&", "&amp;", -1) // 255
	s = strings.Replace(s, "<", "&lt;", -1) // 256
	return strings.Replace(s, ">", "&gt;", -1) // 257
}

func plain(s string) string {
	return strings.Replace(s, "&", "&amp;", -1) // 261
}

func parsed(s string) (*server, error) { return newServer(clean(s)), nil } // 264

func read(s string, use func(*server)) {
	f, err := parsed(s) // 267
	if err != nil {
		return
	}
	use(f)
}

func initials(name string) (two [2]rune) {
	for _, r := range name {
		if two[0] == 0 {
			two[0] = unicode.ToUpper(r) // 277
		} else {
			two[1] = unicode.ToUpper(r) // 279
		}
	}
	return two
}

type parser struct { path []string; found []string; until time.Time; at time.Time } // 285

func matches(path []string, want string) bool { for _, p := range path { if p == want { return true } }; return false } // 287

func (p *parser) key(name, want string) bool {
	p.path = append(p.path, name) // 290
	if want == "" {
		return false
	}
	return matches(p.path, want) // 294
}

func (p *parser) add(name string) {
	p.found = append(p.found, name) // 298
}

func (p *parser) all() []string { return p.found } // 301

func (p *parser) start(d time.Duration) {
	p.until = time.Now().Add(d) // 304
}

func (p *parser) late() bool { return time.Now().After(p.until) } // 307

func (p *parser) stamp(d time.Duration) {
	p.at = time.Now().Add(d) // 310
}

func (p *parser) shown() string { return p.at.String() } // 313

type levels struct { open []string }

func deep(open []string) bool { return len(open) > 100 } // 317

func (l *levels) enter(name string) bool {
	l.open = append(l.open, name) // 320
	return deep(l.open)
}

type checked struct { parts []string }

func (c *checked) set(line string) {
	c.parts = words(line) // 327
}

func BenchmarkChecked(b *testing.B) {
	for c := new(checked); b.Loop(); {
		c.set("a b")
		os.Args[0] = c.parts[0]
	}
}

func quoted(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] == '"' { // 339
			dst = append(dst, s[:i]...)
			return append(dst, s[i])
		}
	}
	return append(dst, s...)
}

func separated(b []byte, data string) []byte {
	for i := 0; i < len(data); i++ {
		if n := int(data[i]); n > 0 { // 349
			b = append(b, data[i+1:i+n]...)
			b = append(b, '\xff')
			i += n
		}
	}
	return b
}
`

// Each principle of waste is claimed where the program and the samples show it, and not
// where one condition is missing.
func TestPrinciples(t *testing.T) {
	const others = "m/app.other:300"
	decisions := decisionsOn(t, principlesSource)
	some := func(at string, n int64) []stack {
		return []stack{{frames: at, n: n}, {frames: "other.work", n: 1000 - n}}
	}
	taken := func(at string, n int64) []stack {
		return []stack{{frames: at, n: n, size: 64}, {frames: others, n: 1, size: 16}}
	}
	for _, test := range []struct {
		name, rule  string
		cpu, allocs []stack
		line        int // of the finding; 0: none
		says        string
	}{
		{"a type's tags", "computed-again", some("m/app.plan:27 reflect.(*rtype).Field", 300), nil, 27, "Each call of plan looks up a type's fields"},
		{"a value's field", "computed-again", some("m/app.plan:27 reflect.Value.Field", 300), nil, 0, ""},
		{"a few of a type's tags", "computed-again", some("m/app.plan:27 reflect.(*rtype).Field", 70), nil, 0, ""},
		{"cosines of counters", "computed-again", some("m/app.transform:35 math.Cos math.cos", 300), nil, 35, "depends only on counters and lengths"},
		{"cosines of data", "computed-again", some("m/app.angles:42 math.Cos math.cos", 300), nil, 0, ""},
		{"a date in parts", "computed-again", []stack{{frames: "m/app.day:47 time.Time.Year", n: 100}, {frames: "m/app.day:47 time.Time.Month", n: 100}, {frames: "m/app.day:47 time.Time.Day", n: 100}, {frames: "other.work", n: 700}}, nil, 47, "Date returns all parts together"},
		{"a date in small parts", "computed-again", []stack{{frames: "m/app.day:47 time.Time.Year", n: 80}, {frames: "m/app.day:47 time.Time.Month", n: 80}, {frames: "m/app.day:47 time.Time.Day", n: 80}, {frames: "m/app.day:47 time.Date", n: 200}, {frames: "other.work", n: 560}}, nil, 47, "The parts of t are requested by 3 calls"},
		{"the year alone", "computed-again", some("m/app.year:50 time.Time.Year", 300), nil, 0, ""},
		{"of a setting", "computed-again", some("m/app.(*server).serve:59 m/app.clean:56 strings.ReplaceAll", 300), nil, 59, "clean(s.path) is computed in each call of serve"},
		{"of what changes", "computed-again", some("m/app.(*server).moved:64 m/app.clean:56 strings.ReplaceAll", 300), nil, 0, ""},
		{"of a setting that is set", "computed-again", append(some("m/app.(*server).serve:59 m/app.clean:56 strings.ReplaceAll", 300), stack{frames: "m/app.newServer:54", n: 5}), nil, 0, ""},
		{"a field that nobody reads", "used-in-part", some("m/app.(*server).setLine:73 m/app.words:68 strings.Fields", 400), nil, 73, "almost never ran"},
		{"a field that only a benchmark reads", "used-in-part", some("m/app.(*checked).set:327 m/app.words:68 strings.Fields", 400), nil, 0, ""},
		{"a field that is read", "used-in-part", append(some("m/app.(*server).setLine:73 m/app.words:68 strings.Fields", 400), stack{frames: "m/app.(*server).field:77", n: 100}), nil, 0, ""},
		{"a field that is read at once", "used-in-part", some("m/app.(*server).setAll:81 m/app.words:68 strings.Fields", 400), nil, 0, ""},
		{"the first of all", "used-in-part", some("m/app.one:86 m/app.words:68 strings.Fields", 400), nil, 86, "uses only its first element"},
		{"the last of all", "used-in-part", some("m/app.last:94 m/app.words:68 strings.Fields", 400), nil, 0, ""},
		{"made before the look-up", "used-in-part", append(some("m/app.branch:110 runtime.newobject runtime.mallocgc", 400), stack{frames: "m/app.branch:111 runtime.mapaccess2", n: 100}), taken("m/app.branch:110", 1000), 110, "n is allocated on the heap before line 111"},
		{"made and put in now and then", "used-in-part", append(some("m/app.branch:110 runtime.newobject runtime.mallocgc", 400), stack{frames: "m/app.branch:111 runtime.mapaccess2", n: 100}, stack{frames: "m/app.branch:114 runtime.mapassign", n: 90}), taken("m/app.branch:110", 1000), 110, "leave it to the garbage collector"},
		{"made and put in", "used-in-part", append(some("m/app.branch:110 runtime.newobject runtime.mallocgc", 400), stack{frames: "m/app.branch:111 runtime.mapaccess2", n: 100}, stack{frames: "m/app.branch:114 runtime.mapassign", n: 110}), taken("m/app.branch:110", 1000), 0, ""},
		{"a timer before the wait", "used-in-part", some("m/app.wait:128 time.NewTimer time.newTimer", 400), nil, 128, "made for each wait in line 129"},
		{"a timer that expires", "used-in-part", append(some("m/app.wait:128 time.NewTimer time.newTimer", 400), stack{frames: "m/app.wait:133 m/app.expired:137", n: 100}), nil, 0, ""},
		{"an error of the call itself", "used-in-part", some("m/app.read:267 m/app.parsed:264 m/app.clean:56 strings.ReplaceAll", 400), nil, 0, ""},
		{"texts that are compared", "built-to-be-read", some("m/app.equal:140 m/app.words2:144 strings.Join", 400), taken("m/app.equal:140 m/app.words2:144 strings.Join", 1000), 140, "builds a string that equal only compares"},
		{"texts that are returned", "built-to-be-read", some("m/app.shown:148 m/app.words2:144 strings.Join", 400), taken("m/app.shown:148 m/app.words2:144 strings.Join", 1000), 0, ""},
		{"a map for its length", "built-to-be-read", some("m/app.counted:152 m/app.table:158 runtime.mapassign_faststr", 400), taken("m/app.counted:152 m/app.table:158 runtime.mapassign_faststr", 1000), 152, "counted only takes the length"},
		{"a map for a key", "built-to-be-read", some("m/app.has:164 m/app.table:158 runtime.mapassign_faststr", 400), taken("m/app.has:164 m/app.table:158 runtime.mapassign_faststr", 1000), 164, "only looks up keys"},
		{"a list that is gone over", "built-to-be-read", some("m/app.each:99 m/app.words:68 strings.Fields", 400), taken("m/app.each:99 m/app.words:68 strings.Fields", 1000), 99, "only iterates once"},
		{"line ends replaced", "copied-to-change", some("m/app.newlines:173 strings.(*Builder).WriteRune", 400), nil, 173, "newlines copies s element by element"},
		{"two of them kept", "copied-to-change", some("m/app.initials:279 unicode.ToUpper", 400), nil, 0, ""},
		{"all changed", "copied-to-change", some("m/app.upper:181 strings.(*Builder).WriteRune", 400), nil, 0, ""},
		{"the first of them looked for", "copied-to-change", some("m/app.quoted:339", 400), nil, 0, ""},
		{"parts with a separator", "copied-to-change", some("m/app.separated:349", 400), nil, 0, ""},
		{"writes without a buffer", "one-at-a-time", some("m/app.lines:188 os.(*File).WriteString os.(*File).Write internal/poll.(*FD).Write syscall.Write syscall.write syscall.Syscall", 400), nil, 188, "Each write there is a system call"},
		{"writes through a buffer", "one-at-a-time", some("m/app.lines:188 bufio.(*Writer).Flush os.(*File).Write internal/poll.(*FD).Write syscall.Write syscall.write syscall.Syscall", 400), nil, 0, ""},
		{"the clock", "one-at-a-time", some("m/app.stamp:193 time.Now time.now", 300), nil, 0, ""},
		{"stacks that grow", "one-at-a-time", some("m/app.start:198 runtime.newstack runtime.copystack", 300), nil, 198, "grows a new stack"},
		{"digits one by one", "one-at-a-time", some("m/app.digits:205 strings.(*Builder).WriteByte", 400), nil, 205, "is called for each character, in a loop"},
		{"one digit", "one-at-a-time", some("m/app.digit:211 strings.(*Builder).WriteByte", 400), nil, 0, ""},
		{"all for the nearest", "all-for-one", some("m/app.(*town).nearest:236", 400), nil, 236, "Each call examines all of t.shops"},
		{"all for the nearest, by a function", "all-for-one", some("m/app.(*town).nearest:236 m/app.(*shop).far:229", 400), nil, 236, "Each call examines all of t.shops"},
		{"up to the first", "all-for-one", some("m/app.(*town).near:246", 400), nil, 0, ""},
		{"three passes", "one-at-a-time", []stack{{frames: "m/app.escaped:255 strings.Replace", n: 200}, {frames: "m/app.escaped:256 strings.Replace", n: 100}, {frames: "m/app.escaped:257 strings.Replace", n: 100}, {frames: "other.work", n: 600}}, nil, 255, "scans a string 3 times"},
		{"one pass", "one-at-a-time", some("m/app.plain:261 strings.Replace", 400), nil, 0, ""},
		{"a map copied by a loop", "value-cloned", some("m/app.(*attributes).and:225 m/app.(*attributes).with:219 runtime.mapassign_faststr runtime.mallocgc", 500), taken("m/app.(*attributes).and:225 m/app.(*attributes).with:219", 1000), 219, "with copies all of a.m to add to it"},
		{"a way that nobody asks for", "used-in-part", some("m/app.(*parser).key:290 runtime.growslice runtime.mallocgc", 400), nil, 290, "path is updated each time, though only matches reads it"},
		{"a way that is asked for", "used-in-part", append(some("m/app.(*parser).key:290 runtime.growslice runtime.mallocgc", 400), stack{frames: "m/app.(*parser).key:294 m/app.matches:287", n: 30}), nil, 0, ""},
		{"a length that is asked for", "used-in-part", some("m/app.(*levels).enter:320 runtime.growslice runtime.mallocgc", 400), nil, 0, ""},
		{"a list that is returned", "used-in-part", some("m/app.(*parser).add:298 runtime.growslice runtime.mallocgc", 400), nil, 0, ""},
		{"the clock for a deadline", "one-at-a-time", some("m/app.(*parser).start:304 time.Now time.now", 300), nil, 304, "for a deadline (until) that is only compared"},
		{"the clock for a stamp", "one-at-a-time", some("m/app.(*parser).stamp:310 time.Now time.now", 300), nil, 0, ""},
		{"a map copied to add to it, by a benchmark", "value-cloned", some("m/app.(*attributes).with:219 runtime.mapassign_faststr runtime.mallocgc", 500), taken("m/app.(*attributes).with:219", 1000), 219, "a link to the previous value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := app(t, principlesSource, known, test.cpu, test.allocs)
			s.Decisions = decisions
			reg, err := diagnose.NewRegistry(explain.Rules()...) // other rules know some of them by their libraries
			if err != nil {
				t.Fatal(err)
			}
			var found []finding.Finding
			for _, f := range run(t, reg, []*diagnose.Subject{s}).Findings {
				if f.Rule == test.rule {
					found = append(found, f)
				}
			}
			if test.line == 0 {
				if len(found) > 0 {
					t.Errorf("it speaks: %+v", found)
				}
				return
			}
			if len(found) != 1 {
				t.Fatalf("%d findings", len(found))
			}
			f := found[0]
			if f.Line != test.line || f.Confidence != finding.Low || f.Remedy == "" || !strings.Contains(f.Why+" "+f.Remedy, test.says) {
				t.Errorf("line %d, %s confidence, %q, %q; want line %d, %q", f.Line, f.Confidence, f.Why, f.Remedy, test.line, test.says)
			}
			of := 0.0 // what the first stack is of the base
			for _, one := range test.cpu {
				of += float64(one.n)
			}
			if of = float64(test.cpu[0].n) / of; f.CPURatio < of-1e-9 || math.IsNaN(f.CPURatio) {
				t.Errorf("%v of the time, want %v or more", f.CPURatio, of)
			}
		})
	}
}
