package goobj

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Archive is the compiled form of one package.
type Archive struct {
	Objects []*Object // the compiler's first, then the assembler's
	// Foreign are the names of members that are no Go objects: what a C compiler
	// made, and notes to the linker about it.
	Foreign []string
}

const (
	archiveMagic = "!<arch>\n"
	memberHeader = 60
	exportData   = "__.PKGDEF"
)

// Read reads an archive.
func Read(data []byte) (*Archive, error) {
	rest, ok := bytes.CutPrefix(data, []byte(archiveMagic))
	if !ok {
		return nil, errors.New("read archive: not an archive")
	}
	a := new(Archive)
	for len(rest) > 0 {
		name, body, next, err := member(rest)
		if err != nil {
			return nil, fmt.Errorf("read archive: at byte %d: %w", len(data)-len(rest), err)
		}
		rest = next
		switch {
		case name == exportData:
		case bytes.HasPrefix(body, []byte(objectLine)):
			o, err := readObject(body)
			if err != nil {
				return nil, fmt.Errorf("read archive: member %s: %w", name, err)
			}
			a.Objects = append(a.Objects, o)
		default:
			a.Foreign = append(a.Foreign, name)
		}
	}
	return a, nil
}

// member splits the first member off.
func member(data []byte) (name string, body, rest []byte, err error) {
	if len(data) < memberHeader || data[58] != '`' || data[59] != '\n' {
		return "", nil, nil, errors.New("no member begins here")
	}
	size, err := strconv.ParseUint(strings.TrimRight(string(data[48:58]), " "), 10, 63)
	if err != nil || size > uint64(len(data)-memberHeader) {
		return "", nil, nil, fmt.Errorf("a member of %q bytes does not end within the archive", bytes.TrimRight(data[48:58], " "))
	}
	name = strings.TrimRight(string(data[:16]), " /")
	body, rest = data[memberHeader:memberHeader+size], data[memberHeader+size:]
	if size%2 == 1 && len(rest) > 0 {
		rest = rest[1:] // members begin at even offsets
	}
	return name, body, rest, nil
}

// objectLine begins an object: "go object linux amd64 go1.26.8 …".
const objectLine = "go object "

// release is the one that this reader was written for.
const release = "go1.26"

// Known reports whether objects that begin with this line are understood: the
// magic number of the format stayed the same when numbers of relocations and
// flags were given new meanings, so that the release decides.
func Known(line string) bool {
	fields := strings.Fields(line)
	return len(fields) > 4 && strings.HasPrefix(line, objectLine) && (fields[4] == release || strings.HasPrefix(fields[4], release+"."))
}

// preamble splits an object into its text and the object itself. The text is
// without the build id, which differs where nothing else does.
func preamble(body []byte) (line, text string, object []byte, err error) {
	const end = "\n!\n"
	i := bytes.Index(body, []byte(end))
	if i < 0 {
		return "", "", nil, errors.New("the text before the object does not end")
	}
	object = body[i+len(end):]
	var kept strings.Builder
	for l := range strings.Lines(string(body[:i])) {
		if line == "" {
			line = strings.TrimRight(l, "\n")
		}
		if !strings.HasPrefix(l, "build id ") {
			kept.WriteString(l)
		}
	}
	if !Known(line) {
		return "", "", nil, fmt.Errorf("%q: unsupported Go version", line)
	}
	return line, kept.String(), object, nil
}
