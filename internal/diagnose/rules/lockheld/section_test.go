package lockheld

import (
	"slices"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/typed/typedtest"
)

// subjectOf returns a subject with the source of x.go in m/x, which may use what is
// declared here.
func subjectOf(t *testing.T, text string) *diagnose.Subject {
	t.Helper()
	return &diagnose.Subject{Program: typedtest.Program(t, typedtest.File{Package: "m/x", Frame: "x.go", Text: imports + text + `
var (
	mu, other sync.RWMutex
	g         interface{ Go(func()) }
	jobs      chan int
	more      chan int
	x         any
	l         net.Listener
	cond      *sync.Cond
	lines     *bufio.Scanner
	w         io.Writer
	rows      *sql.Rows
	stranger  *S
)

type S struct {
	mu  sync.Mutex
	n   int
	log *log.Logger
	w   io.Writer
}
`})}
}

const imports = `package x; import ("bufio"; "database/sql"; "fmt"; "io"; "log"; "net"; "sync")
`

func sectionsIn(s *diagnose.Subject) []*section {
	return sectionsOf(s.FunctionAt("x.go", 4), s.PackageOf("x.go"))
}

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
	{"a loop without a head", `
	mu.Lock()
	for { // held
		a() // held
		if b() { // held
			break
		}
	}
	c() // held
	mu.Unlock()`},
	{"a loop that is left without the lock", `
	mu.Lock()
	for { // held
		mu.Unlock()
		if b() {
			continue
		}
		break
	}
	after()`},
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
		text := "\nfunc f() {" + test.body + "\n}\n"
		s := subjectOf(t, text)
		if s.FunctionAt("x.go", 4) == nil {
			t.Fatalf("%s: does not parse", test.name)
		}
		var want, got []int
		for i, line := range strings.Split(imports+text, "\n") {
			if strings.HasSuffix(line, "// held") {
				want = append(want, i+1)
			}
		}
		for _, sec := range sectionsIn(s) {
			if sec.which.text != "mu" {
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
		"x = <-jobs":                            true,
		"x, ok := <-jobs":                       true,
		"for range jobs {}":                     true,
		"for range 3 {}":                        false,
		"c, err := l.Accept()":                  true,
		"cond.Wait()":                           true,
		"for lines.Scan() { x = lines.Text() }": true,
		"select { case x = <-jobs: case y = <-more: }": true,
		"select { case jobs <- x: default: }":          false,
		"jobs <- x":                                    false,
		"go func() { <-jobs }()":                       false,
		"f := func() { <-jobs }":                       false,
		"x = append(x, 1)":                             false,
		"fmt.Fprintln(w, \"text\")":                    false,
	} {
		got := sectionsIn(subjectOf(t, "\nfunc f() {\n\tmu.Lock()\n\t"+body+"\n\tmu.Unlock()\n}\n"))
		if len(got) != 1 || got[0].waits != want {
			t.Errorf("%s: waits is not %v", body, want)
		}
	}
}

// A method is what it is, whatever its name, and a variable of the same name is
// another one.
func TestTypedCalls(t *testing.T) {
	got := sectionsIn(subjectOf(t, `
func f(s *sync.RWMutex, door Door) {
	s.Lock()
	door.Lock()
	rows.Scan()
	if s := new(sync.RWMutex); true {
		s.Unlock()
	}
	s.Unlock()
}

type Door struct{}

func (Door) Lock() {}
`))
	if len(got) != 1 || got[0].which.text != "s" || got[0].waits || !got[0].held[5] || !got[0].held[6] || !got[0].held[8] || got[0].held[10] {
		t.Errorf("%+v", got)
	}
}

// A pair of methods locks and unlocks for its callers, in either way; a method
// that does both, or neither, is no half of a pair.
func TestHelpers(t *testing.T) {
	s := subjectOf(t, `
func f(s *S) {
	s.lock()
	work()
	s.unlock()
}

func (s *S) lock()   { s.mu.Lock() }
func (s *S) unlock() { s.mu.Unlock() }
func (s *S) locked() { s.mu.Lock(); s.mu.Unlock() }
func (s *S) count()  { s.mu.Lock() }
`)
	for name, want := range map[string][2]bool{"lock": {true, false}, "unlock": {false, true}, "locked": {}, "count": {}, "missing": {}} {
		if locks, unlocks := half(s.Program.FuncOf("m/x.(*S)." + name)); locks != want[0] || unlocks != want[1] {
			t.Errorf("%s: locks %v, unlocks %v", name, locks, unlocks)
		}
	}
	got := sectionsIn(s)
	if len(got) != 1 || len(got[0].held) != 1 || !got[0].held[5] || len(got[0].unlocks) != 1 {
		t.Errorf("%+v", got)
	}
}
