package planted

import (
	"os"
	"testing"

	"example.org/dep"
	"example.org/planted/far"
)

var sink int

func TestMain(m *testing.M) {
	setUp()
	os.Exit(m.Run())
}

func setUp() { sink = 1 }

func TestNothing(t *testing.T) { sink = unreached(1) }

func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		sink = plain(sink)
	}
}

func BenchmarkVariable(b *testing.B) {
	for b.Loop() {
		sink = variable()
	}
}

func BenchmarkConstant(b *testing.B) {
	for b.Loop() {
		sink = constant(sink)
	}
}

func BenchmarkLinked(b *testing.B) {
	for b.Loop() {
		sink = linked(sink)
	}
}

func BenchmarkInterface(b *testing.B) {
	a := far.NewOne()
	for b.Loop() {
		sink = a.Add(sink)
	}
}

func BenchmarkAsked(b *testing.B) {
	a := far.NewOne()
	for b.Loop() {
		if far.Divides(a) {
			sink++
		}
	}
}

func BenchmarkCounted(b *testing.B) {
	a := far.NewOne()
	for b.Loop() {
		sink = counted(a)
	}
}

func BenchmarkNamed(b *testing.B) {
	for b.Loop() {
		sink = named(os.Getenv("NAME") + "Hello")
	}
}

func BenchmarkGeneric(b *testing.B) {
	xs := []string{"a", "b"}
	for b.Loop() {
		sink = far.Count(xs)
	}
}

func BenchmarkFunction(b *testing.B) {
	for b.Loop() {
		sink = twice(sink)
	}
}

func BenchmarkEmbedded(b *testing.B) {
	for b.Loop() {
		sink = embedded()
	}
}

func BenchmarkAssembled(b *testing.B) {
	for b.Loop() {
		sink = assembled(sink)
	}
}

func BenchmarkDependency(b *testing.B) {
	xs := []int{1, 2, 3}
	for b.Loop() {
		sink = dep.Sum(xs)
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		sink = read("../elsewhere.txt")
	}
}
