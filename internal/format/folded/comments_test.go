package folded

import (
	"slices"
	"testing"
)

// TestCommentHeads: collectors write what they are in front of the stacks. A
// line of the kind further on is no stack, and is counted.
func TestCommentHeads(t *testing.T) {
	const text = "# made by a collector\n#\n\nmain;a 3\nmain;b 4\n# the end\n"
	if !Is([]byte(text)) {
		t.Error("it is not recognised")
	}
	p, err := Read([]byte(text), wide)
	if err != nil {
		t.Fatal(err)
	}
	if got := written(p); !slices.Equal(got, []string{`"main"; "a";  3`, `"main"; "b";  4`}) {
		t.Errorf("%q", got)
	}
	if len(p.Warnings) != 1 {
		t.Errorf("one line is no stack: %q", p.Warnings)
	}
	if Is([]byte("# a script\necho\n")) || Is([]byte("#\n")) {
		t.Error("comments alone are taken for stacks")
	}
}
