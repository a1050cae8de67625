package rules_test

import (
	"slices"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/explain"
	"whet/internal/finding"
)

const silentSource = `package app

import ("maps"; "math"; "os"; "slices"; "strings"; "sync"; "time")

type item struct { name string; n int } // 5

func normal(s string) string { return strings.TrimSpace(strings.ToLower(s)) } // 7

func find(list []item, name string) int {
	i, _ := slices.BinarySearchFunc(list, name, func(e item, name string) int {
		return strings.Compare(normal(e.name), name) // 11
	})
	return i
}

func longest(list []item) item {
	return slices.MaxFunc(list, func(a, b item) int {
		return strings.Compare(normal(a.name), b.name) // 18
	})
}

type policy struct{}

func (policy) Less(a, b string) bool { return normal(a) < b } // 24

func sorted(list []item) {
	slices.SortFunc(list, func(a, b item) int { return strings.Compare(normal(a.name), b.name) }) // 27
}

func far(list []item, x int) (sum float64) {
	for _, e := range list {
		dx := e.n - x
		sum += math.Sqrt(float64(dx*dx)) // 33
	}
	return sum
}

func heights(of map[int]bool, list []int) (sum float64) {
	for n := range of {
		sum += math.Log(float64(n)) // 40
	}
	for _, n := range list {
		sum += math.Log(float64(n)) // 43
	}
	return sum
}

type server struct { path string }

func clean(path string) string { return strings.ReplaceAll(path, "//", "/") } // 50

func (s *server) reset(path string) { s.path = path } // 52

func (s *server) serve() string {
	return clean(s.path) // 55
}

func (s *server) change(path string, same bool, use func(string, string)) {
	before := clean(path) // 59
	path = strings.ToUpper(path)
	if same {
		return // 62
	}
	use(before, path)
}

func wait(c chan int, d time.Duration) int {
	timer := time.NewTimer(d) // 68
	select {
	case n := <-c:
		return n
	case <-timer.C:
		return 0 // its line has no samples, as it does nothing
	}
}

func length(e item) int {
	return len(normal(e.name)) // 78
}

func chosen(path string, same bool, use func(string)) {
	name := clean(path) // 82
	if same {
		return
	}
	use(name)
}

var (
	mu sync.Mutex
	table = map[string]int{}
)

func keys(m map[string]int) []string {
	list := slices.Collect(maps.Keys(m)) // 95
	slices.Sort(list)
	return list
}

func ordered(m map[string]int) (n int) {
	for _, k := range keys(m) { // 101
		n += m[k]
	}
	return n
}

func snapshot() []string {
	mu.Lock()
	defer mu.Unlock()
	return slices.Collect(maps.Keys(table)) // 110
}

func each(use func(string)) {
	for _, k := range snapshot() { // 114
		use(k)
	}
}

func words(line string) []string { return strings.Fields(line) } // 119

func all(line string) (n int) {
	for _, w := range words(line) { // 122
		n += len(w)
	}
	return n
}

func command(line string) string {
	list := words(line) // 129
	if len(list) != 2 {
		return ""
	}
	return list[0]
}

func name(line string) string {
	for _, w := range words(line) { // 137
		if w == "-" {
			continue
		}
		return w
	}
	return ""
}

func load(name string) []byte {
	data, _ := os.ReadFile(name) // 147
	return data
}
`

// TestPrinciplesSilent: ordinary code that looks like waste and is none.
func TestPrinciplesSilent(t *testing.T) {
	for _, test := range []struct {
		name, rule, at string
		speaks         bool // what the others are like, and is waste
	}{
		{"a comparison of a search", "computed-again", "m/app.find.func1:11 m/app.normal:7 strings.ToLower", false},
		{"a comparison for the largest", "computed-again", "m/app.longest.func1:18 m/app.normal:7 strings.ToLower", false},
		{"a method Less of no list", "computed-again", "m/app.policy.Less:24 m/app.normal:7 strings.ToLower", false},
		{"a comparison of a sort", "computed-again", "m/app.sorted.func1:27 m/app.normal:7 strings.ToLower", true},
		{"the root of integers from data", "computed-again", "m/app.far:33 math.Sqrt", false},
		{"the logarithm of a map's keys", "computed-again", "m/app.heights:40 math.Log", false},
		{"the logarithm of a list's elements", "computed-again", "m/app.heights:43 math.Log", false},
		{"of a field that a method sets", "computed-again", "m/app.(*server).serve:55 m/app.clean:50 strings.ReplaceAll", false},
		{"of a field of what is handed in by value", "computed-again", "m/app.length:78 m/app.normal:7 strings.ToLower", false},
		{"of what changes before the check", "used-in-part", "m/app.(*server).change:59 m/app.clean:50 strings.ReplaceAll", false},
		{"of what does not change", "used-in-part", "m/app.chosen:82 m/app.clean:50 strings.ReplaceAll", true},
		{"a time-out that does nothing", "used-in-part", "m/app.wait:68 time.NewTimer time.newTimer", false},
		{"keys in order", "built-to-be-read", "m/app.ordered:101 m/app.keys:95 slices.Collect", false},
		{"a copy under a lock", "built-to-be-read", "m/app.each:114 m/app.snapshot:110 slices.Collect", false},
		{"a list that is gone over", "built-to-be-read", "m/app.all:122 m/app.words:119 strings.Fields", true},
		{"the first of two", "used-in-part", "m/app.command:129 m/app.words:119 strings.Fields", false},
		{"the first that fits", "used-in-part", "m/app.name:137 m/app.words:119 strings.Fields", false},
		{"a file read at once", "one-at-a-time", "m/app.load:147 os.ReadFile os.(*File).Read internal/poll.(*FD).Read syscall.Read syscall.read syscall.Syscall", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := app(t, silentSource, known, []stack{{frames: test.at, n: 400}, {frames: "other.work", n: 600}},
				[]stack{{frames: test.at, n: 1000, size: 64}, {frames: "m/app.other:300", n: 1, size: 16}})
			reg, err := diagnose.NewRegistry(explain.Rules()...)
			if err != nil {
				t.Fatal(err)
			}
			spoke := false
			for _, f := range run(t, reg, []*diagnose.Subject{s}).Findings {
				spoke = spoke || f.Rule == test.rule
			}
			if spoke != test.speaks {
				t.Errorf("it speaks: %v, want %v", spoke, test.speaks)
			}
		})
	}
}

// TestPrinciplesBeside: at a place with a finding a principle says what the finding does
// not, and the place has the finding that is worth more.
func TestPrinciplesBeside(t *testing.T) {
	const joins = "m/app.equal:140 m/app.words2:144 strings.Join"
	cpu := []stack{{frames: joins, n: 300}, {frames: "m/app.shown:148 m/app.words2:144 strings.Join", n: 100}, {frames: "other.work", n: 600}}
	allocs := []stack{{frames: joins, n: 1000, size: 64}, {frames: "m/app.other:300", n: 1, size: 16}}
	for _, test := range []struct {
		name, rule, function string
		line                 int   // of the other finding
		samples              []int // of it
		speaks               bool
		has                  string // the place
	}{
		{"another function's", "first", "m/app.words2", 144, []int{0, 1}, true, "first"},
		{"another function's of less", "first", "m/app.words2", 144, []int{1}, true, "built-to-be-read"},
		{"the same function's", "first", "m/app.equal", 140, []int{0, 1}, false, "first"},
		{"in other words", "compared-text", "m/app.words2", 144, []int{0, 1}, false, "compared-text"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := app(t, principlesSource, known, cpu, allocs)
			other := diagnose.Rule{ID: test.rule, Title: "t", MinSamples: 1, Evidence: []diagnose.EvidenceKind{diagnose.EvidenceCPU},
				Doc: diagnose.Doc{What: "w", Why: "w", Silent: "s", Fix: "f", Before: "b", After: "a"}}
			other.Find = func(s *diagnose.Subject) []diagnose.Claim {
				var set diagnose.Set
				for _, i := range test.samples {
					set.Add(i)
				}
				return []diagnose.Claim{{Place: diagnose.Location{Function: test.function, File: "app.go", Line: test.line}, Cost: diagnose.Samples{CPU: set.Keep()}, Remedy: "r"}}
			}
			reg, err := diagnose.NewRegistry(append([]diagnose.Rule{other}, explain.Rules()...)...)
			if err != nil {
				t.Fatal(err)
			}
			res := run(t, reg, []*diagnose.Subject{s})
			spoke := slices.ContainsFunc(res.Findings, func(f finding.Finding) bool { return f.Rule == "built-to-be-read" && f.Line == 140 })
			if spoke != test.speaks {
				t.Errorf("it speaks: %v, want %v", spoke, test.speaks)
			}
			if p := res.HotPlaces[0]; p.Finding == nil || *p.Finding != test.has {
				t.Errorf("the place %s:%d has another finding than %s", p.File, p.Line, test.has)
			}
		})
	}
}
