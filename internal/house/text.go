package house

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// The marks are put together here so that this file does not hold them.
var openMarks = regexp.MustCompile(`\b(` + strings.Join([]string{"TO" + "DO", "FIX" + "ME", "X" + "XX"}, "|") + `)\b`)

// homes are directories of one person on one machine.
var homes = regexp.MustCompile(`(^|[^\w.])(/home/\w|/Users/\w|[A-Za-z]:\\+Users\\)`)

// IsText reports whether data is text: UTF-8 without NUL.
func IsText(data []byte) bool {
	return utf8.Valid(data) && !bytes.ContainsRune(data, 0)
}

// CheckText returns the forbidden texts in a tracked text file: marks of unfinished
// work, and paths of one machine. root is the directory of the tree; a fixture
// may hold invented homes and other people's marks, but never this root.
func CheckText(name string, data []byte, root string) []Fault {
	fixture := strings.Contains(name, "testdata/") || strings.HasSuffix(name, "_test.go")
	var faults []Fault
	n := 0
	for line := range bytes.Lines(data) {
		n++
		where := fmt.Sprintf("%s:%d", name, n)
		if holdsPath(line, root) {
			faults = append(faults, Fault{where, "it names the directory this tree lies in, which no other machine has"})
		}
		if fixture {
			continue
		}
		if m := openMarks.Find(line); m != nil {
			faults = append(faults, Fault{where, fmt.Sprintf("%s: do it, or write it down where someone will see it", m)})
		}
		if homes.Match(line) {
			faults = append(faults, Fault{where, "it names a directory of one machine"})
		}
	}
	return faults
}

// holdsPath finds root as a whole path, not as the tail of a longer one. A
// root of a single element, such as /src, stands in too many other things to
// look for.
func holdsPath(line []byte, root string) bool {
	if strings.Count(root, "/") < 2 && !strings.Contains(root, `\`) {
		return false
	}
	for rest := line; ; {
		i := bytes.Index(rest, []byte(root))
		if i < 0 {
			return false
		}
		end := i + len(root)
		if (i == 0 || !pathByte(rest[i-1])) && (end == len(rest) || !pathByte(rest[end]) || rest[end] == '/') {
			return true
		}
		rest = rest[end:]
	}
}

func pathByte(c byte) bool {
	return c == '/' || c == '.' || c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
