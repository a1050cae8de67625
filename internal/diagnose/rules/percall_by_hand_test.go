package rules_test

import (
	"math"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/finding"
)

const drawSource = `package app; import ("context"; "io"; "testing")

func serve(w io.Writer, year int) { // 3
	page, err := draw(ctx, year) // 4
	if err != nil {
		return
	}
	w.Write(page) // 8
}

func draw(ctx context.Context, year int) ([]byte, error) { // 11
	n := count(year) // 12
	return make([]byte, n), nil // 13
}

func count(year int) int { // 16
	return len(name(year)) // 17
}

func twice(w io.Writer, year int) { // 20
	for range 2 {
		page, _ := draw(ctx, year) // 22
		w.Write(page) // 23
	}
}

func constant(w io.Writer) { // 27
	page, _ := draw(ctx, 2000) // 28
	w.Write(page) // 29
}

func titled(w io.Writer, title string) { // 32
	n := measure(title) // 33
	w.Write(make([]byte, n)) // 34
}

func measure(title string) int { return len(title) } // 37

func BenchmarkDraw(b *testing.B) { // 39
	for b.Loop() {
		page, _ := draw(ctx, 1) // 41
		w.Write(page) // 42
	}
}

func missed(w io.Writer, year int) { // 46
	page, ok := pages[year]
	if !ok {
		page, _ := draw(ctx, year) // 49
		w.Write(page) // 50
	}
	w.Write(page) // 52
}

func framed(w io.Writer, year int, frame *image) { // 55
	n := border(year, frame) // 56
	w.Write(make([]byte, n)) // 57
}

func border(year int, frame *image) int { return year + len(frame.rows) } // 60

func through(w io.Writer, year int) { // 62
	page, _ := h.drawer.draw(ctx, year) // 63
	w.Write(page) // 64
}

var (
	ctx   context.Context
	w     io.Writer
	pages map[int][]byte
	h     struct{ drawer Drawer }
)

type image struct{ rows []int }

type Drawer interface {
	draw(ctx context.Context, year int) ([]byte, error)
}
`

// Each sample is 10 ms, and there are 1000: of 10 s, 250 are 2.5 s. By 41,666
// iterations that is 60.0 µs for each, by 62,500 it is 40.
func TestRepeatedResultByHand(t *testing.T) {
	const (
		drawn = "m/app.serve:4 m/app.draw:13 strconv.Itoa"
		sixty = 41_666
		forty = 62_500
	)
	rest := func(n int64) stack { return stack{frames: "m/app.work:99", n: n} }
	for _, test := range []struct {
		name       string
		cpu        []stack
		iterations int64
		kind       string
		want       string
		share      float64
		says       string
		confidence finding.Confidence
	}{
		{name: "a quarter, 60 µs a call", cpu: []stack{{frames: drawn, n: 250}, rest(750)}, iterations: sixty, want: "app.go:4", share: 0.25, says: "takes 60.0 µs of CPU time per iteration", confidence: finding.Low},
		{name: "a quarter, 40 µs a call", cpu: []stack{{frames: drawn, n: 250}, rest(750)}, iterations: forty},
		{name: "less than a quarter", cpu: []stack{{frames: drawn, n: 249}, rest(751)}, iterations: sixty},
		{name: "a service's request", kind: "service", cpu: []stack{{frames: drawn, n: 600}, rest(400)}, iterations: 1000, want: "app.go:4", share: 0.6, says: "takes 6.00 ms of CPU time per request", confidence: finding.Medium},
		{name: "a program's run", kind: "program", cpu: []stack{{frames: drawn, n: 600}, rest(400)}, iterations: 1},
		{name: "iterations that are not known", cpu: []stack{{frames: drawn, n: 600}, rest(400)}},
		{name: "the clock below it, once", cpu: []stack{{frames: drawn, n: 599}, {frames: "m/app.serve:4 m/app.draw:13 lib.Stamp time.Now", n: 1}, rest(400)}, iterations: 1000},
		{name: "a file below it, once", cpu: []stack{{frames: drawn, n: 599}, {frames: "m/app.serve:4 m/app.draw:13 lib.Load os.(*File).Read syscall.Read", n: 1}, rest(400)}, iterations: 1000},
		{name: "own code below it that the source does not lead to", cpu: []stack{{frames: drawn, n: 599}, {frames: "m/app.serve:4 m/app.draw:13 lib.Each m/app.unknown:70", n: 1}, rest(400)}, iterations: 1000},
		// 400 through line 12, which qualifies too, and 500 beside it: the outer
		// statement takes all 900.
		{name: "one in the other", cpu: []stack{{frames: "m/app.serve:4 m/app.draw:12 m/app.count:17", n: 400}, {frames: drawn, n: 500}, rest(100)}, iterations: 1000, want: "app.go:4", share: 0.9, says: "900 of 1000 base samples", confidence: finding.Low},
		// The outer one asks for the time, and so only the inner one is left.
		{name: "the inner one alone", cpu: []stack{{frames: "m/app.serve:4 m/app.draw:12 m/app.count:17", n: 400}, {frames: "m/app.serve:4 m/app.draw:13 time.Now", n: 500}, rest(100)}, iterations: 1000, want: "app.go:12", share: 0.4, says: "app.count", confidence: finding.Low},
		{name: "in a loop", cpu: []stack{{frames: "m/app.twice:22 m/app.draw:13 strconv.Itoa", n: 900}, rest(100)}, iterations: 1000},
		{name: "called in a loop", cpu: []stack{{frames: "m/app.twice:22 m/app.serve:4 m/app.draw:13 strconv.Itoa", n: 900}, rest(100)}, iterations: 1000},
		{name: "the same arguments always", cpu: []stack{{frames: "m/app.constant:28 m/app.draw:13 strconv.Itoa", n: 900}, rest(100)}, iterations: 1000},
		{name: "the benchmark's own call", cpu: []stack{{frames: "m/app.BenchmarkDraw:41 m/app.draw:13 strconv.Itoa", n: 900}, rest(100)}, iterations: 1000},
		{name: "called by the benchmark", cpu: []stack{{frames: "m/app.BenchmarkDraw:41 " + drawn, n: 900}, rest(100)}, iterations: 1000, want: "app.go:4", share: 0.9, confidence: finding.Low},
		{name: "through an interface", cpu: []stack{{frames: "m/app.through:63 m/app.draw:13 strconv.Itoa", n: 900}, rest(100)}, iterations: 1000, want: "app.go:63", share: 0.9, confidence: finding.Low},
		{name: "what a look-up has missed", cpu: []stack{{frames: "m/app.missed:49 m/app.draw:13 strconv.Itoa", n: 900}, rest(100)}, iterations: 1000},
		{name: "a pointer among the arguments", cpu: []stack{{frames: "m/app.framed:56 m/app.border:60 runtime.memmove", n: 900}, rest(100)}, iterations: 1000},
		{name: "a text has no bound", kind: "service", cpu: []stack{{frames: "m/app.titled:33 m/app.measure:37 strings.Count", n: 900}, rest(100)}, iterations: 1000, want: "app.go:33", share: 0.9, confidence: finding.Low},
	} {
		s := app(t, drawSource, known, test.cpu, nil)
		s.CPUIterations, s.Kind = test.iterations, test.kind
		got := said(t, "repeated-result", s)
		if test.want == "" {
			if len(got) > 0 {
				t.Errorf("%s: %s", test.name, describe(got[0]))
			}
			continue
		}
		if len(got) != 1 || place(got[0].File, got[0].Line, "") != test.want || !near(got[0].CPURatio, test.share) || got[0].Confidence != test.confidence || !strings.Contains(describe(got[0]), test.says) {
			t.Errorf("%s: %d findings, want %s with %v, %s", test.name, len(got), test.want, test.share, test.confidence)
			for _, f := range got {
				t.Log(describe(f))
			}
		}
	}
}

// A result may be shared where the function that gets it only reads it: here the
// statement in line 5 is all that it does with it.
func TestWhatIsDoneWithAResult(t *testing.T) {
	for _, test := range []struct {
		statement string
		shared    bool
	}{
		{"w.Write(page)", true},
		{"fmt.Fprintf(w, text, page)", true},
		{"n := len(page)", true},
		{"for _, b := range page { n += int(b) }", true},
		{"if page[0] == 1 { n++ }", true},
		{"first := page[0]", true},
		{"copy(to, page)", true},
		{"to = append(to, page...)", true},
		{"show(page)", true},
		{"r := bytes.NewReader(page)", true},

		{"page[0] = 1", false},
		{"page[0]++", false},
		{"page = append(page, 1)", false},
		{"copy(page, from)", false},
		{"clear(page)", false},
		{"shorten(page)", false},
		{"slices.Sort(page)", false},
		{"p := &page", false},
		{"h.last = page", false},
		{"pages[year] = page", false},
		{"other := page", false},
		{"ch <- page", false},
		{"return page", false},
		{"a := answer{page: page}", false},
		{"h.cache.Add(year, page)", false},
		{"lib.Take(page)", false},
		{"json.Unmarshal(data, page)", false},
		{"b := bytes.NewBuffer(page)", false},
		{"book(page).Close()", false},
	} {
		src := "package app; import (\"bytes\"; \"encoding/json\"; \"x/lib\"; \"example.com/lru\"; \"fmt\"; \"io\"; \"slices\")\n\nfunc serve(year int) { // 3\n\tpage := draw(year) // 4\n\t" + test.statement + "\n}\n\n" +
			"func draw(year int) []byte { return make([]byte, year) } // 8\n\nfunc show(p []byte) int { return len(p) } // 10\n\nfunc shorten(p []byte) { p[0] = 1 } // 12\n" + `
type book []byte
func (book) Close()
type answer struct{ page []byte }
var (
	w              io.Writer
	text           string
	n              int
	to, from, data []byte
	h              struct { last []byte; cache lru.Cache }
	pages          map[int][]byte
	ch             chan []byte
)
`
		s := app(t, src, known, []stack{{frames: "m/app.serve:4 m/app.draw:8 runtime.mallocgc", n: 900}, {frames: "m/app.work:99", n: 100}}, nil)
		s.CPUIterations = 1000
		if got := said(t, "repeated-result", s); (len(got) == 1) != test.shared {
			t.Errorf("%s: %d findings", test.statement, len(got))
		}
	}
}

// What a load asked for belongs into the words, if it was one thing only.
func TestRepeatedResultOfOneRequest(t *testing.T) {
	for _, same := range []bool{false, true} {
		s := app(t, drawSource, known, []stack{{frames: "m/app.serve:4 m/app.draw:13 strconv.Itoa", n: 900}, {frames: "m/app.work:99", n: 100}}, nil)
		s.CPUIterations, s.Kind, s.Run = 1000, "service", &diagnose.Conditions{SameRequest: same}
		got := said(t, "repeated-result", s)
		if len(got) != 1 || strings.Contains(got[0].Why, "sent the same request each time") != same {
			t.Errorf("same is %v: %+v", same, got)
		}
	}
}

const encodeSource = `package app; import ("example.com/policy"; "image"; "image/png"; "io"; "math/rand"; "testing"; "time")

func answer(w io.Writer, img image.Image) error { // 3
	return png.Encode(w, img) // 4
}

func ask(name string) int { // 7
	r := newRules() // 8
	return r.find(name) // 9
}

func newRules() *rules { // 12
	r := &rules{at: make(map[string]int)} // 13
	return r // 14
}

func (r *rules) find(name string) int { return r.at[name] } // 17

func (r *rules) count(name string) int { // 19
	r.at[name]++ // 20
	return r.at[name] // 21
}

func tally(name string) int { // 24
	r := newRules() // 25
	return len(r.all()) + r.total() // 26
}

func (r *rules) total() int { return len(r.at) } // 29

func (r *rules) all() map[string]int { // 31
	r.at["a"] = 1
	return r.at
}

func roll(seed int64) int { // 36
	return rand.NewSource(seed).Int63() // 37
}

func BenchmarkEncode(b *testing.B) { // 40
	for b.Loop() {
		png.Encode(w, img) // 42
	}
}

func clean(text string) string { // 46
	p := policy.Strict() // 47
	return p.Clean(text) // 48
}

func tick() time.Time { // 51
	t := time.NewTimer(1) // 52
	return <-t.C // 53
}

func sized(n int) string { // 56
	p := policy.Of(n) // 57
	return p.Clean("a") // 58
}

var (
	w   io.Writer
	img image.Image
)

type rules struct{ at map[string]int }
`

func TestObjectPerCallByHand(t *testing.T) {
	const (
		encode  = "m/app.answer:4 image/png.Encode image/png.(*Encoder).Encode image/png.(*encoder).writeImage"
		deflate = encode + " compress/zlib.(*Writer).Write compress/flate.(*Writer).Write"
		makes   = encode + " compress/flate.NewWriter"
	)
	for _, test := range []struct {
		name  string
		cpu   []stack
		mem   []stack
		calls int64
		want  string
		share float64
		bytes float64
		says  string
	}{
		{
			// Getting the memory and clearing it counts, deflating does not, nor
			// does the output's buffer: 100 of 1000 samples, and of
			// 10·(80+10)+10·(8+2) = 1000 bytes the 900 of the compressor and rows.
			name: "a PNG encoder",
			cpu: []stack{
				{frames: makes + " runtime.newobject runtime.mallocgc", n: 60}, {frames: makes + " runtime.mallocgc runtime.memclrNoHeapPointersChunked runtime.memclrNoHeapPointers", n: 40},
				{frames: deflate + " compress/flate.(*compressor).deflate", n: 700}, {frames: deflate + " bytes.growSlice runtime.mallocgc", n: 100}, {frames: "m/app.work:99", n: 100},
			},
			mem:   []stack{{makes, 10, 80}, {encode, 10, 10}, {deflate + " bytes.growSlice", 10, 8}, {"m/app.work:99", 10, 2}},
			calls: 10, want: "app.go:4", share: 0.1, bytes: 0.9, says: "the largest block has 80 bytes",
		},
		{
			// One compressor in eleven calls, as a pool that is emptied makes.
			name: "a PNG encoder, seldom", cpu: []stack{{frames: makes + " runtime.mallocgc", n: 500}, {frames: "m/app.work:99", n: 500}},
			mem: []stack{{makes, 1, 80}, {encode, 20, 10}}, calls: 11,
		},
		{
			name: "one that the benchmark itself makes", cpu: []stack{{frames: "m/app.BenchmarkEncode:42 image/png.Encode compress/flate.NewWriter runtime.mallocgc", n: 900}, {frames: "m/app.work:99", n: 100}},
			mem: []stack{{"m/app.BenchmarkEncode:42 image/png.Encode compress/flate.NewWriter", 10, 80}}, calls: 10,
		},
		{
			name: "all of seeding", cpu: []stack{{frames: "m/app.roll:37 math/rand.NewSource math/rand.(*rngSource).Seed", n: 400}, {frames: "m/app.roll:37 math/rand.(*rngSource).Int63", n: 100}, {frames: "m/app.work:99", n: 500}},
			mem: []stack{{"m/app.roll:37 math/rand.NewSource", 10, 4864}, {"m/app.work:99", 10, 4864}}, calls: 10, want: "app.go:37", share: 0.4, bytes: 0.5, says: "math/rand/v2",
		},
		{
			name: "built the same each time", cpu: []stack{{frames: "m/app.ask:8 m/app.newRules:13 runtime.makemap_small", n: 300}, {frames: "m/app.ask:9 m/app.(*rules).find:17 runtime.mapaccess1_faststr", n: 700}},
			mem: []stack{{"m/app.ask:8 m/app.newRules:13", 100, 48}, {"m/app.work:99", 100, 16}}, calls: 100, want: "app.go:8", share: 0.3, bytes: 0.75, says: "its methods change nothing",
		},
		{
			name: "built the same, with the clock below", cpu: []stack{{frames: "m/app.ask:8 m/app.newRules:13 lib.New", n: 299}, {frames: "m/app.ask:8 m/app.newRules:13 lib.New time.Now", n: 1}, {frames: "m/app.work:99", n: 700}},
			mem: []stack{{"m/app.ask:8 m/app.newRules:13", 100, 48}}, calls: 100,
		},
		{
			name: "a part of it is given away", cpu: []stack{{frames: "m/app.tally:25 m/app.newRules:13 runtime.makemap_small", n: 300}, {frames: "m/app.work:99", n: 700}},
			mem: []stack{{"m/app.tally:25 m/app.newRules:13", 100, 48}}, calls: 100,
		},
		{
			name: "of another module", cpu: []stack{{frames: "m/app.clean:47 example.com/policy.Strict example.com/policy.New", n: 300}, {frames: "m/app.clean:48 example.com/policy.(*Policy).Clean", n: 700}},
			mem: []stack{{"m/app.clean:47 example.com/policy.Strict", 100, 48}, {"m/app.work:99", 100, 16}}, calls: 100, want: "app.go:47", share: 0.3, bytes: 0.75, says: "if it is safe for concurrent use",
		},
		{
			name: "for an argument that varies", cpu: []stack{{frames: "m/app.sized:57 example.com/policy.Of", n: 300}, {frames: "m/app.work:99", n: 700}},
			mem: []stack{{"m/app.sized:57 example.com/policy.Of", 100, 48}}, calls: 100,
		},
		{
			name: "of the standard library", cpu: []stack{{frames: "m/app.tick:52 time.NewTimer runtime.newobject", n: 900}, {frames: "m/app.work:99", n: 100}},
			mem: []stack{{"m/app.tick:52 time.NewTimer", 100, 48}}, calls: 100,
		},
		{
			// 9 calls are no repetition, though they take long.
			name: "built a few times", cpu: []stack{{frames: "m/app.ask:8 m/app.newRules:13 runtime.makemap_small", n: 300}, {frames: "m/app.work:99", n: 700}},
			mem: []stack{{"m/app.ask:8 m/app.newRules:13", 9, 48}}, calls: 9,
		},
	} {
		s := app(t, encodeSource, known, test.cpu, test.mem)
		s.AllocIterations = test.calls
		got := said(t, "object-per-call", s)
		if test.want == "" {
			if len(got) > 0 {
				t.Errorf("%s: %s", test.name, describe(got[0]))
			}
			continue
		}
		if len(got) != 1 || place(got[0].File, got[0].Line, "") != test.want || math.Abs(got[0].CPURatio-test.share) > 1e-9 || !near(got[0].AllocBytesRatio, test.bytes) || !strings.Contains(describe(got[0]), test.says) {
			t.Errorf("%s: %d findings, want %s with %v and %v", test.name, len(got), test.want, test.share, test.bytes)
			for _, f := range got {
				t.Log(describe(f))
			}
		}
	}
}
