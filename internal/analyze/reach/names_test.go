package reach

import "testing"

// A name is found as the programs that put paths together have it, and not in
// the middle of words.
func TestHasName(t *testing.T) {
	for _, c := range []struct {
		data, name string
		want       bool
	}{
		{"go.yml", "go", true},
		{"golang", "go", false},
		{"cargo", "go", false},
		{"golang go", "go", true},
		{"dir/case%d.txt", "case", true},
		{"case12", "case", true},
		{"2case", "case", true},
		{"%scase%d.txt", "case", true},
		{"%-3.2vcase", "case", true},
		{"%dlowercase", "case", false},
		{"lowercase", "case", false},
		{"", "case", false},
		{"anything", "", true},
		{"x/.hidden", ".hidden", true},
		{"/proc/self/exe", "/proc/", true},
	} {
		if got := hasName([]byte(c.data), c.name); got != c.want {
			t.Errorf("%q in %q: %v", c.name, c.data, got)
		}
	}
}

// A difference is said in a user's words.
func TestSaid(t *testing.T) {
	for symbol, want := range map[string]string{
		"m/p.(*T).F":                 "m/p.(*T).F",
		"type:m/p.T":                 "the type m/p.T",
		`go:string."Etag"`:           `the string "Etag"`,
		"go:itab.*os.File,io.Reader": "the method table of *os.File,io.Reader",
	} {
		if got := said(symbol); got != want {
			t.Errorf("%s: %q", symbol, got)
		}
	}
	tasks := func(names ...string) (out []string) {
		for _, n := range names {
			out = append(out, n+"..inittask")
		}
		return out
	}
	for _, c := range []struct {
		old, new []string
		want     string
	}{
		{tasks("a", "b"), tasks("a", "log/slog", "b"), "package log/slog is initialised in new only"},
		{tasks("a", "c", "b"), tasks("a", "b"), "package c is initialised in old only"},
		{tasks("a", "b"), tasks("b", "a"), "packages are initialised in another order"},
	} {
		if got := initialised(c.old, c.new); got != c.want {
			t.Errorf("%q, %q: %q", c.old, c.new, got)
		}
	}
}
