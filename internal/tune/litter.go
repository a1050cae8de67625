package tune

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/quantity"
)

// mostFiles bounds the directories that are searched for files left by benchmarks: a
// larger one gets no warning.
const mostFiles = 20_000

// fileMark tells whether a file was written to; without info there is none.
type fileMark struct{ info fs.FileInfo }

func (m fileMark) same(o fileMark) bool {
	if m.info == nil || o.info == nil {
		return m.info == o.info
	}
	return os.SameFile(m.info, o.info) && m.info.Size() == o.info.Size() && m.info.ModTime().Equal(o.info.ModTime())
}

// filesIn returns the regular files below a directory, without those of version
// control and of recordings; nil where they are too many or cannot be read.
func filesIn(dir string) map[string]fileMark {
	files := make(map[string]fileMark)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // one that went away meanwhile, or is nobody's to read
		case d.IsDir() && path != dir && (d.Name() == ".git" || strings.Contains(d.Name(), ".whet")):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		case len(files) == mostFiles:
			return fs.ErrInvalid
		}
		if info, err := d.Info(); err == nil {
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			files[filepath.ToSlash(rel)] = fileMark{info}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return files
}

// litter says which files were not there before; "": none, or nobody knows.
func litter(before, after map[string]fileMark) string {
	if before == nil {
		return ""
	}
	var names []string
	bytes := int64(0)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, was := before[name]; !was {
			names = append(names, fmt.Sprintf("%s (%s)", name, quantity.Bytes(float64(after[name].info.Size()))))
			bytes += after[name].info.Size()
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s appeared in the package's directory during its tests and benchmarks: %s; remove them",
		quantity.Plural(len(names), "file"), quantity.Bytes(float64(bytes)), quantity.Some(names, 3))
}
