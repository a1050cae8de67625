package typeview

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// checkSource checks one file without imports but those given.
func checkSource(t testing.TB, path, src string, imports ...*types.Package) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path+".go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importerFunc(func(path string) (*types.Package, error) {
		for _, p := range imports {
			if p.Path() == path {
				return p, nil
			}
		}
		return importer.Default().Import(path)
	})}
	pkg, err := conf.Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// small returns a program of three packages: kept is kept, and b refers to it.
func small(t testing.TB) (v *View, imported []*types.Package) {
	a := checkSource(t, "example.com/a", `package a
type List[T any] struct { next *List[T]; Val T }
func (l *List[T]) Push(v T) *List[T] { return l }
type Node interface { Parent() Node; Kids() []Node; private() }
type Both interface { Node; ~int | ~string; comparable }
type Pair[A, B any] = struct { A A "tag"; B B }
type Tree[T interface{ Less(T) bool }] struct { Kids Forest[T] }
type Forest[T interface{ Less(T) bool }] []Tree[T]
type Two interface { MethodA(); MethodB() }
type E struct { *List[int]; P Pair[int, string]; c chan<- map[string][3]func(...int) (error, bool) }
func (E) m() {}
const ( Big = 1 << 100; Pi = 3.14; Huge = 1e400; C = 1+2i; S = "a\xff"; T = true; N int8 = -7; Tiny = 0x1p-1074 )
var X Pair[E, Node]
func Map[K comparable, V any](m map[K]V) (k K) { return }
`)
	kept := checkSource(t, "example.com/kept", `package kept
type T struct { N int }
type G[P any] struct { P P }
type Face interface { Face() T }
`)
	b := checkSource(t, "example.com/b", `package b
import ("example.com/a"; "example.com/kept")
type T struct { kept.T; G kept.G[*T]; L a.List[kept.T] }
type Mine kept.Face
func Make(kept.Face) *T { return nil }
`, a, kept)
	v = &View{GoVersion: "go1.26.8", GOARCH: "386", Packages: []Package{{
		Path: "example.com/kept", Name: "kept", GoVersion: "go1.24", Files: []string{"/src/kept/a.go", "/src/kept/b.go"},
		Imports: map[string]string{"x": "vendor/x", "y": "vendor/y"}, Uncertain: "it uses cgo",
	}}}
	return v, []*types.Package{a, b, types.Unsafe}
}

// keptOf returns what Import asks for kept packages: src checked, once.
func keptOf(t testing.TB, src string) func(string) (*types.Package, error) {
	var pkg *types.Package
	return func(path string) (*types.Package, error) {
		if path != "example.com/kept" || src == "" {
			return nil, errors.New("there is none")
		}
		if pkg == nil {
			pkg = checkSource(t, path, src)
		}
		return pkg, nil
	}
}

const keptSource = "package kept\ntype T struct { N int }\ntype G[P any] struct { P P }\ntype Face interface { Face() T }\n"

// payload returns the unpacked part of a view.
func payload(t testing.TB, v *View, imported []*types.Package) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, v, imported, nil); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(out.Bytes()[len(magic):]))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// pack makes a view of an unpacked part.
func pack(payload []byte) []byte {
	var out bytes.Buffer
	out.WriteString(magic)
	z, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	z.Write(payload)
	z.Close()
	return out.Bytes()
}

// all imports what a view has, and describes it.
func all(v *View, own func(string) (*types.Package, error)) (string, []*types.Package, error) {
	var out strings.Builder
	var list []*types.Package
	for _, row := range v.content.packages {
		if !row.imported {
			continue
		}
		pkg, err := v.Import(row.path, own)
		if err != nil {
			return "", nil, err
		}
		list = append(list, pkg)
		for _, name := range pkg.Scope().Names() {
			obj := pkg.Scope().Lookup(name)
			fmt.Fprintln(&out, types.ObjectString(obj, nil))
			if named, ok := types.Unalias(obj.Type()).(*types.Named); ok {
				fmt.Fprintln(&out, named.Underlying())
				set := types.NewMethodSet(types.NewPointer(named))
				for m := range set.Methods() {
					fmt.Fprintln(&out, m)
				}
				if named.TypeParams().Len() == 0 {
					fmt.Fprintln(&out, v.Sizes().Sizeof(named))
				}
			}
			if c, ok := obj.(*types.Const); ok {
				fmt.Fprintln(&out, c.Val().Kind(), c.Val().ExactString())
			}
		}
	}
	return out.String(), list, nil
}

func TestKeptPackages(t *testing.T) {
	v, imported := small(t)
	again := written(t, v, imported, nil)
	if got, want := fmt.Sprintf("%q", again.Packages), fmt.Sprintf("%q", v.Packages); got != want || again.GoVersion != v.GoVersion || again.GOARCH != "386" {
		t.Errorf("%s %s %s, and it was %s %s %s", got, again.GoVersion, again.GOARCH, want, v.GoVersion, v.GOARCH)
	}
	if n := again.Sizes().Sizeof(types.Typ[types.Uintptr]); n != 4 {
		t.Errorf("a pointer has %d bytes on 386", n)
	}
	own := keptOf(t, keptSource)
	b, err := again.Import("example.com/b", own)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := again.Import("example.com/kept", own)
	if err != nil {
		t.Fatal(err)
	}
	// One identity, wherever it is reached from.
	field := b.Scope().Lookup("T").Type().Underlying().(*types.Struct).Field(0)
	if field.Type() != kept.Scope().Lookup("T").Type() {
		t.Errorf("%v is not the kept package's own", field)
	}
	a, err := again.Import("example.com/a", own)
	if err != nil {
		t.Fatal(err)
	}
	push := a.Scope().Lookup("List").Type().(*types.Named).Method(0).Signature()
	if got := fmt.Sprint(push.Recv().Kind(), push.Params().At(0).Kind(), push.Results().At(0).Kind()); got != "RecvVar ParamVar ResultVar" {
		t.Errorf("the variables of a method are %s", got)
	}
	if got := fmt.Sprint(b.Imports()); got != fmt.Sprint([]*types.Package{a, kept}) {
		t.Errorf("b imports %s", got)
	}
	if second, err := again.Import("example.com/b", own); second != b || err != nil {
		t.Errorf("imported again it is %v, %v", second, err)
	}
	if p, err := again.Import("unsafe", own); p != types.Unsafe || err != nil {
		t.Errorf("unsafe is %v, %v", p, err)
	}
	if _, err := again.Import("example.com/c", own); err == nil || err.Error() != `package "example.com/c" is not in the typed view` {
		t.Errorf("an unknown package: %v", err)
	}

	// Sources that are missing, or say something else.
	for _, src := range []string{"", "package kept\ntype T int\n", "package kept\nvar T, G, Face int\n", "package kept\ntype T[P any] int\ntype G[A, B any] int\ntype Face = func()\n"} {
		lone := written(t, v, imported, nil)
		if _, _, err := all(lone, keptOf(t, src)); err != nil {
			t.Errorf("with the source %q: %v", src, err)
		}
	}
	lone := written(t, v, imported, nil)
	b, err = lone.Import("example.com/b", keptOf(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Scope().Lookup("Make").String(); got != "func example.com/b.Make(invalid type) *example.com/b.T" {
		t.Errorf("without the kept source, Make is %s", got)
	}
}

// What own asks for meanwhile is there, or is refused where it goes round.
func TestImportAround(t *testing.T) {
	v, imported := small(t)
	again := written(t, v, imported, nil)
	asked := 0
	var own func(path string) (*types.Package, error)
	own = func(path string) (*types.Package, error) {
		asked++
		if _, err := again.Import("example.com/b", own); err == nil || err.Error() != `package "example.com/b" imports itself` {
			t.Errorf("b is imported while it is imported: %v", err)
		}
		if a, err := again.Import("example.com/a", own); err != nil || !a.Complete() {
			t.Errorf("a is imported meanwhile: %v, %v", a, err)
		}
		return checkSource(t, path, keptSource), nil
	}
	if b, err := again.Import("example.com/b", own); err != nil || b.Scope().Lookup("T") == nil || asked != 1 {
		t.Errorf("b is %v, %v, after %d questions", b, err, asked)
	}
}

func TestOnlyUsed(t *testing.T) {
	v, imported := small(t)
	again := written(t, v, imported, func(obj types.Object) bool { return obj.Name() == "E" })
	a, err := again.Import("example.com/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(a.Scope().Names()), "[E List Pair]"; got != want {
		t.Errorf("the view has %s, want %s", got, want)
	}
}

func TestRefused(t *testing.T) {
	pkg := types.NewPackage("example.com/a", "a")
	declare := func(name string, params ...*types.TypeParam) *types.Named {
		obj := types.NewTypeName(token.NoPos, pkg, name, nil)
		named := types.NewNamed(obj, nil, nil)
		named.SetTypeParams(params)
		return named
	}
	structOf := func(embedded bool, list ...types.Type) *types.Struct {
		var fields []*types.Var
		for i, t := range list {
			fields = append(fields, types.NewField(token.NoPos, pkg, fmt.Sprintf("f%d", i), t, embedded))
		}
		return types.NewStruct(fields, nil)
	}
	param := func() *types.TypeParam {
		return types.NewTypeParam(types.NewTypeName(token.NoPos, pkg, "P", nil), types.Universe.Lookup("any").Type())
	}
	instance := func(of *types.Named, arg types.Type) types.Type {
		t, err := types.Instantiate(nil, of, []types.Type{arg}, false)
		if err != nil {
			t = nil
		}
		return t
	}
	for _, test := range []struct {
		want string
		make func() types.Type
	}{
		{"type example.com/a.T contains itself", func() types.Type {
			t := declare("T")
			t.SetUnderlying(structOf(false, types.NewArray(t, 2)))
			return t
		}},
		{"type example.com/a.L contains itself", func() types.Type {
			p := param()
			g := declare("G", p)
			g.SetUnderlying(structOf(false, p))
			l := declare("L")
			l.SetUnderlying(structOf(false, instance(g, l)))
			return l
		}},
		{"is more than 200 deep", func() types.Type {
			p := param()
			g := declare("G", p)
			g.SetUnderlying(structOf(false, instance(g, types.NewSlice(p))))
			return g
		}},
		{"embeds more than 200 others", func() types.Type {
			p := param()
			g := declare("G", p)
			g.SetUnderlying(structOf(true, types.NewPointer(instance(g, types.NewSlice(p)))))
			return g
		}},
		{"is more than 200 deep", func() types.Type {
			t := types.Type(types.Typ[types.Int])
			for range 300 {
				t = types.NewPointer(t)
			}
			return t
		}},
		{"a struct holds more than 1048576 fields", func() types.Type {
			t := declare("T0")
			t.SetUnderlying(structOf(false, types.Typ[types.Int]))
			for i := range 40 {
				next := declare(fmt.Sprint("T", i+1))
				next.SetUnderlying(structOf(false, t, t))
				t = next
			}
			return t
		}},
		{"a type without a name has more than 1048576 parts", func() types.Type {
			t := types.Type(types.Typ[types.Int])
			for range 40 {
				t = structOf(false, t, t)
			}
			return t
		}},
		{"T has type parameter P, which is not its own", func() types.Type {
			t := declare("T")
			t.SetUnderlying(structOf(false, types.NewSlice(param())))
			return t
		}},
		{"G[P] is not the type of a variable", func() types.Type {
			p := param()
			g := declare("G", p)
			g.SetUnderlying(structOf(false, p))
			return structOf(false, g)
		}},
		{"untyped int is not the type of a variable", func() types.Type { return types.NewSlice(types.Typ[types.UntypedInt]) }},
		{"untyped nil is not the type of a variable", func() types.Type { return types.Typ[types.UntypedNil] }},
		{"~int is not the type of a variable", func() types.Type {
			return types.NewPointer(types.NewUnion([]*types.Term{types.NewTerm(true, types.Typ[types.Int])}))
		}},
		{"constrained by another", func() types.Type {
			p, q := param(), param()
			p.SetConstraint(q)
			g := declare("G", p, q)
			g.SetUnderlying(structOf(false, p))
			return g
		}},
	} {
		pkg = types.NewPackage("example.com/a", "a")
		bad := test.make()
		if named, ok := bad.(*types.Named); ok {
			pkg.Scope().Insert(named.Obj())
		} else {
			pkg.Scope().Insert(types.NewVar(token.NoPos, pkg, "X", bad))
		}
		v := written(t, &View{}, []*types.Package{pkg}, nil)
		_, _, err := all(v, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "the typed view is damaged: ") {
			t.Errorf("want %q: %v", test.want, err)
		}
		if _, _, again := all(v, nil); again == nil {
			t.Errorf("%s: imported a second time it is right", test.want)
		}
	}
}

func TestDamaged(t *testing.T) {
	v, imported := small(t)
	whole := payload(t, v, imported)
	packed := pack(whole)
	renamed := func(from, to string) []byte { return pack(bytes.Replace(whole, []byte(from), []byte(to), 1)) }
	for _, test := range []struct {
		data []byte
		want string
	}{
		{nil, "it is no typed view"},
		{[]byte("package x\n"), "it is no typed view"},
		{bytes.Replace(packed, []byte("types/1"), []byte("types/2"), 1), `the typed view is of schema "whet/types/2", and this whet reads whet/types/1`},
		{packed[:len(packed)-9], "unpack the typed view: unexpected EOF"},
		{packed[:len(magic)+5], "unpack the typed view: unexpected EOF"},
		{pack(append(bytes.Clone(whole), 0)), "the typed view is damaged: it has"},
		{renamed("MethodB", "MethodA"), "the typed view is damaged: an interface has method MethodA twice"},
		{renamed("Forest", "forest"), "the typed view is damaged: object forest of package example.com/a is not exported"},
		{renamed("example.com/b", "example.com/a"), `the typed view is damaged: package "example.com/a" is there twice`},
		{renamed("untyped int", "untyped inX"), `the typed view is damaged: there is no predeclared type "untyped inX"`},
	} {
		v, err := Read(test.data, DefaultLimits())
		if err == nil {
			_, _, err = all(v, keptOf(t, keptSource))
		}
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("want %q: %v", test.want, err)
		}
	}
	limits := DefaultLimits()
	limits.MaxBytes = int64(len(whole)) - 1
	if _, err := Read(packed, limits); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("a view beyond the limit: %v", err)
	}
	limits = DefaultLimits()
	limits.MaxWork = 100
	if v, err := Read(packed, limits); err == nil || !strings.Contains(err.Error(), "more than 100 parts") {
		t.Errorf("parts beyond the limit: %v, %v", v, err)
	}
	limits = DefaultLimits()
	limits.MaxTypes = 10
	if _, err := Read(packed, limits); err == nil || !strings.Contains(err.Error(), "10 are read") {
		t.Errorf("types beyond the limit: %v", err)
	}
	for i := range whole {
		if v, err := parse(whole[:i], DefaultLimits()); err == nil {
			t.Fatalf("cut after %d of %d bytes it is read: %v", i, len(whole), v.Packages)
		}
	}
	own := keptOf(t, keptSource)
	read, imports := 0, 0
	for i := range whole {
		for _, change := range []byte{1, 0x80, 0xff} {
			changed := bytes.Clone(whole)
			changed[i] ^= change
			v, err := parse(changed, DefaultLimits())
			if err != nil {
				continue
			}
			read++
			if _, _, err := all(v, own); err == nil {
				imports++
			}
		}
	}
	if read == 0 || imports == 0 || imports == read {
		t.Errorf("of %d changes %d are read and %d imported: nothing was tried", 3*len(whole), read, imports)
	}
}

// FuzzRead: whatever is read and imported without an error is the same after it was
// written and read once more.
func FuzzRead(f *testing.F) {
	v, imported := small(f)
	f.Add(payload(f, v, imported))
	f.Add(payload(f, v, imported[:1]))
	f.Add(payload(f, &View{}, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := DefaultLimits()
		limits.MaxParts, limits.MaxWork = 1<<10, 1<<16
		v, err := parse(data, limits)
		if err != nil {
			return
		}
		before, list, err := all(v, keptOf(t, keptSource))
		if err != nil {
			return
		}
		again := written(t, v, list, nil)
		after, _, err := all(again, keptOf(t, keptSource))
		if err != nil {
			t.Fatalf("%v: of\n%s", err, before)
		}
		if after != before {
			t.Errorf("it was\n%s\nand after writing it is\n%s", before, after)
		}
	})
}
