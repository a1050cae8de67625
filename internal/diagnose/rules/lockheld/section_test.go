package lockheld

import (
	"slices"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/typed"
)

type source string

func (s source) Text(string) []byte         { return []byte(s) }
func (s source) Display(file string) string { return file }

// In these sources a line that runs under the lock ends in "// held".
var sections = []struct{ name, body string }{
	{"between", `
	before()
	mu.Lock()
	a() // held
	b() // held
	mu.Unlock()
	after()`},
	{"deferred", `
	mu.Lock()
	defer mu.Unlock()
	a() // held
	return b() // held`},
	{"deferred in a literal", `
	mu.Lock()
	defer func() {
		last() // held
		mu.Unlock()
		after()
	}()
	a() // held`},
	{"a defer before the deferred Unlock runs after it", `
	defer after()
	mu.Lock()
	defer early()
	defer mu.Unlock()
	defer first() // held
	a() // held`},
	{"a branch that unlocks and returns", `
	mu.Lock()
	if a() { // held
		mu.Unlock()
		after()
		return
	}
	b() // held
	mu.Unlock()`},
	{"a branch that unlocks and goes on", `
	mu.Lock()
	if a() { // held
		mu.Unlock()
	} else {
		b() // held
		mu.Unlock()
	}
	after()`},
	{"nobody knows", `
	mu.Lock()
	if a() { // held
		mu.Unlock()
	}
	unsure()`},
	{"a loop", `
	for {
		mu.Lock()
		a() // held
		mu.Unlock()
		after()
	}`},
	{"a loop under the lock", `
	mu.Lock()
	for i := 0; i < n; i++ { // held
		a() // held
	}
	for k := range m { // held
		b(k) // held
	}
	mu.Unlock()`},
	{"a switch", `
	mu.Lock()
	switch x := a(); x { // held
	case 1: // held
		b() // held
	case 2: // held
		mu.Unlock()
		after()
		return
	default:
		c() // held
	}
	mu.Unlock()`},
	{"goroutines and literals for later", `
	mu.Lock()
	go func() {
		elsewhere()
	}()
	f := func() { // held
		later()
	} // held
	g.Go(func() { // held
		elsewhere()
	}) // held
	each(func() { // held
		a() // held
	}) // held
	mu.Unlock()`},
	{"another lock", `
	other.Lock()
	mu.Lock()
	a() // held
	mu.Unlock()
	other.Unlock()`},
	{"read and written", `
	mu.RLock()
	a() // held
	mu.RUnlock()
	after()`},
	{"over several lines", `
	mu.Lock()
	a( // held
		b(), // held
	) // held
	mu.Unlock()`},
	{"never unlocked here", `
	mu.Lock()
	a() // held`},
}

func TestSections(t *testing.T) {
	for _, test := range sections {
		text := "package x\n\nfunc f() {" + test.body + "\n}\n"
		s := &diagnose.Subject{Source: source(text)}
		fn := s.FunctionAt("x.go", 4)
		if fn == nil {
			t.Fatalf("%s: does not parse", test.name)
		}
		var want, got []int
		for i, line := range strings.Split(text, "\n") {
			if strings.HasSuffix(line, "// held") {
				want = append(want, i+1)
			}
		}
		for _, sec := range sectionsOf(fn, newHelpers(s)) {
			if sec.key != "mu" {
				continue
			}
			for l := range sec.held {
				got = append(got, l)
			}
		}
		slices.Sort(got)
		// Braces that only close something hold nothing.
		if !slices.Equal(got, want) {
			t.Errorf("%s: lines %v are held, want %v\n%s", test.name, got, want, text)
		}
	}
}

func TestWaitsForJobs(t *testing.T) {
	for body, want := range map[string]bool{
		"x = <-jobs":                                   true,
		"x, ok := <-jobs":                              true,
		"c, err := l.Accept()":                         true,
		"cond.Wait()":                                  true,
		"for lines.Scan() { x = lines.Text() }":        true,
		"select { case x = <-jobs: case y = <-more: }": true,
		"select { case jobs <- x: default: }":          false,
		"jobs <- x":                                    false,
		"go func() { <-jobs }()":                       false,
		"f := func() { <-jobs }":                       false,
		"x = append(x, 1)":                             false,
		"fmt.Fprintln(w, \"text\")":                    false,
	} {
		s := &diagnose.Subject{Source: source("package x\n\nfunc f() {\n\tmu.Lock()\n\t" + body + "\n\tmu.Unlock()\n}\n")}
		got := sectionsOf(s.FunctionAt("x.go", 4), newHelpers(s))
		if len(got) != 1 || got[0].waits != want {
			t.Errorf("%s: waits is not %v", body, want)
		}
	}
}

// With types known a method is what it is, whatever its name.
func TestTypedCalls(t *testing.T) {
	text := "package x\n\nfunc f() {\n\ts.Lock()\n\tdoor.Lock()\n\trows.Scan()\n\ts.Unlock()\n}\n"
	call := func(line int, callee string) typed.Call {
		return typed.Call{Line: line, EndLine: line, In: "m/x.f", Callee: callee}
	}
	s := &diagnose.Subject{Source: source(text), Calls: map[string][]typed.Call{"x.go": {
		call(4, "sync.(*RWMutex).Lock"), call(5, "m/house.(*Door).Lock"), call(6, "database/sql.(*Rows).Scan"), call(7, "sync.(*RWMutex).Unlock"),
	}}}
	got := sectionsOf(s.FunctionAt("x.go", 4), newHelpers(s))
	if len(got) != 1 || got[0].key != "s" || got[0].waits || !got[0].held[5] || !got[0].held[6] || got[0].held[7] {
		t.Errorf("%+v", got)
	}
}

// A pair of methods locks and unlocks for its callers, in either way; a method
// that does both, or neither, is no half of a pair.
func TestHelpers(t *testing.T) {
	text := "package x\n\nfunc f() {\n\ts.lock()\n\twork()\n\ts.unlock()\n}\n"
	in := func(fn string, line int, callee string) typed.Call {
		return typed.Call{Line: line, EndLine: line, In: fn, Callee: callee}
	}
	s := &diagnose.Subject{Source: source(text), Calls: map[string][]typed.Call{
		"x.go": {in("m/x.f", 4, "m/x.(*S).lock"), in("m/x.f", 5, "m/x.work"), in("m/x.f", 6, "m/x.(*S).unlock")},
		"y.go": {
			in("m/x.(*S).lock", 3, "sync.(*Mutex).Lock"), in("m/x.(*S).unlock", 5, "sync.(*Mutex).Unlock"),
			in("m/x.(*S).locked", 7, "sync.(*Mutex).Lock"), in("m/x.(*S).locked", 8, "sync.(*Mutex).Unlock"),
			in("m/x.(*S).count", 9, "sync.(*Mutex).Lock"),
		},
	}}
	h := newHelpers(s)
	if !h.acquire["m/x.(*S).lock"] || !h.release["m/x.(*S).unlock"] || h.acquire["m/x.(*S).locked"] || h.release["m/x.(*S).locked"] || h.acquire["m/x.(*S).count"] {
		t.Errorf("acquire %v, release %v", h.acquire, h.release)
	}
	got := sectionsOf(s.FunctionAt("x.go", 4), h)
	if len(got) != 1 || len(got[0].held) != 1 || !got[0].held[5] || len(got[0].unlocks) != 1 {
		t.Errorf("%+v", got)
	}
}
