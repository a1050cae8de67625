package rules_test

import (
	"strings"
	"testing"

	"whet/internal/finding"
)

// denseSource returns a function with a map at line 7 that is filled by a loop with
// the given statement at line 9 and asked at line 12.
func denseSource(typ, head, statement, ask string) string {
	return "package app\n\ntype T struct { next *T; n int }\n\ntype S struct { at, At map[*T]int; list []*T }\n\n" +
		"func f(ts []*T, ch chan *T, n int) (sum int) { " + typ + " // 7\n\t" + head + " { // 8\n\t\t" + statement + " // 9\n\t}\n\tfor _, t := range ts { // 11\n\t\t" + ask + " // 12\n\t}\n\treturn sum\n}\n"
}

func TestDenseMapByHand(t *testing.T) {
	calls := known
	const made, fill, asked = "at := make(map[*T]int)", "for i, t := range ts", "sum += at[t]"
	// Of 1000 samples 200 look up, 100 fill and 50 make the map; 30 are no map
	// work of line 12. Of 2000 bytes 10 blocks of 60 and 10 of 40 are tables:
	// half of those 1000 bytes are 500, and the 400 of the smaller blocks fit in.
	// Where one line's blocks are all there are, none fits into half of them.
	cpu := []stack{
		{frames: "m/app.f:12 runtime.mapaccess1_fast64 internal/runtime/maps.ctrlGroup.matchH2", n: 200},
		{frames: "m/app.f:9 runtime.mapassign_fast64ptr internal/runtime/maps.(*table).grow runtime.mallocgc", n: 100},
		{frames: "m/app.f:7 runtime.makemap_small runtime.mallocgc", n: 50},
		{frames: "m/app.f:12 runtime.gcWriteBarrier", n: 30},
		{frames: "m/app.work:99", n: 620},
	}
	blocks := []stack{{"m/app.f:9", 10, 60}, {"m/app.f:7", 10, 40}, {"m/app.work:99", 10, 100}}
	for _, test := range []struct {
		name                 string
		src                  string
		line                 int // of the finding; 0: none
		cpuShare, bytes, out float64
		remedy               string
		confidence           finding.Confidence
	}{
		{"elements of a slice", denseSource(made, fill, "at[t] = i", asked), 7, 0.35, 0.5, 0.2, "Give T a number", finding.High},
		{"a counted loop", denseSource("at := map[int]int{}", "for i := range n", "at[i] = n", "sum += at[t.n]"), 7, 0.35, 0.5, 0.2, "a slice of that many elements", finding.High},
		{"a counter", denseSource("at := map[int]int{}", "for i := 0; i < n; i++", "at[i] = n", "sum += at[t.n]"), 7, 0.35, 0.5, 0.2, "a slice of that many elements", finding.High},
		{"numbering", denseSource("at, list := make(map[*T]int), ts[:0]", "for t := range ch", "at[t] = len(list); list = append(list, t)", asked), 7, 0.35, 0.2, 0, "Give T a number", finding.Medium}, // append takes memory too
		{"a field", denseSource("s := &S{at: make(map[*T]int)}", fill, "s.at[t] = i", "sum += s.at[t]"), 7, 0.35, 0.3, 0, "Give T a number", finding.High},                                              // &S takes memory too

		{"two maps in the line that asks: the 200 belong to neither", denseSource(made+"; by := make(map[*T]bool)", fill, "at[t] = i", "if by[t] { sum += at[t] }"), 7, 0.1, 0.3, 0, "", finding.High},
		{"a map that is not known", denseSource(made, fill, "at[t] = i", "sum += at[t] + other.Map[t]"), 7, 0.15, 0.5, 0.2, "", finding.High},
		{"a map in a line that makes a string", denseSource(made, fill, `at[t] = i; name = name + "x"`, asked), 7, 0.35, 0.2, 0, "", finding.High},

		{"a channel", denseSource(made, "for t := range ch", "at[t] = 1", asked), 0, 0, 0, 0, "", ""},
		{"under a condition", denseSource(made, fill, "if i > 2 { at[t] = i }", asked), 0, 0, 0, 0, "", ""},
		{"after a continue", denseSource(made, fill, "if i > 2 { continue }; at[t] = i", asked), 0, 0, 0, 0, "", ""},
		{"up to a break", denseSource(made, fill, "at[t] = i; if i > 2 { break }", asked), 0, 0, 0, 0, "", ""},
		{"a break of its own", denseSource(made, fill, "at[t] = i; for { break }", asked), 7, 0.35, 0.5, 0.2, "", finding.High},
		{"another key", denseSource(made, fill, "at[t.next] = i", asked), 0, 0, 0, 0, "", ""},
		{"another loop's variable", denseSource(made+"; var t *T", "for i := range ts", "at[t] = i", asked), 0, 0, 0, 0, "", ""},
		{"a set", denseSource("at := make(map[*T]bool)", "for _, t := range ts", "at[t] = true", "if at[t] { sum++ }"), 0, 0, 0, 0, "", ""},
		{"removed from", denseSource(made, fill, "at[t] = i; delete(at, t.next)", asked), 0, 0, 0, 0, "", ""},
		{"cleared", denseSource(made, fill, "at[t] = i; clear(at)", asked), 0, 0, 0, 0, "", ""},
		{"never asked", denseSource(made, fill, "at[t] = i", "sum += len(at)"), 0, 0, 0, 0, "", ""},
		{"handed on", denseSource(made, fill, "at[t] = i", asked+"; use(at)"), 0, 0, 0, 0, "", ""},
		{"another name for it", denseSource(made, fill, "at[t] = i", asked+"; x := at; x[t] = 1"), 0, 0, 0, 0, "", ""},
		{"from elsewhere", denseSource(made+"; if n > 2 { at = found }", fill, "at[t] = i", asked), 0, 0, 0, 0, "", ""},
		{"an exported field", denseSource("s := S{At: make(map[*T]int)}", fill, "s.At[t] = i", "sum += s.At[t]"), 0, 0, 0, 0, "", ""},
		{"a field that is filled by place", denseSource("s := S{make(map[*T]int), nil, nil}", fill, "s.at[t] = i", "sum += s.at[t]"), 0, 0, 0, 0, "", ""},
		{"numbers of a list whose keys are numbers", denseSource("at, list := make(map[int]int), []int{}", "for t := range ch", "at[t.n] = len(list); list = append(list, t.n)", "sum += at[t.n]"), 0, 0, 0, 0, "", ""},
		{"numbers beyond those of the loop", denseSource("at := map[int]int{}", "for i := range n", "at[i] = n", "sum += at[t.n]; at[t.n*n] = 1"), 0, 0, 0, 0, "", ""},
		{"a number of an element is counted up", denseSource("at := map[int]int{}", "for i := range n", "at[i] = n", "sum += at[t.n]; at[t.n]++"), 0, 0, 0, 0, "", ""},
		{"set by a second counter", denseSource("at := map[int]int{}", "for i := range n", "at[i] = n", "sum += at[t.n]; for j := range n { if at[j] > 2 { at[j] = 0 } }"), 7, 0.35, 0.5, 0.2, "a slice of that many elements", finding.High},
		{"the length that a variable of a type switch is set to", denseSource("at, list := make(map[*T]int), ts[:0]", "for t := range ch", "switch m := any(n).(type) { case int: { m = len(list); at[t] = m; list = append(list, t) } }", asked), 0, 0, 0, 0, "", ""},
		{"pointers to another's type", strings.ReplaceAll(denseSource(made, fill, "at[t] = i", asked), "*T", "*other.T"), 0, 0, 0, 0, "", ""},
	} {
		s := app(t, test.src, calls, cpu, blocks)
		got := said(t, "dense-map", s)
		switch {
		case test.line == 0 && len(got) > 0:
			t.Errorf("%s: %s", test.name, describe(got[0]))
		case test.line != 0 && (len(got) != 1 || got[0].Line != test.line || got[0].Function != "m/app.f" || !near(got[0].CPURatio, test.cpuShare) || !near(got[0].AvoidableCPURatio, test.cpuShare) ||
			!near(got[0].AllocBytesRatio, test.bytes) || !near(got[0].AvoidableAllocBytesRatio, test.out) || !strings.Contains(got[0].Remedy, test.remedy) || got[0].Confidence != test.confidence):
			t.Errorf("%s: %d findings", test.name, len(got))
			for _, f := range got {
				t.Log(describe(f), f.AvoidableAllocBytesRatio)
			}
		}
		s = app(t, test.src, nil, cpu, blocks)
		if got := said(t, "dense-map", s); len(got) > 0 {
			t.Errorf("%s, without types: %s", test.name, describe(got[0]))
		}
	}
	// What a function of its own asks belongs to the map that it is handed: 350 of
	// 1000 samples as above, and 100 of those that were elsewhere.
	handed := denseSource(made, fill, "at[t] = i", "sum += get(at, t)") + "\nfunc get(m map[*T]int, t *T) int {\n\treturn m[t] // 18\n}\n"
	inside := append([]stack{{frames: "m/app.f:12 m/app.get:18 runtime.mapaccess1_fast64", n: 300}}, cpu[1:4]...)
	s := app(t, handed, calls, append(inside, stack{frames: "m/app.work:99", n: 520}), blocks)
	if got := said(t, "dense-map", s); len(got) != 1 || got[0].Line != 7 || !near(got[0].CPURatio, 0.45) {
		t.Errorf("handed to a function: %+v", got)
	}
	// A line of a benchmark is no part of the program.
	src := strings.Replace(denseSource(made, fill, "at[t] = i", asked), "func f(ts []*T,", "func f(b *testing.B, ts []*T,", 1)
	if got := said(t, "dense-map", app(t, src, calls, cpu, blocks)); len(got) > 0 {
		t.Errorf("in a benchmark: %s", describe(got[0]))
	}
}
