package gobench

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Objects are the files of compiled objects that a test binary is linked of, by
// the path that the linker knows each package by: that of the test program
// itself is "main".
type Objects map[string]string

// maxImportcfg bounds the list of packages that a linker is given.
const maxImportcfg = 16 << 20

// Objects returns the objects that the binary was linked of, as the go command told
// the linker. They are unknown of a binary that was not built with BuildOptions.Work,
// or that is linked against shared libraries, and not understood with -cover. The list
// is a file that the go command writes into its work directory, where no release
// promises it: what is not as expected is an error.
func (b *Binary) Objects() (Objects, error) {
	fail := func(why any) (Objects, error) {
		return nil, fmt.Errorf("list the objects of %s: %v", b.Target.ImportPath, why)
	}
	switch {
	case b.work == "":
		return fail("its build is unknown")
	case b.Cover:
		return fail("it is built with -cover")
	}
	found, err := filepath.Glob(filepath.Join(b.work, "go-build*", "b*", "importcfg.link"))
	if err != nil || len(found) != 1 {
		return fail(fmt.Sprintf("%d programs were linked with it", len(found)))
	}
	f, err := os.Open(found[0])
	if err != nil {
		return fail(rootCause(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxImportcfg+1))
	switch {
	case err != nil:
		return fail(rootCause(err))
	case len(text) > maxImportcfg:
		return fail("the list is too long")
	}
	objects, err := readImportcfg(string(text), b.Target.ImportPath+".test")
	if err != nil {
		return fail(err)
	}
	return objects, nil
}

// readImportcfg reads the list of packages for a linker; the first is the program.
func readImportcfg(text, program string) (Objects, error) {
	out := Objects{}
	for line := range strings.Lines(text) {
		verb, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		switch verb {
		case "", "#", "modinfo":
			continue
		case "packagefile":
		default: // packageshlib
			return nil, fmt.Errorf("%q is not understood", verb)
		}
		path, file, ok := strings.Cut(rest, "=")
		if len(out) == 0 {
			if path != program {
				return nil, fmt.Errorf("%q is not the test program", path)
			}
			path = "main"
		}
		if _, again := out[path]; again || !ok || path == "" || file == "" {
			return nil, fmt.Errorf("the line of %q is not understood", path)
		}
		out[path] = file
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is none")
	}
	return out, nil
}
