package diagnose

import (
	"strings"
	"testing"

	"whet/internal/callstack"
	"whet/internal/typed/typedtest"
)

// text is the source of one file.
type text string

func (s text) Text(file string) []byte {
	if file != "x.go" {
		return nil
	}
	return []byte(s)
}
func (s text) Display(file string) string { return "shown/" + file }

const statements = `package x

func f(a []string) error { // 3
	log.WithFields(fields{ // 4
		"a": 1,
		"b": g(func() {
			inner() // 7
		}),
	}).
		Info("text") // 10
	for i := 0; i < n; i++ { // 11
		s += a[i] + // 12
			"x"
		if s == "" ||
			done { // 15
			return nil
		}
	}
	switch x := h(); x { // 19
	case 1,
		2: // 21
		work()
	}
	defer log.Print( // 24
		"end")
	x, y := 1, 2
	go func() {
		spin() // 28
	}()
	return nil // 30
} // 31

var handler = func() {
	serve() // 34
}
`

func TestStatement(t *testing.T) {
	s := &Subject{Source: text(statements)}
	for line, want := range map[int][2]int{
		4: {4, 10}, 5: {4, 10}, 6: {4, 10}, 7: {7, 7}, 8: {4, 10}, 10: {4, 10},
		11: {11, 11}, 12: {12, 13}, 13: {12, 13}, 14: {14, 15}, 15: {14, 15}, 16: {16, 16},
		19: {19, 19}, 20: {20, 21}, 21: {20, 21}, 22: {22, 22},
		24: {24, 25}, 25: {24, 25}, 27: {27, 29}, 28: {28, 28}, 30: {30, 30}, 34: {34, 34},
	} {
		st := s.Statement("x.go", line)
		if !st.Known || st.First != want[0] || st.Last != want[1] {
			t.Errorf("line %d: %v %d to %d, want %v", line, st.Known, st.First, st.Last, want)
		}
		if loop := st.Loop != nil; loop != (12 <= line && line <= 16) {
			t.Errorf("line %d: in a loop is %v", line, loop)
		}
	}
	for _, line := range []int{-1, 0, 1, 31, 99, 1 << 30} {
		if st := s.Statement("x.go", line); st.Known || st.First != line || st.Last != line {
			t.Errorf("line %d: %+v", line, st)
		}
	}
	if st := s.Statement("other.go", 7); st.Known || st.First != 7 || st.File != "other.go" {
		t.Errorf("no source: %+v", st)
	}
	if st := (&Subject{}).Statement("x.go", 7); st.Known || st.First != 7 {
		t.Errorf("no sources at all: %+v", st)
	}
	if st := (&Subject{Source: text("package x\nfunc {")}).Statement("x.go", 2); st.Known {
		t.Errorf("source that does not parse: %+v", st)
	}
}

// A deferred call is seen at the line where its function returns.
func TestStatementOfDeferred(t *testing.T) {
	s := &Subject{Source: text(statements)}
	for _, test := range []struct {
		line   int
		callee string
		want   int
	}{
		{31, "log.Print", 24}, {30, "log.Print", 24}, {31, "log.Fatal", 31}, {10, "log.Info", 4}, {34, "log.Print", 34},
	} {
		st := s.StatementOf(&callstack.Frame{File: "x.go", Line: test.line}, test.callee)
		if st.First != test.want {
			t.Errorf("%s at line %d: statement at %d, want %d", test.callee, test.line, st.First, test.want)
		}
	}
	twice := strings.Replace(statements, "x, y := 1, 2", "defer log.Print()", 1)
	s = &Subject{Source: text(twice)}
	if st := s.StatementOf(&callstack.Frame{File: "x.go", Line: 31}, "log.Print"); st.First != 31 {
		t.Errorf("two such defers: %d", st.First)
	}
}

func TestTakesAny(t *testing.T) {
	src := `package x
type Logger interface { Infof(format string, args ...any); Name() string }
type T[K any] struct{}
func (t *T[K]) Printf(format string, args ...interface{}) {}
func (T[K]) Strings(s ...string) {}
func F(args ...any) {}
func G(arg any) {}
`
	s := &Subject{Source: text(src), Program: typedtest.Program(t, typedtest.File{Package: "m/x", Frame: "x.go", Text: src})}
	for fn, want := range map[string]bool{
		"m/x.Logger.Infof": true, "m/x.Logger.Name": false, "m/x.(*T).Printf": true, "m/x.T.Strings": false, "m/x.F": true, "m/x.G": false, "m/x.H": false, "m/x.None.F": false, "m/y.F": false, "": false,
		"m/x.(*T[...]).Printf": true,
	} {
		if got := s.TakesAny(fn); got != want {
			t.Errorf("%s: %v", fn, got)
		}
	}
}

// FuzzStatement: a statement that is known holds its line, and asking for its
// own first line gives no larger one.
func FuzzStatement(f *testing.F) {
	f.Add(statements)
	f.Fuzz(func(t *testing.T, src string) {
		if strings.Contains(src, "line") {
			return // line comments number as they like
		}
		s := &Subject{Source: text(src)}
		for l := 0; l <= strings.Count(src, "\n")+2; l++ {
			st := s.Statement("x.go", l)
			if st.First > l || st.Last < l {
				t.Fatalf("line %d: %d to %d", l, st.First, st.Last)
			}
			if st.Known && (st.Node == nil || st.Func == nil) {
				t.Fatalf("line %d: known without a node", l)
			}
		}
	})
}
