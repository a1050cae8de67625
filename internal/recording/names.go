package recording

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// SplitName splits the name that a benchmark has in a recording of several
// packages, "example.com/m/p.BenchmarkX/sub": pkg is "" where it has none.
func SplitName(name string) (pkg, benchmark string) {
	const word = "Benchmark"
	for at := 0; ; {
		i := strings.Index(name[at:], word)
		if i < 0 {
			return "", name
		}
		at += i
		r, _ := utf8.DecodeRuneInString(name[at+len(word):])
		switch {
		case at+len(word) < len(name) && unicode.IsLower(r): // a part of a path
		case at == 0:
			return "", name
		case name[at-1] == '.':
			return name[:at-1], name[at:]
		}
		at += len(word)
	}
}

// Chooses reports whether asked means the benchmark called name: by its full name, by
// its package, or by its name in the package.
func Chooses(asked, name string) bool {
	if asked == name {
		return true
	}
	pkg, benchmark := SplitName(name)
	return pkg != "" && (asked == pkg || asked == benchmark)
}
