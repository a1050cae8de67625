package hot

import (
	"strings"
	"testing"

	"whet/internal/callstack"
)

// marks are what a comment at a line's end says about it.
var marks = map[string]Where{
	"// none": NoLoop, "// in": InLoop, "// out": OutsideLoop, "// stopped": Stopped,
}

// at asks about a line without saying where its function begins.
func at(l *Loops, file string, line int) Where {
	return l.At(&callstack.Frame{File: file, Line: line})
}

// TestLoops reads benchmarks whose lines say themselves how they lie to the
// measured loop.
func TestLoops(t *testing.T) {
	tests := map[string]string{
		"b.Loop": `
func BenchmarkX(b *testing.B) {
	data := load() // out
	for b.Loop() { // in
		work(data) // in
	}
	check(data) // out
}`,
		"b.N": `
func BenchmarkX(b *testing.B) {
	x := 1 // out
	for i := 0; i < b.N; i++ {
		work(x) // in
	}
}`,
		"range b.N": `
func BenchmarkX(b *testing.B) {
	setup() // out
	for range b.N {
		work() // in
	}
}`,
		"counting down": `
func BenchmarkX(b *testing.B) {
	setup() // out
	for i := b.N; i > 0; i-- {
		work() // in
	}
}`,
		"n is b.N": `
func BenchmarkX(b *testing.B) {
	n := b.N // out
	for i := 0; i < n; i++ {
		work() // in
	}
	done() // out
}`,
		"chunks of b.N": `
func BenchmarkX(b *testing.B) {
	for i := 0; i < b.N; i += 100 {
		for j := 0; j < 100; j++ {
			work() // in
		}
	}
}`,
		"inner loop that is not measured": `
func BenchmarkX(b *testing.B) {
	for i := 0; i < 10; i++ {
		prepare(i) // out
	}
	for b.Loop() {
		work() // in
	}
}`,
		"helper gets b": `
func BenchmarkX(b *testing.B) {
	data := load() // out
	run(b, data) // none
	check() // out
}
func run(b *testing.B, data []byte) {
	b.ReportAllocs() // out
	for b.Loop() {
		work(data) // in
	}
}`,
		"helper gets b.N": `
func BenchmarkX(b *testing.B) {
	data := load() // out
	run(data, b.N) // in
}`,
		"helper gets a copy of b.N": `
func BenchmarkX(b *testing.B) {
	n := int64(b.N) // out
	data := load() // out
	run(data, n) // in
}`,
		"make with b.N hands nothing on": `
func BenchmarkX(b *testing.B) {
	keys := make([]string, b.N) // out
	for i := range keys {
		keys[i] = key(i) // out
	}
	b.ResetTimer() // out
	for i := 0; i < b.N; i++ {
		work(keys[i]) // in
	}
}`,
		"a loop to b.N beside b.Loop prepares": `
func BenchmarkX(b *testing.B) {
	for i := 0; i < b.N; i++ {
		prepare(i) // out
	}
	for b.Loop() {
		work() // in
	}
}`,
		"ResetTimer without a loop after it changes nothing": `
func BenchmarkX(b *testing.B) {
	for i := 0; i < b.N; i++ {
		work() // in
	}
	b.ResetTimer() // out
}`,
		"RunParallel": `
func BenchmarkX(b *testing.B) {
	data := load() // out
	b.RunParallel(func(pb *testing.PB) {
		local := clone(data) // out
		for pb.Next() {
			work(local) // in
		}
		done() // out
	})
}`,
		"pb.Next among others": `
func BenchmarkX(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		setup() // out
		for i := 0; pb.Next() && i >= 0; i++ {
			work() // in
		}
	})
}`,
		"pb.Next leaves the loop": `
func BenchmarkX(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		setup() // out
		for {
			if !pb.Next() {
				break
			}
			work() // in
		}
	})
}`,
		"StopTimer and StartTimer": `
func BenchmarkX(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		x := prepare() // stopped
		y := prepare() // stopped
		b.StartTimer()
		work(x, y) // in
	}
}`,
		"StopTimer outside, StartTimer inside": `
func BenchmarkX(b *testing.B) {
	b.StopTimer() // out
	setup() // stopped
	for i := 0; i < b.N; i++ {
		x := prepare() // stopped
		b.StartTimer()
		work(x) // in
		b.StopTimer() // in
	}
}`,
		"the pass begins as the last one ended": `
func BenchmarkX(b *testing.B) {
	for i := 0; i < b.N; i++ {
		x := prepare() // stopped
		b.StartTimer()
		work(x) // in
		b.StopTimer() // in
	}
}`,
		"StopTimer to the end": `
func BenchmarkX(b *testing.B) {
	for b.Loop() {
		work() // in
	}
	b.StopTimer() // out
	check() // stopped
}`,
		"sub-benchmarks": `
func BenchmarkX(b *testing.B) {
	data := load() // out
	for _, n := range []int{1, 10} {
		b.Run(name(n), func(b *testing.B) {
			part := data[:n] // out
			for b.Loop() {
				work(part) // in
			}
		})
		other() // out
	}
}`,
		"b.N leaves the loop": `
func BenchmarkX(b *testing.B) {
	setup() // out
	i := 0 // out
	for {
		work() // in
		if i++; i >= b.N {
			break
		}
	}
}`,
		"the loop is in goroutines of its own": `
func BenchmarkX(b *testing.B) {
	setup() // out
	b.ResetTimer()
	for w := 0; w < 2; w++ {
		go func() {
			for i := 0; i < b.N/2; i++ {
				work() // in
			}
		}()
	}
	wait() // none
}`,
		"a goroutine feeds the loop": `
func BenchmarkX(b *testing.B) {
	setup() // out
	go feed(ch) // out
	b.ResetTimer()
	for range ch {
		work() // none
	}
}`,
		"literals decide nothing": `
func BenchmarkX(b *testing.B) {
	work := func() {
		step() // none
	}
	for b.Loop() {
		work() // in
		func() {
			step() // none
		}()
	}
}`,
		"a literal's parameter is another's": `
func BenchmarkX(b *testing.B) {
	f := func(b batch) {
		for i := 0; i < b.N; i++ {
			step() // none
		}
	}
	for b.Loop() {
		f(3) // in
	}
}`,
		"code under test": `
func work(n int) {
	for i := 0; i < n; i++ {
		step() // none
	}
}
type T struct{ N int }
func (t *T) work() {
	for i := 0; i < t.N; i++ {
		step() // none
	}
}`,
		"TestMain": `
func TestMain(m *testing.M) {
	setup() // none
	m.Run() // none
}`,
	}
	for name, src := range tests {
		t.Run(name, func(t *testing.T) {
			src := "package x\n" + src
			var l Loops
			if err := l.AddFile("x_test.go", []byte(src)); err != nil {
				t.Fatal(err)
			}
			checked := 0
			for i, line := range strings.Split(src, "\n") {
				mark := strings.LastIndex(line, "// ")
				if mark < 0 {
					continue
				}
				want, ok := marks[line[mark:]]
				if !ok {
					t.Fatalf("line %d: no such mark: %q", i+1, line)
				}
				checked++
				if got := at(&l, "x_test.go", i+1); got != want {
					t.Errorf("line %d is %d, want %d: %s", i+1, got, want, line)
				}
			}
			if checked == 0 {
				t.Fatal("no line is marked")
			}
		})
	}
}

// A literal written on one line shares it with the function that calls it: the
// frames' functions begin on different lines.
func TestLiteralOnOneLine(t *testing.T) {
	var l Loops
	src := `package x
func BenchmarkX(b *testing.B) { // 2
	sort(func() bool { return true }) // 3
	for b.Loop() {
		sort(func() bool { return true }) // 5
	}
}`
	if err := l.AddFile("x.go", []byte(src)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		start, line int
		want        Where
	}{
		{2, 3, OutsideLoop}, {3, 3, NoLoop},
		{2, 5, InLoop}, {5, 5, NoLoop},
	} {
		if got := l.At(&callstack.Frame{File: "x.go", Start: test.start, Line: test.line}); got != test.want {
			t.Errorf("line %d of the function at line %d is %d, want %d", test.line, test.start, got, test.want)
		}
	}
}

func TestInBenchmark(t *testing.T) {
	var l Loops
	src := "package x\nfunc BenchmarkX(b *testing.B) {\n\tfor b.Loop() {\n\t\twork()\n\t}\n}\nfunc work() {\n\tstep()\n}\n"
	if err := l.AddFile("x.go", []byte(src)); err != nil {
		t.Fatal(err)
	}
	if !l.InBenchmark("x.go", 4) || l.InBenchmark("x.go", 8) || l.InBenchmark("y.go", 4) {
		t.Error("only line 4 of x.go lies in a benchmark")
	}
	var none *Loops
	if none.InBenchmark("x.go", 4) || at(none, "x.go", 4) != NoLoop {
		t.Error("nil knows no loops")
	}
}

func TestAddFileThatDoesNotParse(t *testing.T) {
	var l Loops
	if err := l.AddFile("x.go", []byte("package x\nfunc {")); err == nil || !strings.Contains(err.Error(), "x.go") {
		t.Errorf("%v, want an error that names the file", err)
	}
	if err := l.AddFile("x_amd64.s", []byte("#include \"textflag.h\"\n")); err != nil || l.Has("x_amd64.s") {
		t.Errorf("assembly: %v, want neither an error nor loops", err)
	}
	if l.Has("x.go") || at(&l, "x.go", 2) != NoLoop {
		t.Error("a file that does not parse was added")
	}
}

// FuzzLoops: whatever the source, the answers agree with each other: only a
// line of a benchmark function has a place, and lines past the end have none.
func FuzzLoops(f *testing.F) {
	f.Add("package x\nfunc BenchmarkX(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n")
	f.Add("package x\nfunc f(b *testing.B) {\n\tb.StopTimer()\n\tfor {\n\tb.StartTimer()\n}\n}\n")
	f.Add("package x\nfunc f(pb *testing.PB) { for { if pb.Next() { } } }\n")
	f.Fuzz(func(t *testing.T, src string) {
		var l Loops
		if l.AddFile("x", []byte(src)) != nil {
			return
		}
		// A //line comment may number lines as it likes.
		if strings.Contains(src, "line") {
			return
		}
		last := strings.Count(src, "\n") + 1
		for n := 0; n <= last+3; n++ {
			where := at(&l, "x", n)
			if where != NoLoop && !l.InBenchmark("x", n) {
				t.Fatalf("line %d is %d but in no benchmark", n, where)
			}
			if n > last && where != NoLoop {
				t.Fatalf("line %d of %d is %d", n, last, where)
			}
		}
	})
}
