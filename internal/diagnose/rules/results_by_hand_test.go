package rules_test

import "testing"

const resultsSource = `package app; import ("fmt"; "os"; "strings")

func columns(s string) int { return len(strings.Split(s, ",")) } // 3

func both(s string) int { return len(strings.Fields(s)) + use(strings.Fields(s)) } // 5

func use(words []string) int { return len(words) } // 7

func size(name string) int { // 9
	b, _ := os.ReadFile(name) // 10
	return len(b)
}

func width(n int) int { return len(fmt.Sprintf("%d", n)) } // 14

func host(addr string) string { return strings.Split(addr, ":")[0] } // 16

func key(line string) string { // 18
	parts := strings.Split(line, "=") // 19
	parts[1] = ""
	return parts[0]
}

func same(a, b string) bool { return strings.ToLower(a) == strings.ToLower(b) } // 24
`

func TestResultsByHand(t *testing.T) {
	const split = "m/app.columns:3 strings.Split strings.genSplit"
	for _, test := range []struct {
		rule        string
		name        string
		untyped     bool
		cpu, allocs []stack
		want        int
		share       float64
		avoid       float64
		bytes       float64 // avoidable
	}{
		{"counted-result", "looking for the separator stays", false, []stack{{frames: split + " runtime.makeslice", n: 300}, {frames: split + " strings.Index", n: 200}, {frames: "m/app.work:99", n: 500}},
			[]stack{{split, 10, 30}, {"m/app.work:99", 10, 70}}, 3, 0.5, 0.3, 0.3},
		{"counted-result", "of a file nothing stays", false, []stack{{frames: "m/app.size:10 os.ReadFile syscall.Read", n: 400}, {frames: "m/app.work:99", n: 600}}, nil, 10, 0.4, 0.4, 0},
		{"counted-result", "formatting stays", false, []stack{{frames: "m/app.width:14 fmt.Sprintf runtime.slicebytetostring", n: 100}, {frames: "m/app.width:14 fmt.Sprintf fmt.(*pp).doPrintf runtime.growslice", n: 300}, {frames: "m/app.work:99", n: 600}}, nil, 14, 0.4, 0.1, 0},
		{"counted-result", "a second call on the line is handed on", false, []stack{{frames: "m/app.both:5 strings.Fields runtime.makeslice", n: 900}, {frames: "m/app.work:99", n: 100}}, nil, 0, 0, 0, 0},
		{"counted-result", "nothing but looking", false, []stack{{frames: split + " strings.Index", n: 900}, {frames: "m/app.work:99", n: 100}}, nil, 0, 0, 0, 0},
		{"first-pieces", "a first piece", false, []stack{{frames: "m/app.host:16 strings.Split strings.genSplit runtime.makeslice", n: 300}, {frames: "m/app.host:16 strings.Split strings.genSplit strings.Index", n: 200}, {frames: "m/app.work:99", n: 500}}, nil, 16, 0.5, 0.3, 0},
		{"first-pieces", "a piece that is set", false, []stack{{frames: "m/app.key:19 strings.Split strings.genSplit runtime.makeslice", n: 500}, {frames: "m/app.work:99", n: 500}}, nil, 0, 0, 0, 0},
		{"first-pieces", "their number alone", false, []stack{{frames: split + " runtime.makeslice", n: 500}, {frames: "m/app.work:99", n: 500}}, nil, 0, 0, 0, 0},
		{"compared-text", "of the text nothing stays", false, []stack{{frames: "m/app.same:24 strings.ToLower unicode.ToLower", n: 400}, {frames: "m/app.work:99", n: 600}}, nil, 24, 0.4, 0.4, 0},
		{"counted-result", "no types", true, []stack{{frames: split + " runtime.makeslice", n: 900}, {frames: "m/app.work:99", n: 100}}, nil, 0, 0, 0, 0},
	} {
		calls := known
		if test.untyped {
			calls = nil
		}
		got := said(t, test.rule, app(t, resultsSource, calls, test.cpu, test.allocs))
		switch {
		case test.want == 0 && len(got) > 0:
			t.Errorf("%s: line %d: %s", test.name, got[0].Line, got[0].Why)
		case test.want != 0 && (len(got) != 1 || got[0].Line != test.want || !near(got[0].CPURatio, test.share) || !near(got[0].AvoidableCPURatio, test.avoid) || !near(got[0].AvoidableAllocBytesRatio, test.bytes)):
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}
