package benchmarks

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/compare"
	"whet/internal/analyze/reach"
	"whet/internal/gobench"
	"whet/internal/prove/sides"
)

// planted returns a copy of testdata/planted, after edits: pairs of old and new text
// in a file.
func planted(t *testing.T, edits ...[3]string) string {
	t.Helper()
	return edited(t, "planted", edits)
}

// edited returns a copy of a directory in testdata, after edits. Where there is no
// old text the file is new.
func edited(t *testing.T, name string, edits [][3]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		name := filepath.Join(dir, filepath.FromSlash(e[0]))
		data, err := os.ReadFile(name)
		if err != nil && e[1] != "" {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), e[1]) {
			t.Fatalf("%s has no %q", e[0], e[1])
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(data), e[1], e[2], 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// objectsOf returns the objects of the benchmarks in a directory, as they are built
// with the options: what the go command lists, but for the test program's, whose source
// is made under another name.
func objectsOf(t *testing.T, dir string, o gobench.BuildOptions) gobench.Objects {
	t.Helper()
	const format = `{{.ImportPath}}{{"\t"}}{{.Export}}{{if eq .Name "main"}}{{range .Deps}}{{"\t"}}{{.}}{{end}}{{end}}`
	cmd := exec.Command("go", slices.Concat([]string{"list", "-test", "-deps", "-export", "-trimpath", "-f", format}, o.Flags, []string{"."})...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	files, objects := make(map[string]string), gobench.Objects{}
	var deps []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if files[fields[0]] = fields[1]; len(fields) > 2 && strings.HasSuffix(fields[0], ".test") {
			objects["main"], deps = fields[1], fields[2:]
		}
	}
	for _, dep := range deps {
		if path, _, _ := strings.Cut(dep, " "); path != "unsafe" { // "path [of.test]" is compiled anew for that test
			objects[path] = files[dep]
		}
	}
	return objects
}

// decide decides about two builds; verdicts are nil where they are not
// understood.
func decide(t *testing.T, old, new gobench.Objects, beside reach.OtherDifferences) map[string]reach.Verdict {
	t.Helper()
	r := objectReader{table: reach.NewTable(), packages: map[objectFile]*reach.Package{}}
	verdicts, err := r.compare(old, new, beside)
	if err != nil {
		t.Log(err)
	}
	return verdicts
}

func noFiles() []string { return nil }

// Every way in which a change is reached, and those in which none is. All that
// is not named is the same.
func TestPlanted(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the planted assembly is for amd64 and arm64")
	}
	base := objectsOf(t, planted(t), gobench.BuildOptions{})
	for name, c := range map[string]struct {
		edits   [][3]string
		options gobench.BuildOptions
		beside  reach.OtherDifferences
		differ  string // benchmarks, separated by blanks
	}{
		"nothing":              {},
		"a reached function":   {edits: [][3]string{{"planted.go", "x + 11", "x + 10"}}, differ: "Plain"},
		"an unreached one":     {edits: [][3]string{{"planted.go", "x + 12", "x*12 + 1"}}},
		"one more function":    {edits: [][3]string{{"planted.go", "//go:noinline\nfunc plain", "type other struct {\n\ta int\n\tb [9]*int\n\tc string\n}\n\nfunc more(x []other) any { return append(x, other{a: len(words)}) }\n\n//go:noinline\nfunc plain"}}},
		"one more closure":     {edits: [][3]string{{"planted.go", "func unreached(x int) int { return x + 12 }", "func unreached(x int) int { return apply(func(y int) int { return y }, x) }"}}},
		"one more import":      {edits: [][3]string{{"planted_test.go", "import (\n", "import (\n\t\"io\"\n"}, {"planted_test.go", "sink = unreached(1)", "sink = unreached(1); _, _ = io.WriteString(nil, words)"}}, differ: "Placed"},
		"an unreached test":    {edits: [][3]string{{"planted_test.go", "unreached(1)", "unreached(2)"}}},
		"one more test":        {edits: [][3]string{{"planted_test.go", "func TestNothing", "func TestMore(t *testing.T) { t.Log(words) }\n\nfunc TestNothing"}}},
		"a comment":            {edits: [][3]string{{"planted.go", "//go:noinline\nfunc plain", "// plain is plain.\n//\n//go:noinline\nfunc plain"}}},
		"a method not called":  {edits: [][3]string{{"far/far.go", "x - o.by", "o.by - x"}}},
		"a variable's value":   {edits: [][3]string{{"planted.go", "start = 3", "start = 4"}}, differ: "Variable"},
		"an init function":     {edits: [][3]string{{"planted.go", "initialised = 1", "initialised = 2"}}, differ: all},
		"an embedded file":     {edits: [][3]string{{"words.txt", "some", "more"}}, differ: "Embedded"},
		"assembly":             {edits: [][3]string{{"planted_" + runtime.GOARCH + ".s", "$5", "$6"}}, differ: "Assembled"},
		"an interface":         {edits: [][3]string{{"far/far.go", "x + o.by", "o.by - x"}}, differ: "Interface"},
		"one more method":      {edits: [][3]string{{"far/far.go", "// Named has", "// Mul is new.\nfunc (o *One) Mul(x int) int { return o.by * x }\n\n// Named has"}}, differ: "Counted"},
		"a method renamed":     {edits: [][3]string{{"far/far.go", "(o *One) Sub", "(o *One) Minus"}}, differ: "Counted"},
		"a method it asks for": {edits: [][3]string{{"far/far.go", "Div(x int64) int", "Div(x int) int"}}, differ: "Asked Counted"},
		"a method's type":      {edits: [][3]string{{"far/far.go", "Sub(x int) int { return x - o.by }", "Sub(x uint) int { return int(x) }"}}, differ: "Counted"},
		"a first method":       {edits: [][3]string{{"far/far.go", "// Bare has", "// First is new.\nfunc (b Bare) First() int { return b.n }\n\n// Bare has"}}, differ: "Asked"},
		"a method reflected":   {edits: [][3]string{{"far/far.go", "// Hello is it.", "// Mul is new.\nfunc (Named) Mul() int { return 1 }\n\n// Hello is it."}}, differ: "Named"},
		"a method unexported":  {edits: [][3]string{{"far/far.go", "// Hello is it.", "func (Named) mul() int { return 1 }\n\n// Hello is it."}}, differ: "Named"}, // it calls by reflection, which goes through all
		"an interface's":       {edits: [][3]string{{"far/far.go", "interface{ Div(int) int }", "interface{ Div(int64) int }"}}, differ: "Asked"},
		"a copy of a type":     {edits: [][3]string{{"planted.go", "func unreached(x int) int {", "func unreached(x int) int {\n\tboxed = [16]uint8{byte(x)}\n"}, {"placed.go", "type pair", "var boxed any\n\ntype pair"}}},
		"a method by name":     {edits: [][3]string{{"far/far.go", "return 7", "return 8"}}, differ: "Named"},
		"linkname":             {edits: [][3]string{{"far/far.go", "x * 3", "x * 5"}}, differ: "Linked"},
		"a generic function":   {edits: [][3]string{{"far/far.go", "n++", "n += 2"}}, differ: "Generic"},
		"a function value":     {edits: [][3]string{{"planted.go", "2 * y", "3 * y"}}, differ: "Function"},
		"a constant":           {edits: [][3]string{{"far/far.go", "Size = 16", "Size = 32"}}, differ: "Constant"},
		"a dependency":         {edits: [][3]string{{"go.mod", "dep/v1", "dep/v2"}}, differ: "Dependency"},
		"set-up of tests":      {edits: [][3]string{{"planted_test.go", "sink = 1", "sink = 2"}}, differ: all},
		"a benchmark":          {edits: [][3]string{{"planted_test.go", "{1, 2, 3}", "{1, 2, 4}"}}, differ: "Dependency"},
		"optimisation":         {options: gobench.BuildOptions{Flags: []string{"-gcflags=example.org/planted=-N"}}, differ: all},
		"a file it names":      {beside: reach.OtherDifferences{Files: func() []string { return []string{"elsewhere.txt"} }}, differ: "Read"},
		"a file beside it":     {beside: reach.OtherDifferences{File: "README"}, differ: "Read"},
		"another file":         {beside: reach.OtherDifferences{Files: func() []string { return []string{"nowhere.txt"} }}},
		"lines":                {edits: [][3]string{{"placed.go", "//go:noinline", "// placed is.\n//\n//go:noinline"}}, differ: "Placed"},
		"order of packages":    {edits: [][3]string{{"first/first.go", "import (", "import (\n\t_ \"example.org/planted/third\"\n"}}, differ: all},
		"variables":            {edits: [][3]string{{"planted.go", "func unreached(x int) int {", "func unreached(x int) int {\n\tmany[x] = &x\n"}, {"planted.go", "var start", "var many [9000]*int\n\nvar start"}}, differ: all},
		"a pointer's place":    {edits: [][3]string{{"placed.go", "b *int", "b int"}, {"placed.go", "c int", "c *int"}}, differ: "Masked"},
		"a small one's place":  {edits: [][3]string{{"placed.go", "e *int", "e int"}, {"placed.go", "f int", "f *int"}}, differ: "Small"},
		"a type unreached":     {edits: [][3]string{{"placed.go", "h *int", "h int"}}},
		"one name twice":       {edits: [][3]string{{"twice_test.go", "package planted\n", "package planted_test\n\nimport \"testing\"\n\nfunc BenchmarkPlain(*testing.B) {}\n"}}, differ: all},
		"a file's stem":        {beside: reach.OtherDifferences{Files: func() []string { return []string{"elsewhere.json"} }}, differ: "Read"},
		"a file's number":      {beside: reach.OtherDifferences{Files: func() []string { return []string{"elsewhere12.json"} }}, differ: "Read"},
		"a number":             {beside: reach.OtherDifferences{Files: func() []string { return []string{"12.json"} }}, differ: "Read"},
		"a source's stem":      {beside: reach.OtherDifferences{Files: func() []string { return []string{"elsewhere.go"} }}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.beside.Files == nil {
				c.beside.Files = noFiles
			}
			verdicts := decide(t, base, objectsOf(t, planted(t, c.edits...), c.options), c.beside)
			check(t, verdicts, 17, c.differ)
		})
	}
}

// all says of benchmarks that all of them differ.
const all = "all"

// check checks verdicts on so many benchmarks, of which some differ: their names,
// separated by blanks.
func check(t *testing.T, verdicts map[string]reach.Verdict, n int, differ string) {
	t.Helper()
	if len(verdicts) != n && (differ != all || len(verdicts) > 0) {
		t.Fatalf("%d verdicts", len(verdicts))
	}
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		v := verdicts[name]
		if want := differ != all && !slices.Contains(strings.Fields(differ), strings.TrimPrefix(name, "Benchmark")); v.Same != want {
			t.Errorf("%s: same %v, %q", name, v.Same, v.Why)
		}
	}
}

// Changes that are reached in ways easily overlooked, and some that are not.
// Those that read their own program always differ.
func TestAttacked(t *testing.T) {
	build := func(edits ...[3]string) gobench.Objects {
		return objectsOf(t, edited(t, "attacked", edits), gobench.BuildOptions{})
	}
	base := build()
	moreTests := [3]string{"attacked_test.go", "func TestNothing", "func TestMore(t *testing.T) {}\n\nfunc TestNothing"}
	for name, c := range map[string]struct {
		edits  [][3]string
		differ string
	}{
		"nothing":                    {},
		"an unreached function":      {edits: [][3]string{{"unreached.go", "x + 12", "x*12 + 1"}}},
		"an unreached one's lines":   {edits: [][3]string{{"unreached.go", "//go:noinline", "// unreached is.\n//\n//go:noinline"}}},
		"one more file":              {edits: [][3]string{{"another.go", "", "package attacked\n\n//go:noinline\nfunc another() int { return unreached(2) }\n"}, {"attacked_test.go", "sink = unreached(1)", "sink = another()"}}},
		"one more test":              {edits: [][3]string{moreTests}, differ: "Profile"},
		"another embedded file":      {edits: [][3]string{{"words/two.txt", "others", "more"}}, differ: "Embedded"},
		"a variable by linkname":     {edits: [][3]string{{"far/far.go", "3, 4}", "3, 5}"}}, differ: "Variable"},
		"a body by linkname":         {edits: [][3]string{{"far/far.go", "x + 21", "x + 22"}}, differ: "Pushed"},
		"a key's method":             {edits: [][3]string{{"far/far.go", "// Name has", "// A is new.\nfunc (k Key) A() int { return 1 }\n\n// Name has"}}, differ: "Keys"},
		"lines":                      {edits: [][3]string{{"placed.go", "import (", "// It is.\nimport ("}}, differ: "Logged Placed"},
		"a method for printers":      {edits: [][3]string{{"far/far.go", "// Len is", "// String is new.\nfunc (p Plain) String() string { return \"x\" }\n\n// Len is"}}, differ: "Text"},
		"a method for errors":        {edits: [][3]string{{"far/far.go", "func (e *Err) Error", "// Is is new.\nfunc (e *Err) Is(error) bool { return false }\n\nfunc (e *Err) Error"}}, differ: "Is"},
		"a method by its number":     {edits: [][3]string{{"far/far.go", "i.n + 1", "i.n + 4"}}, differ: "Indexed"},
		"a method of a dictionary":   {edits: [][3]string{{"far/far.go", "s.n + 2", "s.n + 4"}}, differ: "Dictionary"},
		"a method of a template":     {edits: [][3]string{{"far/far.go", "\"title\"", "\"other title\""}}, differ: "Template"},
		"a template's other method":  {edits: [][3]string{{"far/far.go", "// Title returns", "// A is new.\nfunc (p Page) A() int { return 1 }\n\n// Title returns"}}, differ: "Template"},
		"a method by an expression":  {edits: [][3]string{{"far/far.go", "c.n += 3", "c.n += 4"}}, differ: "Expression"},
		"variables":                  {edits: [][3]string{{"unreached.go", "x + 12 }", "x + len(more) + *more[x] }\n\nvar more [1100]*int"}}, differ: all},
		"a few variables, unreached": {edits: [][3]string{{"unreached.go", "x + 12 }", "x + len(more) + *more[x] }\n\nvar more [900]*int"}}},
	} {
		t.Run(name, func(t *testing.T) {
			differ := c.differ
			if differ != all {
				differ += " Args Proc"
			}
			check(t, decide(t, base, build(c.edits...), reach.OtherDifferences{Files: noFiles}), 16, differ)
		})
	}
	// What runs before the benchmarks tells its place, and the caller's.
	early := [3]string{"attacked_test.go", "\tflag.Parse()", "\tsink = placed()\n\tflag.Parse()"}
	// Of large embedded files objects have the content in another way.
	large := func(of string) [3]string { return [3]string{"words/two.txt", "others", strings.Repeat(of, 5000)} }
	check(t, decide(t, build(large("x")), build(large("y")), reach.OtherDifferences{Files: noFiles}), 16, "Args Proc Embedded")
	// Its own file's name may be kept for a benchmark that opens files.
	kept := [3]string{"attacked_test.go", "\tflag.Parse()", "\tos.Setenv(\"X\", os.Args[0])\n\tflag.Parse()"}
	check(t, decide(t, build(kept), build(kept), reach.OtherDifferences{Files: noFiles}), 16, "Args Proc Other")
	kept[2] = "\tname := os.Args[0]\n\tflag.Parse()\n\tos.Setenv(\"X\", name)"
	check(t, decide(t, build(kept), build(kept), reach.OtherDifferences{Files: noFiles}), 16, "Args Proc Other")
	check(t, decide(t, build(early), build(early, moreTests), reach.OtherDifferences{Files: noFiles}), 16, all)
}

// What programs are built with beside their code is told by the binaries.
func TestSettings(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	for name, c := range map[string]struct {
		edit [3]string
		same bool
	}{
		"code":      {[3]string{"unreached.go", "x + 12", "x*12 + 1"}, true},
		"go.mod":    {[3]string{"go.mod", "go 1.26\n", "go 1.26\n\ngodebug panicnil=1\n"}, false},
		"directive": {[3]string{"attacked_test.go", "package attacked\n", "//go:debug panicnil=1\npackage attacked\n"}, false},
	} {
		o := pair(t, "old", "new")
		o.Old, o.New = edited(t, "attacked", nil), edited(t, "attacked", [][3]string{c.edit})
		p, err := sides.Open(context.Background(), sides.Options{Dir: o.Dir, Old: o.side(compare.Old), New: o.side(compare.New), Packages: "."})
		if err != nil {
			t.Fatal(err)
		}
		verdicts := SameCode(context.Background(), &o, p)
		if len(verdicts) != 1 || verdicts[0].Verdicts["BenchmarkPushed"].Same != c.same || (verdicts[0].Why == "") != c.same {
			t.Errorf("%s: %v", name, verdicts)
		}
		if why := verdicts[0].Why; !c.same && why != "the sides are built with other GODEBUG defaults (panicnil), as by another go line in go.mod" {
			t.Errorf("%s: %s", name, why)
		}
		// What the linker was given is what the go command lists.
		for side, dir := range []string{o.Old, o.New} {
			objects, err := p.Binary(compare.Side(side), 0).Objects()
			if err != nil {
				t.Fatal(err)
			}
			listed := objectsOf(t, dir, gobench.BuildOptions{})
			if len(objects) != len(listed) || len(objects) < 50 {
				t.Errorf("%s: %d packages are linked, and %d listed", name, len(objects), len(listed))
			}
			for path, file := range objects {
				if path != "main" && filepath.Base(file) != filepath.Base(listed[path]) && content(t, file) != content(t, listed[path]) {
					t.Errorf("%s: %s is linked of %s, and listed as %q", name, path, file, listed[path])
				}
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// Files beside a package are told from its source.
func TestPlantedData(t *testing.T) {
	for name, c := range map[string]struct {
		edit [3]string
		want []string
	}{
		"testdata": {[3]string{"testdata/data.txt", "some", "more"}, []string{"testdata/data.txt"}},
		"another":  {[3]string{"words.txt", "some", "more"}, []string{"words.txt"}},
		"source":   {[3]string{"planted.go", "x + 12", "x + 13"}, nil},
	} {
		old, new := planted(t), planted(t, c.edit)
		r := dataReader{seen: map[string]data{}}
		if got := differing([2]data{r.read(old, old), r.read(new, new)}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q differ", name, got)
		}
	}
}

// A run measures what differs and nothing else, says so, and -aa measures all.
func TestSameCode(t *testing.T) {
	if testing.Short() {
		t.Skip("measures in rounds")
	}
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the planted assembly is for amd64 and arm64")
	}
	for _, aa := range []bool{false, true} {
		o := pair(t, "old", "new")
		o.Old, o.New = planted(t), planted(t, [3]string{"planted.go", "x + 11", "x + 10"})
		o.Bench, o.Packages, o.AA, o.Rounds, o.Tests = "Plain|Linked|Generic", ".", aa, 5, 0
		res, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"BenchmarkPlain", "BenchmarkLinked", "BenchmarkGeneric"} {
			measured := aa || name == "BenchmarkPlain"
			if r := row(t, res, name, compare.NsPerOp); r.Measured() != measured || (r.Reason == compare.SameCode) == measured || measured && !aa && r.WhyMeasured != "example.org/planted.plain differs" || (!measured || aa) && r.WhyMeasured != "" || !measured && (r.Verdict != compare.NoChange || r.Rounds != 0 || !r.Gates) {
				t.Errorf("-aa %v: %+v", aa, r)
			}
		}
		if got := warned(res, "2 benchmarks run the same code on both sides"); got == aa {
			t.Errorf("-aa %v: warnings %q", aa, res.Warnings)
		}
	}
	o := pair(t, "old", "new")
	o.Old, o.New = planted(t), planted(t, [3]string{"planted.go", "x + 12", "x*12 + 1"})
	o.Packages, o.Tests = ".", 0
	res, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if res.ExitCode() != 0 || !strings.Contains(res.Verdict.Text, "both sides run the same code: nothing was measured") || len(res.Benchmarks) != 3*17 {
		t.Errorf("%+v, %d rows", res.Verdict, len(res.Benchmarks))
	}
}

// errors.As goes through the methods of an error's type one by one: with more of
// them it takes longer, though nobody calls these.
func TestMethodsAreGoneThrough(t *testing.T) {
	bench := "package planted\n\nimport (\n\t\"errors\"\n\t\"testing\"\n\n\t\"example.org/planted/coded\"\n)\n\n" +
		"func BenchmarkAs(b *testing.B) {\n\terr := coded.New()\n\tfor b.Loop() {\n\t\tvar c coded.Coder\n\t\tif errors.As(err, &c) {\n\t\t\tsink++\n\t\t}\n\t}\n}\n"
	with := func(more string) gobench.Objects {
		dir := planted(t)
		text := "package coded\n\ntype Coder interface{ Zcode() int }\n\ntype coded struct{ n int }\n\nfunc (e *coded) Error() string { return \"\" }\nfunc (e *coded) Zcode() int { return e.n }\n\n" +
			"//go:noinline\nfunc New() error { return &coded{1} }\n" + more
		for name, text := range map[string]string{"coded/coded.go": text, "as_test.go": bench} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return objectsOf(t, dir, gobench.BuildOptions{})
	}
	plain := with("")
	for more, same := range map[string]bool{"": true, "\nfunc (e *coded) A() int { return 1 }\n": false} {
		v := decide(t, plain, with(more), reach.OtherDifferences{Files: noFiles})["BenchmarkAs"]
		if v.Same != same {
			t.Errorf("with %q: same %v, %q", more, v.Same, v.Why)
		}
	}
}
