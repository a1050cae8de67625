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
