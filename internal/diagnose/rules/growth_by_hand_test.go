package rules_test

import (
	"math"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/finding"
)

// near compares shares that are sums of a few products.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// inLoop returns a function whose slice out grows at line 6.
func inLoop(head, loop, statement string) string {
	params := "xs []T, ch chan T, n int"
	if !strings.Contains(head, "var out") && !strings.Contains(head, "out :=") {
		params += ", out []T"
	}
	return "package app; import \"testing\"\n\nfunc f(" + params + ") { // 3\n\t" + head + "\n\t" + loop + " { // 5\n\t\t" + statement + "\n\t}\n}\n" + `
type T struct {
	ok, last, late bool
	name           string
	names          []string
	next           *T
}
var b *testing.B
var s struct{ out []T }
var rows interface { Next() bool; Row() T }
func (T) text() string
func seq(yield func(T) bool)
func buffer() []T
func sorted([]T) []T
func add(*[]T)
func left(int) int
`
}

// growth is ten slices that grow to 64 bytes, and as much memory as they end
// with elsewhere: 10*(8+16+32+64) = 1200 bytes, of which 560 are given up, of
// 2000 in all; and of 1000 CPU samples 100 in growslice, 40 of which copy.
var growthCPU = []stack{
	{frames: "m/app.f:6 runtime.growslice runtime.memmove", n: 40},
	{frames: "m/app.f:6 runtime.growslice runtime.mallocgc", n: 30},
	{frames: "m/app.f:6 runtime.growsliceBuf runtime.growslice runtime.mallocgc", n: 20},
	{frames: "m/app.f:6 runtime.growslice", n: 10},
	{frames: "m/app.work:99", n: 900},
}

// copyingOnly is a profile that catches nothing else.
var copyingOnly = []stack{{frames: "m/app.f:6 runtime.growslice runtime.memmove", n: 400}}

var growthBytes = []stack{
	{"m/app.f:6", 10, 8}, {"m/app.f:6", 10, 16}, {"m/app.f:6", 10, 32}, {"m/app.f:6", 10, 64}, {"m/app.work:99", 10, 80},
}

// moreGrowth is growthBytes for 200 slices.
var moreGrowth = []stack{
	{"m/app.f:6", 200, 8}, {"m/app.f:6", 200, 16}, {"m/app.f:6", 200, 32}, {"m/app.f:6", 200, 64}, {"m/app.work:99", 200, 80},
}

func TestSliceGrowthByHand(t *testing.T) {
	plain := inLoop("var out []T", "for _, x := range xs", "out = append(out, x)")
	for _, test := range []struct {
		name           string
		src            string
		calls          types
		cpu, allocs    []stack
		avoidCPU       float64 // of 1000 samples
		avoidBytes     float64
		remedy         string
		confidence     finding.Confidence
		share, bytesIn float64
	}{
		// Of the blocks 30 of 40 are given up, and 560 of 1200 bytes: 46.7 %.
		// Of the 60 samples that do not copy, at most 28: the 20 fit, then
		// nothing more. With the 40 that copy it is 60.
		{"all of it", plain, known, growthCPU, growthBytes, 0.06, 0.28, "make([]T, 0, len(xs))", finding.High, 0.1, 0.6},
		{"no allocation profile: the copying", plain, known, copyingOnly, nil, 1, 0, "make([]T, 0, len(xs))", finding.High, 1, 0},
		{
			// Half of the slices end at 16 bytes: none of that size counts.
			"slices of two lengths", plain, known, growthCPU,
			[]stack{{"m/app.f:6", 10, 8}, {"m/app.f:6", 10, 16}, {"m/app.f:6", 5, 32}, {"m/app.work:99", 10, 60}},
			0.05, 0.08, "", finding.High, 0.1, 0.4, // 80 of 400 bytes given up: 20 % of 60 samples are 12, so the 10
		},
		{
			"sizes that are no growth", plain, known, growthCPU,
			[]stack{{"m/app.f:6", 10, 8}, {"m/app.f:6", 20, 16}}, 0, 0, "", "", 0, 0,
		},
		{
			// It belongs to the place, and is not given up for a larger one.
			"a stray block", plain, known, growthCPU, append([]stack{{"m/app.f:6", 1, 4}, {"m/app.work:99", 1, 4}}, moreGrowth...),
			0.06, 11200.0 / 40008, "", finding.High, 0.1, 24004.0 / 40008,
		},
		{"one block only", plain, known, growthCPU, []stack{{"m/app.f:6", 10, 64}}, 0, 0, "", "", 0, 0},
		{
			// The copying alone, 40 of 400 samples.
			"a filter", inLoop("var out []T", "for _, x := range xs", "if x.ok { out = append(out, x) }"), known,
			append([]stack{{frames: "m/app.work:99", n: 300}}, growthCPU[:4]...), growthBytes,
			0.1, 0, "If few elements pass", finding.Medium, 0.25, 0.6,
		},
		{"a channel", inLoop("var out []T", "for x := range ch", "out = append(out, x)"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"an iterator", inLoop("var out []T", "for x := range seq", "out = append(out, x)"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"a type that is not known", inLoop("var out []T", "for _, x := range gone", "out = append(out, x)"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"a number", inLoop("out := []T{}", "for i := range n", "out = append(out, xs[i])"), known, growthCPU, growthBytes, 0.06, 0.28, "make([]T, 0, n)", finding.High, 0.1, 0.6},
		{"a counter", inLoop("out := []T{}", "for i := 0; i < len(xs); i++", "out = append(out, xs[i])"), known, growthCPU, growthBytes, 0.06, 0.28, "make([]T, 0, len(xs))", finding.High, 0.1, 0.6},
		{"downwards", inLoop("out := []T{}", "for i := n; i > 0; i--", "out = append(out, xs[i])"), known, growthCPU, growthBytes, 0.06, 0.28, "make([]T, 0, n)", finding.High, 0.1, 0.6},
		{"a counter whose limit is asked for each time", inLoop("out := []T{}", "for i := 0; i < left(i); i++", "out = append(out, xs[i])"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"a queue", inLoop("out := []T{}", "for i := 0; i < len(out); i++", "out = append(out, out[i].next)"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"while", inLoop("out := []T{}", "for rows.Next()", "out = append(out, rows.Row())"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"the benchmark's own loop", inLoop("out := []T{}", "for i := 0; i < b.N; i++", "out = append(out, xs[i])"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"the caller's slice", inLoop("", "for _, x := range xs", "out = append(out, x)"), known, growthCPU, growthBytes, 0.06, 0.28, "out = slices.Grow(out, len(xs))", finding.Medium, 0.1, 0.6},
		{"a buffer cut short", inLoop("out = out[:0]", "for _, x := range xs", "out = append(out, x)"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"a buffer from elsewhere", inLoop("out := buffer()", "for _, x := range xs", "out = append(out, x)"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"a field that is kept", inLoop("", "for _, x := range xs", "s.out = append(s.out, x)"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"a field that is emptied", inLoop("s.out = nil", "for _, x := range xs", "s.out = append(s.out, x)"), known, growthCPU, growthBytes, 0.06, 0.28, "len(xs)", finding.High, 0.1, 0.6},
		{"a slice of each round", inLoop("", "for _, x := range xs", "var out []T; out = append(out, x)"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"set to something else as well", inLoop("var out []T", "for _, x := range xs", "out = append(out, x)\n\t\tout = sorted(out)"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"known to others", inLoop("var out []T", "for _, x := range xs", "out = append(out, x)\n\t\tadd(&out)"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		// Boxing is not to be told from growing by the bytes: the copying counts.
		{"boxed elements", inLoop("var out []any", "for _, x := range xs", "out = append(out, x)"), known, copyingOnly, growthBytes, 1, 0, "", finding.High, 1, 0},
		{"pointers to new elements", inLoop("var out []*T", "for _, x := range xs", "out = append(out, &T{x})"), known, copyingOnly, growthBytes, 1, 0, "", finding.High, 1, 0},
		{"two a round", inLoop("var out []T", "for _, x := range xs", "out = append(out, x, x)"), known, growthCPU, growthBytes, 0.06, 0.28, "make([]T, 0, 2*len(xs))", finding.High, 0.1, 0.6},
		{"parts", inLoop("var out []byte", "for _, x := range xs", "out = append(out, x.name...)"), known, growthCPU, growthBytes, 0.06, 0.28, "Count first", finding.Medium, 0.1, 0.6},
		{"parts that a call makes", inLoop("var out []byte", "for _, x := range xs", "out = append(out, x.text()...)"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
		{"a break", inLoop("var out []T", "for _, x := range xs", "if x.last { break }; out = append(out, x)"), known, copyingOnly, growthBytes, 1, 0, "If few elements pass", finding.Medium, 1, 0.6},
		{"a literal of the loop's", inLoop("var out []T", "for _, x := range xs", "func() { out = append(out, x) }()"), known, growthCPU, growthBytes, 0, 0, "", "", 0, 0},
	} {
		got := said(t, "slice-growth", app(t, test.src, test.calls, test.cpu, test.allocs))
		if test.confidence == "" {
			if len(got) > 0 {
				t.Errorf("%s: %s", test.name, got[0].Why)
			}
			continue
		}
		if len(got) != 1 {
			t.Errorf("%s: %d findings", test.name, len(got))
			continue
		}
		g := got[0]
		if g.Line != 6 || !near(g.AvoidableCPURatio, test.avoidCPU) || !near(g.AvoidableAllocBytesRatio, test.avoidBytes) ||
			!near(g.CPURatio, test.share) || !near(g.AllocBytesRatio, test.bytesIn) || !strings.Contains(g.Remedy, test.remedy) || g.Confidence != test.confidence {
			t.Errorf("%s: line %d, cpu %v of which %v, bytes %v of which %v, %s: %s", test.name, g.Line, g.CPURatio, g.AvoidableCPURatio, g.AllocBytesRatio, g.AvoidableAllocBytesRatio, g.Confidence, g.Remedy)
		}
	}
}

// A slice that grows in the branches of an if, from line 6; the samples are
// those of the plain case at another line. 560 of 2,000 bytes are given up, and
// of 1,000 CPU samples 40 copy and 20 more fit.
func TestSliceGrowthInBranchesByHand(t *testing.T) {
	at := func(line string, stacks []stack) []stack {
		out := make([]stack, len(stacks))
		for i, s := range stacks {
			s.frames = strings.Replace(s.frames, "m/app.f:6", "m/app.f:"+line, 1)
			out[i] = s
		}
		return out
	}
	branches := func(from, then, otherwise, end string) string {
		return inLoop(from, "for _, x := range xs", "if x.ok { // 6\n"+then+" // 7\n} else { // 8\n"+otherwise+" // 9\n}"+end)
	}
	const one, none = "out = append(out, x.name)", "var out []string"
	// Both branches' own blocks: 32 bytes in one, 8, 16 and 64 in the other.
	var parted []stack
	for _, s := range growthBytes {
		if s.size == 32 {
			s.frames = "m/app.f:7"
		}
		parted = append(parted, s)
	}
	partedCPU := at("7", growthCPU)
	partedCPU[3].frames = "m/app.f:9 runtime.growslice"
	for _, test := range []struct {
		name                 string
		src                  string
		cpu, allocs          []stack
		line                 int
		avoidCPU, avoidBytes float64
		remedy               string
		confidence           finding.Confidence
	}{
		{"in one branch", branches(none, one, one, ""), at("7", growthCPU), at("7", growthBytes), 7, 0.06, 0.28, "make([]string, 0, len(xs))", finding.High},
		{"in the other", branches(none, one, one, ""), at("9", growthCPU), at("9", growthBytes), 9, 0.06, 0.28, "make([]string, 0, len(xs))", finding.High},
		{"in both", branches(none, one, one, ""), partedCPU, at("9", parted), 7, 0.06, 0.28, "make([]string, 0, len(xs))", finding.High},
		// The 8, 16 and 64 bytes of line 9 may be the joined string's: of line 7
		// there is one size, which is no growth.
		{"a joined string takes its own line's blocks", branches(none, one, `out = append(out, "no "+x.name)`, ""), partedCPU, at("9", parted), 0, 0, 0, "", ""},
		{"and no other's", branches(none, one, `out = append(out, "no "+x.name)`, ""), partedCPU, at("7", growthBytes), 7, 0.06, 0.28, "make([]string, 0, len(xs))", finding.High},
		{"after a literal", branches(`out := []string{"all"}`, one, one, ""), at("7", growthCPU), at("7", growthBytes), 7, 0.06, 0.28, "make([]string, 0, 1+len(xs)). The elements of the literal are appended first.", finding.High},
		{"after a literal with keys", branches(`out := []string{3: "all"}`, one, one, ""), at("7", growthCPU), at("7", growthBytes), 0, 0, 0, "", ""},
		{"two each", branches(none, one+"; "+one, "out = append(out, x.name, x.name)", ""), at("7", growthCPU), at("7", growthBytes), 7, 0.06, 0.28, "make([]string, 0, 2*len(xs))", finding.High},
		{"and one for all", branches(none, one, one, "; "+one), at("7", growthCPU), at("7", growthBytes), 7, 0.06, 0.28, "make([]string, 0, 2*len(xs))", finding.High},
		{"a branch of a branch", branches(none, one, "if x.late { "+one+" } else { "+one+" }", ""), at("7", growthCPU), at("7", growthBytes), 7, 0.06, 0.28, "make([]string, 0, len(xs))", finding.High},
		{"else if", inLoop(none, "for _, x := range xs", "if x.ok { // 6\n"+one+" // 7\n} else if x.late { // 8\n"+one+" // 9\n} else { "+one+" }"), at("7", growthCPU), at("7", growthBytes), 7, 0.06, 0.28, "make([]string, 0, len(xs))", finding.High},
		// What follows is not known: the copying alone, 400 of 400 samples.
		{"two in one branch", branches(none, one+"; "+one, one, ""), at("7", copyingOnly), at("7", growthBytes), 7, 1, 0, "make([]string, 0, 2*len(xs)). If few elements pass", finding.Medium},
		{"else if and no else", inLoop(none, "for _, x := range xs", "if x.ok { // 6\n"+one+" // 7\n} else if x.late { // 8\n"+one+" // 9\n}"), at("7", copyingOnly), at("7", growthBytes), 7, 1, 0, "If few elements pass", finding.Medium},
		{"a continue before it in its branch", branches(none, "if x.late { continue }; "+one, one, ""), at("7", copyingOnly), at("7", growthBytes), 7, 1, 0, "If few elements pass", finding.Medium},
		{"a continue before the other", branches(none, one, "if x.late { continue }; "+one, ""), at("7", copyingOnly), at("7", growthBytes), 7, 1, 0, "If few elements pass", finding.Medium},
		{"parts in a branch", branches(none, one, "out = append(out, x.names...)", ""), at("7", copyingOnly), at("7", growthBytes), 7, 1, 0, "Count first", finding.Medium},
		{"parts in both", branches(none, "out = append(out, x.names...)", "out = append(out, x.names...)", ""), at("7", copyingOnly), at("7", growthBytes), 7, 1, 0, "Count first", finding.Medium},
		{"a switch", inLoop(none, "for _, x := range xs", "switch { case x.ok:\n"+one+" // 7\ncase x.late: "+one+"; break; default: "+one+" }"), at("7", growthCPU), at("7", growthBytes), 7, 0.06, 0.28, "make([]string, 0, len(xs))", finding.High},
		{"a switch without a default", inLoop(none, "for _, x := range xs", "switch { case x.ok:\n"+one+" // 7\ncase x.late: "+one+" }"), at("7", copyingOnly), at("7", growthBytes), 7, 1, 0, "If few elements pass", finding.Medium},
		{"a loop inside", branches(none, one, "for range x.names { if x.late { continue } }; "+one, ""), at("7", growthCPU), at("7", growthBytes), 7, 0.06, 0.28, "make([]string, 0, len(xs))", finding.High},
		{"a way out to a loop around", inLoop(none+"; outer: for range xs {", "for _, x := range xs", "if x.last { // 6\ncontinue outer } // 7\n"+one+"}"), at("8", copyingOnly), at("8", growthBytes), 8, 1, 0, "If few elements pass", finding.Medium},
		{"a loop that not every round comes by", inLoop(none+"; for _, y := range xs { if y.late { continue }", "for _, x := range xs", "{\n"+one+" // 7\n}}"), at("7", copyingOnly), at("7", growthBytes), 7, 1, 0, "If few elements pass", finding.Medium},
		{"a branch that sets it", branches(none, one, "out = x.names", ""), at("7", growthCPU), at("7", growthBytes), 0, 0, 0, "", ""},
		{"a branch that loops", branches(none, one, "for _, n := range x.names { out = append(out, n) }", ""), at("7", growthCPU), at("7", growthBytes), 0, 0, 0, "", ""},
	} {
		got := said(t, "slice-growth", app(t, test.src, known, test.cpu, test.allocs))
		switch {
		case test.line == 0 && len(got) > 0:
			t.Errorf("%s: %+v", test.name, got[0])
		case test.line != 0 && (len(got) != 1 || got[0].Line != test.line || !near(got[0].AvoidableCPURatio, test.avoidCPU) || !near(got[0].AvoidableAllocBytesRatio, test.avoidBytes) ||
			!strings.Contains(got[0].Remedy, test.remedy) || got[0].Confidence != test.confidence):
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// reads returns a function that reads whole at line 5.
func reads(params, head, statement string) string {
	return "package app; import (\"bytes\"; \"io\"; \"net/http\"; \"os\")\n\nfunc f(" + params + ") { // 3\n\t" + head + "\n\t" + statement + "\n}\n" + `
type Message struct{ Body *R }
type R struct{}
var max int64
func (*R) Read([]byte) (int, error)
func use([]byte, error) func([]byte, error)
`
}

func TestReadGrowthByHand(t *testing.T) {
	// 512+256+384+576 in pieces, 1728 in the end, for ten inputs; 96 each for the
	// row of pieces; and 34560 elsewhere. The pieces and rows are 18240 of 35520.
	pieces := []stack{
		{"m/app.f:5 io.ReadAll", 10, 512}, {"m/app.f:5 io.ReadAll", 10, 256}, {"m/app.f:5 io.ReadAll", 10, 384}, {"m/app.f:5 io.ReadAll", 10, 576},
		{"m/app.f:5 io.ReadAll", 10, 96}, {"m/app.f:5 io.ReadAll", 10, 1792}, {"m/app.f:5 io.ReadAll m/app.(*R).Read:20", 10, 100}, {"m/app.work:99", 10, 3516},
	}
	const all = 10 * (512 + 256 + 384 + 576 + 96 + 1792 + 100 + 3516)
	// Ten inputs as above and ten of 6144 bytes: 1792 is the size of no piece.
	two := []stack{
		{"m/app.f:5 io.ReadAll", 20, 512}, {"m/app.f:5 io.ReadAll", 20, 256}, {"m/app.f:5 io.ReadAll", 20, 384}, {"m/app.f:5 io.ReadAll", 20, 576},
		{"m/app.f:5 io.ReadAll", 10, 896}, {"m/app.f:5 io.ReadAll", 10, 1408}, {"m/app.f:5 io.ReadAll", 10, 2048},
		{"m/app.f:5 io.ReadAll", 10, 1792}, {"m/app.f:5 io.ReadAll", 10, 6144}, {"m/app.work:99", 10, 4096},
	}
	const allTwo = 20*(512+256+384+576) + 10*(896+1408+2048+1792+6144+4096)
	old := []stack{{"m/app.f:5 io.ReadAll", 10, 512}, {"m/app.f:5 io.ReadAll", 10, 896}, {"m/app.f:5 io.ReadAll", 10, 1408}, {"m/app.work:99", 1, 28160 - 1}, {"m/app.work:99", 1, 1}}
	buffer := []stack{
		{"m/app.f:5 bytes.(*Buffer).ReadFrom bytes.(*Buffer).grow bytes.growSlice", 10, 512},
		{"m/app.f:5 bytes.(*Buffer).ReadFrom bytes.(*Buffer).grow bytes.growSlice", 10, 1536}, {"m/app.work:99", 10, 2048},
	}
	cpu := []stack{
		{frames: "m/app.f:5 io.ReadAll runtime.memmove", n: 100}, {frames: "m/app.f:5 io.ReadAll runtime.makeslice runtime.mallocgc", n: 100},
		{frames: "m/app.f:5 io.ReadAll os.(*File).Read syscall.Read", n: 300}, {frames: "m/app.work:99", n: 500},
	}
	busy := []stack{{frames: "m/app.work:99 runtime.mallocgc", n: 500}}
	for _, test := range []struct {
		name        string
		src         string
		calls       types
		cpu, allocs []stack
		avoidCPU    float64
		avoidBytes  float64
		remedy      string
	}{
		{"a request's body", reads("r *http.Request", "", "data, err := io.ReadAll(r.Body)"), known, cpu, pieces,
			0.1, 10 * 1824.0 / all, "r.ContentLength"}, // 18240 of 36160 bytes are 50.4 % of one stack of 100, which does not fit
		{"bodies of two sizes", reads("r *http.Request", "", "data, err := io.ReadAll(r.Body)"), known, cpu, two,
			0.1, (20*(512+256+384+576) + 10*(896+1408+2048.0)) / allTwo, "r.ContentLength"},
		{"a file", reads("f *os.File", "", "data, err := io.ReadAll(f)"), known, cpu, old, 0.1, 0.25, "os.ReadFile"}, // 14080 of 56320
		{"a bounded reader", reads("r io.Reader", "in := io.LimitReader(r, max)", "data, err := io.ReadAll(in)"), known, cpu, old, 0.1, 0.25, "the bound of max"},
		{"any reader", reads("r io.Reader", "", "data, err := io.ReadAll(r)"), known, cpu, old, 0, 0, ""},
		{"a reader set twice", reads("r io.Reader", "in := io.LimitReader(r, max); in = r", "data, err := io.ReadAll(in)"), known, cpu, old, 0, 0, ""},
		{"somebody else's body", reads("m *Message", "", "data, err := io.ReadAll(m.Body)"), known, cpu, old, 0, 0, ""},
		{"one block is enough", reads("f *os.File", "", "data, err := io.ReadAll(f)"), known, cpu, old[:1], 0, 0, ""},
		{"sizes that are no growth", reads("f *os.File", "", "data, err := io.ReadAll(f)"), known, cpu, []stack{{"m/app.f:5 io.ReadAll", 10, 512}, {"m/app.f:5 io.ReadAll", 20, 896}}, 0, 0, ""},
		{"a buffer", reads("f *os.File, buf *bytes.Buffer", "", "n, err := buf.ReadFrom(f)"), known, busy, buffer, 0, 0.125, "bytes.MinRead"}, // 5120 of 40960
		{"a buffer of the function's own", reads("f *os.File", "var buf bytes.Buffer", "n, err := buf.ReadFrom(f)"), known, busy, buffer, 0, 0.5, "bytes.MinRead"},
		{"two inputs in a statement", reads("f, g *os.File", "", "use(io.ReadAll(f))(io.ReadAll(g))"), known, cpu, old, 0, 0, ""},
	} {
		got := said(t, "read-growth", app(t, test.src, test.calls, test.cpu, test.allocs))
		switch {
		case test.remedy == "" && len(got) > 0:
			t.Errorf("%s: %s", test.name, got[0].Why)
		case test.remedy != "" && (len(got) != 1 || got[0].Line != 5 || !near(got[0].AvoidableCPURatio, test.avoidCPU) || !near(got[0].AvoidableAllocBytesRatio, test.avoidBytes) || !strings.Contains(got[0].Remedy, test.remedy)):
			t.Errorf("%s: %+v, want cpu %v, bytes %v", test.name, got, test.avoidCPU, test.avoidBytes)
		}
	}
}

// Of the samples that grow or make room only those count as copying that move
// elements, and not the share of the others that is avoidable too.
func TestCopyingByHand(t *testing.T) {
	grown := said(t, "slice-growth", app(t, inLoop("var out []T", "for _, x := range xs", "out = append(out, x)"), known, growthCPU, growthBytes))
	read := said(t, "read-growth", app(t, reads("f *os.File", "", "data, err := io.ReadAll(f)"), known,
		[]stack{{frames: "m/app.f:5 io.ReadAll runtime.memmove", n: 100}, {frames: "m/app.f:5 io.ReadAll runtime.makeslice runtime.mallocgc", n: 50}, {frames: "m/app.f:5 io.ReadAll runtime.makeslice", n: 50}, {frames: "m/app.work:99", n: 800}},
		[]stack{{"m/app.f:5 io.ReadAll", 10, 512}, {"m/app.f:5 io.ReadAll", 10, 896}, {"m/app.f:5 io.ReadAll", 10, 1408}, {"m/app.work:99", 10, 28160}}))
	if len(grown) != 1 || grown[0].Evidence[0].Text != "100 of 1000 base samples grow the slice, 40 of them copy its elements" {
		t.Errorf("%+v", grown)
	}
	if len(read) != 1 || read[0].Evidence[0].Text != "200 of 1000 base samples allocate room for the input, 100 of them copy it" {
		t.Errorf("%+v", read)
	}
}

// Reading into a buffer that could be reused is reported once.
func TestReadGrowthCoversItsBuffer(t *testing.T) {
	s := app(t, reads("f *os.File", "var buf bytes.Buffer", "n, err := buf.ReadFrom(f)"),
		known,
		[]stack{{frames: "m/app.work:99 runtime.mallocgc", n: 1000}},
		[]stack{
			{"m/app.f:5 bytes.(*Buffer).ReadFrom bytes.(*Buffer).grow bytes.growSlice", 10, 512},
			{"m/app.f:5 bytes.(*Buffer).ReadFrom bytes.(*Buffer).grow bytes.growSlice", 10, 1536}, {"m/app.f:4", 10, 48},
		})
	if a, b := said(t, "read-growth", s), said(t, "buffer-per-call", s); len(a) != 1 || len(b) != 0 {
		t.Errorf("read-growth: %+v\nbuffer-per-call: %+v", a, b)
	}
}

const bufferSource = `package app; import ("bufio"; "bytes"; "compress/gzip"; "crypto/hmac"; "crypto/sha256"; "encoding/csv"; "encoding/json"; "io"; "strings")

func f(w io.Writer, x []byte) error { // 3
	var buf bytes.Buffer // 4
	write(&buf, x) // 5
	_, err := w.Write(buf.Bytes()) // 6
	return err
}

func write(b *bytes.Buffer, x []byte) { b.Write(x) } // 10

func g(w io.Writer, x []byte) { // 12
	z := gzip.NewWriter(w) // 13
	z.Write(x) // 14
}

func h() *bytes.Buffer { // 17
	b := new(bytes.Buffer) // 18
	b.WriteString("x") // 19
	return b
}

func two(w io.Writer) { // 23
	var a, b bytes.Buffer // 24
	io.Copy(&a, &b) // 25
}

func k(w io.Writer, key string) { // 28
	mac := hmac.New(sha256.New, []byte(key)) // 29
	mac.Write(nil)
}

func lines(sc *bufio.Scanner) { // 33
	for sc.Scan() { // 34
		r := csv.NewReader(strings.NewReader(sc.Text())) // 35
		r.Comma = ';'
		use(r.Read()) // 37
	}
}

func first(line string) ([]string, error) { return csv.NewReader(strings.NewReader(line)).Read() } // 41

func open(r io.Reader) *T { return &T{in: csv.NewReader(r)} } // 43

func decode(text []byte, v any) error { return json.NewDecoder(bytes.NewReader(text)).Decode(v) } // 45

func body(r io.Reader, v any) error { return json.NewDecoder(r).Decode(v) } // 47

func numbers(text []byte, v any) error { // 49
	d := json.NewDecoder(bytes.NewReader(text)) // 50
	d.UseNumber()
	return d.Decode(v)
}
`

func TestBufferPerCallByHand(t *testing.T) {
	busy := []stack{{frames: "m/app.work:99 runtime.mallocgc", n: 1000}}
	grow := " bytes.(*Buffer).Write bytes.(*Buffer).grow bytes.growSlice"
	for _, test := range []struct {
		name          string
		iterations    int64
		cpu, allocs   []stack
		want          string
		bytes, cpuAll float64
		cpuAvoid      float64
	}{
		{"made, and filled in a helper", 10, busy, []stack{{"m/app.f:4", 10, 48}, {"m/app.f:5 m/app.write:10" + grow, 10, 52}, {"m/app.work:99", 10, 100}}, "app.go:4", 0.5, 0, 0},
		{"the text that String copies out stays", 10, busy, []stack{{"m/app.f:4", 10, 20}, {"m/app.f:6 bytes.(*Buffer).String", 10, 50}, {"m/app.work:99", 10, 30}}, "app.go:4", 0.2, 0, 0},
		{"by CPU time", 10, []stack{{frames: "m/app.f:4 runtime.newobject runtime.mallocgc", n: 50}, {frames: "m/app.f:5 m/app.write:10" + grow + " runtime.memmove", n: 50}, {frames: "m/app.work:99", n: 900}},
			[]stack{{"m/app.f:4", 10, 48}, {"m/app.work:99", 10, 952}}, "app.go:4", 0.048, 0.1, 0.1},
		{"one in ten iterations", 100, busy, []stack{{"m/app.f:4", 10, 48}, {"m/app.work:99", 10, 48}}, "app.go:4", 0.5, 0, 0},
		{"seldom", 101, busy, []stack{{"m/app.f:4", 10, 48}, {"m/app.work:99", 10, 48}}, "", 0, 0, 0},
		{"iterations unknown", 0, busy, []stack{{"m/app.f:4", 50, 48}, {"m/app.work:99", 50, 48}}, "app.go:4", 0.5, 0, 0},
		{"iterations unknown, and few", 0, busy, []stack{{"m/app.f:4", 49, 48}, {"m/app.work:99", 49, 48}}, "", 0, 0, 0},
		{"encoding/json's own buffer", 10, busy, []stack{{"m/app.f:5 encoding/json.Marshal encoding/json.(*encodeState).marshal" + grow, 10, 48}}, "", 0, 0, 0},
		{"an encoder that writes into it", 10, busy, []stack{{"m/app.f:5 encoding/json.(*Encoder).Encode" + grow, 10, 48}, {"m/app.work:99", 10, 48}}, "app.go:4", 0.5, 0, 0},
		{"a compressor: setting it up stays", 10, []stack{
			{frames: "m/app.g:14 compress/gzip.(*Writer).Write compress/flate.NewWriter runtime.newobject runtime.mallocgc", n: 200},
			{frames: "m/app.g:14 compress/gzip.(*Writer).Write compress/flate.NewWriter compress/flate.(*compressor).init", n: 100},
			{frames: "m/app.g:14 compress/gzip.(*Writer).Write compress/flate.(*compressor).write", n: 700}},
			[]stack{{"m/app.g:13 compress/gzip.NewWriter compress/gzip.NewWriterLevel", 10, 50}, {"m/app.g:14 compress/gzip.(*Writer).Write compress/flate.NewWriter", 10, 50}}, "app.go:13", 1, 0.3, 0.2},
		{"returned", 10, busy, []stack{{"m/app.h:18", 10, 48}, {"m/app.h:19 bytes.(*Buffer).WriteString bytes.(*Buffer).grow", 10, 64}}, "", 0, 0, 0},
		{"two in one statement", 10, busy, []stack{{"m/app.two:25 io.Copy bytes.(*Buffer).WriteTo" + grow, 10, 48}}, "", 0, 0, 0},
		{"a csv.Reader for each line", 10, busy, []stack{{"m/app.lines:35 encoding/csv.NewReader bufio.NewReader bufio.NewReaderSize", 1000, 70}, {"m/app.lines:35 encoding/csv.NewReader", 1000, 10}, {"m/app.lines:37 encoding/csv.(*Reader).Read encoding/csv.(*Reader).readRecord", 1000, 20}}, "app.go:35", 0.8, 0, 0},
		{"the same in one expression", 10, busy, []stack{{"m/app.first:41 encoding/csv.NewReader bufio.NewReader bufio.NewReaderSize", 10, 70}, {"m/app.first:41 encoding/csv.(*Reader).Read encoding/csv.(*Reader).readRecord", 10, 30}}, "app.go:41", 0.7, 0, 0},
		{"a csv.Reader that is given a buffer", 10, busy, []stack{{"m/app.first:41 encoding/csv.NewReader", 10, 70}}, "", 0, 0, 0},
		{"a csv.Reader that is kept", 10, busy, []stack{{"m/app.open:43 encoding/csv.NewReader bufio.NewReader bufio.NewReaderSize", 10, 70}}, "", 0, 0, 0},
		{"a json.Decoder for a text in memory", 10, busy, []stack{
			{"m/app.decode:45 encoding/json.NewDecoder", 10, 30}, {"m/app.decode:45 encoding/json.(*Decoder).Decode encoding/json.(*Decoder).readValue encoding/json.(*Decoder).refill", 10, 30},
			{"m/app.decode:45 encoding/json.(*Decoder).Decode encoding/json.(*decodeState).unmarshal", 10, 40}}, "app.go:45", 0.6, 0, 0},
		{"a json.Decoder for a stream", 10, busy, []stack{{"m/app.body:47 encoding/json.(*Decoder).Decode encoding/json.(*Decoder).readValue encoding/json.(*Decoder).refill", 10, 30}}, "", 0, 0, 0},
		{"a json.Decoder that does what Unmarshal cannot", 10, busy, []stack{{"m/app.numbers:50 encoding/json.NewDecoder", 10, 30}}, "", 0, 0, 0},
		{"what else the statement allocates", 10, busy, []stack{{"m/app.k:29", 10, 50}, {"m/app.k:29 crypto/hmac.New", 10, 50}}, "app.go:29", 0.5, 0, 0},
	} {
		s := app(t, bufferSource, known, test.cpu, test.allocs)
		s.AllocIterations = test.iterations
		got := said(t, "buffer-per-call", s)
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s: %s", test.name, got[0].Why)
		case test.want != "" && (len(got) != 1 || place(got[0].File, got[0].Line, "") != test.want || !near(got[0].AllocBytesRatio, test.bytes) || !near(got[0].CPURatio, test.cpuAll) || !near(got[0].AvoidableCPURatio, test.cpuAvoid)):
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// What a buffer is for decides what to do in its place.
func TestBufferRemedyByHand(t *testing.T) {
	const src = `package app; import ("bufio"; "bytes"; "hash/crc32"; "io")

func sum(raw []byte) uint32 {
	b := make([]byte, len(raw)) // 4
	copy(b, raw)
	b[8] = 0
	return crc32.ChecksumIEEE(b)
}

func send(w io.Writer, raw []byte) uint32 {
	b := make([]byte, len(raw)) // 11
	copy(b, raw)
	w.Write(b)
	return crc32.ChecksumIEEE(b)
}

func head(text []byte) bool {
	sc := bufio.NewScanner(bytes.NewReader(text)) // 18
	return sc.Scan() // 19
}

func line(r io.Reader) bool {
	sc := bufio.NewScanner(r) // 23
	return sc.Scan() // 24
}

func number(w io.Writer, n byte) {
	var b [8]byte // 28
	b[0] = n
	w.Write(b[:])
}

func kept(n byte) []byte {
	var b [8]byte // 34
	b[0] = n
	return b[:]
}

func handed(list *[][]byte, n byte) {
	b := [8]byte{} // 40
	*list = append(*list, b[:])
}
`
	for _, test := range []struct{ frames, says string }{
		{"m/app.sum:4", "Do not copy"},
		{"m/app.send:11", "Keep it in a sync.Pool"},
		{"m/app.head:19 bufio.(*Scanner).Scan", "Cut the lines off"},
		{"m/app.line:24 bufio.(*Scanner).Scan", "pass it to the scanner's Buffer method"},
		{"m/app.number:28", "a field of the encoder"},
		{"m/app.kept:34", ""},
		{"m/app.handed:40", ""},
	} {
		s := app(t, src, known, []stack{{frames: "m/app.work:99 runtime.mallocgc", n: 1000}}, []stack{{test.frames, 10, 4096}})
		s.AllocIterations = 10
		got := said(t, "buffer-per-call", s)
		if test.says == "" && len(got) > 0 || test.says != "" && (len(got) != 1 || !strings.Contains(got[0].Remedy, test.says)) {
			t.Errorf("%s: %+v, want %q", test.frames, got, test.says)
		}
	}
}

// Portion takes the largest samples that fit, and never more than the share.
func TestPortion(t *testing.T) {
	s := app(t, "package app", nil, []stack{{frames: "a", n: 50}, {frames: "b", n: 30}, {frames: "c", n: 15}, {frames: "d", n: 5}}, nil)
	var all diagnose.Set
	for i := range 4 {
		all.Add(i)
	}
	for _, test := range []struct {
		share float64
		want  int64
	}{{1, 100}, {0.5, 50}, {0.49, 45}, {0.2, 20}, {0.04, 0}, {0, 0}} {
		part := diagnose.Portion(s.CPU, s.CPUColumn, &all, test.share)
		if got := s.CPUSamples(part.Keep()); got != test.want {
			t.Errorf("%v of 100 samples: %d, want %d", test.share, got, test.want)
		}
	}
}

// A buffer that the program's own logger makes is part of what logging costs.
func TestLoggingCoversItsBuffers(t *testing.T) {
	src := "package app; import (\"bytes\"; \"fmt\"; \"io\")\n\nfunc serve(n int) {\n\tlogger.Info(\"seen\", n) // 4\n}\n\nfunc (l *Logger) Info(text string, args ...any) { // 7\n\tvar line bytes.Buffer // 8\n\tfmt.Fprintln(&line, args...) // 9\n\tl.w.Write(line.Bytes())\n}\n\ntype Logger struct{ w io.Writer }\n\nvar logger *Logger\n"
	s := app(t, src, known, []stack{
		{frames: "m/app.serve:4 m/app.(*Logger).Info:9 fmt.Fprintln bytes.(*Buffer).Write bytes.(*Buffer).grow runtime.mallocgc", n: 300}, {frames: "m/app.work:99", n: 700},
	}, []stack{{"m/app.serve:4 m/app.(*Logger).Info:8", 10, 48}, {"m/app.serve:4 m/app.(*Logger).Info:9 fmt.Fprintln bytes.(*Buffer).Write bytes.(*Buffer).grow", 10, 64}, {"m/app.work:99", 10, 48}})
	if a, b := said(t, "logging", s), said(t, "buffer-per-call", s); len(a) != 1 || len(b) != 0 {
		t.Errorf("logging: %+v\nbuffer-per-call: %+v", a, b)
	}
}
