package page

import (
	"bytes"
	"testing"
)

// TestLinks: places whose file is known are links, which begin and end around their
// text and take no room.
func TestLinks(t *testing.T) {
	link := func(file string) string {
		if file == "a/b.go" {
			return "file:///m/a/b.go"
		}
		return ""
	}
	const in = "  \x1b[36ma/b.go:78\x1b[0m  26.2 % a/b.go:77, gone.go:3 and …b.go:77\n"
	for _, test := range []struct {
		link func(string) string
		want string
	}{
		{nil, in},
		{link, "  \x1b[36m\x1b]8;;file:///m/a/b.go#78\x1b\\a/b.go:78\x1b]8;;\x1b\\\x1b[0m  26.2 % \x1b]8;;file:///m/a/b.go#77\x1b\\a/b.go:77\x1b]8;;\x1b\\, gone.go:3 and …b.go:77\n"},
	} {
		text := NewText(TextOptions{Link: test.link})
		text.Buffer.WriteString(in)
		var out bytes.Buffer
		if err := text.Flush(&out, "it"); err != nil || out.String() != test.want {
			t.Errorf("%q, %v, want %q", out.String(), err, test.want)
		}
	}
}
