package typed_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

// module is a module whose functions report what the runtime calls them.
var module = filepath.Join("..", "capture", "compiler", "testdata", "mod")

func text(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// files returns the files of the module in these directories, as frames call them.
func files(t *testing.T, dirs ...string) []typedtest.File {
	t.Helper()
	var out []typedtest.File
	for _, dir := range dirs {
		names, err := filepath.Glob(filepath.Join(module, dir, "*.go.txt"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no files (%v)", dir, err)
		}
		for _, name := range names {
			path := "calls.test/mod.x/" + dir
			if strings.HasPrefix(filepath.Base(name), "ext_") {
				path += "_test"
			}
			out = append(out, typedtest.File{Package: path, Frame: dir + "/" + strings.TrimSuffix(filepath.Base(name), ".txt"), Text: text(t, name)})
		}
	}
	return out
}

// call is what is asked about one.
type call struct {
	Line, EndLine int
	In, Callee    string
	Args          []string
	Basic, Plain  []bool
	Pointee       []int64
	InLoop        bool
	Fixed         []typed.FixedArgument
	Recv          *typed.ReceiverCall
}

// callsIn asks about all calls of a program, by file.
func callsIn(p *typed.Program) map[string][]call {
	found := make(map[string][]call)
	for pkg := range p.Packages {
		for _, f := range pkg.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				expr, ok := n.(*ast.CallExpr)
				if !ok || pkg.Types == nil {
					return true
				}
				s := typed.Site{CallExpr: expr, In: pkg}
				c := call{In: s.Function(), Callee: s.Callee(), InLoop: s.InLoop(), Fixed: s.Fixed(), Recv: s.Receiver()}
				file := ""
				file, c.Line = p.Line(expr.Pos())
				_, c.EndLine = p.Line(expr.Rparen)
				add := func(t types.Type, spread string, isType bool) {
					c.Args = append(c.Args, typed.TypeName(t)+spread)
					c.Basic = append(c.Basic, spread == "" && typed.IsBasic(t))
					c.Plain = append(c.Plain, !isType && typed.Plain(t))
					c.Pointee = append(c.Pointee, 0)
					if !isType {
						c.Pointee[len(c.Pointee)-1] = pkg.Pointee(t)
					}
				}
				for i, arg := range expr.Args {
					t := pkg.Info.TypeOf(arg)
					if tuple, ok := t.(*types.Tuple); ok { // f(g())
						for v := range tuple.Variables() {
							add(v.Type(), "", false)
						}
						continue
					}
					spread := ""
					if expr.Ellipsis.IsValid() && i == len(expr.Args)-1 {
						spread = "..."
					}
					add(t, spread, pkg.Info.Types[arg].IsType())
				}
				if !slices.ContainsFunc(c.Pointee, func(n int64) bool { return n != 0 }) {
					c.Pointee = nil
				}
				if !slices.Contains(c.Plain, true) {
					c.Plain = nil
				}
				found[file] = append(found[file], c)
				return true
			})
		}
	}
	return found
}

func names(t *testing.T) []call {
	t.Helper()
	return callsIn(typedtest.Program(t, files(t, "names.v2", "rec")...))["names.v2/names.go"]
}

// lineOf returns the line of a file of the module that holds a text.
func lineOf(t *testing.T, file, part string) int {
	t.Helper()
	before, _, ok := strings.Cut(text(t, filepath.Join(module, file+".txt")), part)
	if !ok {
		t.Fatalf("no %q in %s", part, file)
	}
	return 1 + strings.Count(before, "\n")
}

// The runtime says what each function is called; so do the calls, for the
// function a call stands in and for the one it calls.
func TestNamesAreTheRuntimes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	for _, tt := range []struct {
		dir   string
		least int
	}{{"names.v2", 13}, {"cmd/prog", 1}} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text(t, filepath.Join(module, "go.mod.txt"))), 0o644); err != nil {
			t.Fatal(err)
		}
		of := files(t, tt.dir, "rec")
		for _, f := range of {
			name := filepath.Join(dir, filepath.FromSlash(f.Frame))
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(f.Text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), "go", "test", "-v", "-vet=off", "./"+tt.dir)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, said, _ := strings.Cut(string(out), "BEGIN\n")
		said, _, _ = strings.Cut(said, "\nEND")
		runtime := map[string]string{} // "file line" → function
		for line := range strings.SplitSeq(said, "\n") {
			var file, function string
			var number int
			if _, err := fmt.Sscan(line, &file, &number, &function); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			runtime[fmt.Sprint(file, " ", number)] = function
		}
		if len(runtime) < tt.least {
			t.Fatalf("the program reported only %v", runtime)
		}
		program := typedtest.Program(t, of...)
		callees := map[string]bool{}
		checked := 0
		for file, calls := range callsIn(program) {
			for _, c := range calls {
				callees[c.Callee] = true
				if c.Callee != "calls.test/mod.x/rec.Here" {
					continue
				}
				want, ok := runtime[fmt.Sprint(filepath.Base(file), " ", c.Line)]
				if !ok {
					t.Errorf("%s:%d was not reached", file, c.Line)
				}
				if fn := program.FuncOf(want + ".func1.2"); !strings.HasSuffix(want, ".init") && (fn == nil || fn.Package.Symbol(fn.Decl) != want || fn.File != file) {
					t.Errorf("%s is a literal of %+v", want, fn)
				}
				if c.In != want {
					t.Errorf("%s:%d: in %s, the runtime says %s", file, c.Line, c.In, want)
				}
				checked++
			}
		}
		if checked != len(runtime) {
			t.Errorf("%d places checked of %d", checked, len(runtime))
		}
		for _, function := range runtime {
			base := function[strings.LastIndexByte(function, '.')+1:]
			if strings.Contains(function, ".init") || strings.HasPrefix(base, "Test") {
				continue // nobody calls those
			}
			if !callees[function] {
				t.Errorf("no call of %s among %v", function, callees)
			}
		}
	}
}

func TestCallees(t *testing.T) {
	const p = "calls.test/mod.x/names%2ev2"
	calls := names(t)
	first := lineOf(t, "names.v2/names.go", "\tt.Ptr()")
	var got []string
	for _, c := range calls {
		if c.In == p+".All" {
			got = append(got, fmt.Sprintf("%d %s", c.Line-first, c.Callee))
		}
	}
	want := []string{
		"0 " + p + ".(*T).Ptr", "1 " + p + ".T.Val", "2 " + p + ".T.unexported", "3 " + p + ".T.Val", "4 " + p + ".T.Val",
		"5 " + p + ".Plain", "7 " + p + ".(*G[...]).Put", "8 " + p + ".G[...].Get", "9 " + p + ".Gen[...]", "10 " + p + ".Gen[...]",
		"11 io.Writer.Write", "12 io.Writer.Write", "13 " + p + ".local.Do", "14 error.Error", "15 ",
		"16 string([]byte)", "17 []byte(string)", "18 []byte(string)", "19 []rune(string)",
		"20 calls.test/mod.x/names.v2.Bytes(string)", "21 string(calls.test/mod.x/names.v2.Name)", "21 calls.test/mod.x/names.v2.Name(string)",
		"22 append", "23 len", "24 ", "24 strconv.Itoa", "25 " + p + ".T.Val", "26 " + p + ".(*T).Ptr", "27 interface{M()}(untyped nil)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestArguments(t *testing.T) {
	calls := names(t)
	find := func(text string) call {
		t.Helper()
		line := lineOf(t, "names.v2/names.go", text)
		for _, c := range calls {
			if c.Line == line && c.Callee != "" && !strings.HasSuffix(c.Callee, "two") {
				return c
			}
		}
		t.Fatalf("no call at %q", text)
		return call{}
	}
	const p = "calls.test/mod.x/names.v2."
	for _, tt := range []struct {
		text  string
		args  string
		basic string
	}{
		{"fmt.Sprintf(format", "string string int", "yyy"},
		{"fmt.Fprintf(w", "io.Writer string " + p + "Level", "nyy"},
		{"fmt.Sprintf(s", "string " + p + "Name *int error untyped~nil float64 rune bool", "ynnnnyyy"},
		{"fmt.Sprint(", "string string", "yy"},
		{"fmt.Errorf(", "string []any...", "yn"},
		{"log.Printf(", "string int", "yy"},
		{"custom(\"a\"", "string string int", "yyy"},
		{"show(two", "int string", "yy"},
	} {
		c := find(tt.text)
		basic := ""
		for _, b := range c.Basic {
			basic += map[bool]string{true: "y", false: "n"}[b]
		}
		args := strings.ReplaceAll(strings.Join(c.Args, "\n"), " ", "~")
		if strings.ReplaceAll(args, "\n", " ") != tt.args || basic != tt.basic {
			t.Errorf("%s: args %q, basic %s", tt.text, c.Args, basic)
		}
	}
	c := find("fmt.Println(")
	if c.EndLine-c.Line != 4 {
		t.Errorf("lines %d to %d, want five", c.Line, c.EndLine)
	}
}

// Sizes are the sizes of a machine with words of eight bytes: a string takes two, a
// slice three. Point is 2*4 + 2*8 = 24 bytes, Request 16 + 24 + 64 + 24 = 128.
func TestLayout(t *testing.T) {
	calls := names(t)
	for _, tt := range []struct {
		text    string
		pointee []int64
		plain   []bool
	}{
		{"handed(&r)", []int64{128}, nil},
		{"handed(any(&r.Point))", nil, nil},
		{"handed(&r.Tags", []int64{24, 64, 4, 0}, []bool{false, false, false, true}},
		{"handed(p, r", nil, []bool{true, false, true, false, true, true}},
		{"handed(unsafe", nil, []bool{false, false, true, true, false}},
		{"handed(r.Tags, args)", nil, nil},
		{"_ = make([]int", nil, []bool{false, true}},
		{"_ = new(Point)", nil, nil},
		{"Sized(r", []int64{0, 24}, nil},
		{"handed(&p, n)", []int64{0, 24}, nil},
		{"handed(&struct", []int64{0, 24, 8}, nil},
	} {
		line := lineOf(t, "names.v2/names.go", tt.text)
		i := slices.IndexFunc(calls, func(c call) bool { return c.Line == line })
		if i < 0 {
			t.Errorf("no call at %q", tt.text)
			continue
		}
		if c := calls[i]; !slices.Equal(c.Pointee, tt.pointee) || !slices.Equal(c.Plain, tt.plain) || (c.Plain == nil) != (tt.plain == nil) {
			t.Errorf("%s: %s pointee %v, want %v; plain %v, want %v", tt.text, c.Callee, c.Pointee, tt.pointee, c.Plain, tt.plain)
		}
	}
}

func TestLoops(t *testing.T) {
	const p = "calls.test/mod.x/names%2ev2"
	calls := names(t)
	in := map[string]bool{}
	for _, c := range calls {
		if c.In != p+".Loops" {
			continue
		}
		name := strings.TrimPrefix(c.Callee, p+".")
		if name == "strconv.Itoa" {
			line := strings.Split(text(t, filepath.Join(module, "names.v2/names.go.txt")), "\n")[c.Line-1]
			_, name, _ = strings.Cut(line, "strconv.Itoa(")
			name = name[:1]
		}
		in[name] = c.InLoop
	}
	delete(in, "")
	want := map[string]bool{"1": false, "first": false, "cond": true, "next": true, "2": true, "3": true, "ranged": false, "4": true, "5": true, "6": true, "7": true, "8": false}
	if !reflect.DeepEqual(in, want) {
		t.Errorf("in a loop %v, want %v", in, want)
	}
}

// A line directive moves calls to the file and line that profiles name.
func TestLineDirective(t *testing.T) {
	got := callsIn(typedtest.Program(t, files(t, "names.v2", "rec")...))["names.v2/grammar.y"]
	if len(got) != 1 || got[0].Line != 100 || got[0].Callee != "strconv.Itoa" {
		t.Errorf("%+v", got)
	}
}
