package attacked

import (
	"flag"
	"io"
	"log"
	"os"
	"testing"

	"example.org/attacked/far"
)

var sink int

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

func BenchmarkEmbedded(b *testing.B) {
	for b.Loop() {
		sink = embedded()
	}
}

func BenchmarkVariable(b *testing.B) {
	for b.Loop() {
		sink = ofLinked(sink)
	}
}

func BenchmarkPushed(b *testing.B) {
	for b.Loop() {
		sink = pushed(sink)
	}
}

func BenchmarkArgs(b *testing.B) {
	for b.Loop() {
		sink = size(os.Args[0])
	}
}

func BenchmarkProc(b *testing.B) {
	for b.Loop() {
		sink = size("/proc/self/exe")
	}
}

func BenchmarkKeys(b *testing.B) {
	for b.Loop() {
		sink = keys(`{"a": 1}`)
	}
}

func BenchmarkLogged(b *testing.B) {
	l := log.New(io.Discard, "", log.Lshortfile)
	for b.Loop() {
		logged(l)
	}
}

func BenchmarkPlaced(b *testing.B) {
	for b.Loop() {
		sink = placed()
	}
}

func BenchmarkProfile(b *testing.B) {
	for b.Loop() {
		profile(io.Discard)
	}
}

func BenchmarkText(b *testing.B) {
	for b.Loop() {
		sink = text(far.Plain{})
	}
}

func BenchmarkIs(b *testing.B) {
	for b.Loop() {
		if is(new(far.Err)) {
			sink++
		}
	}
}

func BenchmarkIndexed(b *testing.B) {
	for b.Loop() {
		sink = indexed(far.Indexed{})
	}
}

func BenchmarkDictionary(b *testing.B) {
	all := make([]far.Small, 9)
	for b.Loop() {
		sink = sum(all)
	}
}

func BenchmarkTemplate(b *testing.B) {
	for b.Loop() {
		sink = render(far.Page{})
	}
}

func BenchmarkExpression(b *testing.B) {
	c := new(far.Counter)
	for b.Loop() {
		sink = expression(c)
	}
}

// size is told a file that is the same on both sides.
func BenchmarkOther(b *testing.B) {
	for b.Loop() {
		sink = size("other.txt")
	}
}

func TestNothing(t *testing.T) { sink = unreached(1) }
