package benchmarks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/prove/sides"
)

// dataBytes is how much of the files of one directory is read; of what lies
// beyond it names and sizes stand for the content.
const dataBytes = 256 << 20

// data are the files that a package's benchmarks may read, as what stands for
// their content, by name as seen from the package's directory. They are those
// of this directory, of what lies below it and is no package of its own, and of
// the directories testdata of those above it within the module. Go files and
// those of modules are not among them outside of testdata: what they say is in
// the binary.
type data struct {
	files map[string]string
	cut   bool // not all was read
}

// digest stands for all of it; "" where there is none. What cannot be read is
// so the next time too.
func (d data) digest() string {
	if len(d.files) == 0 {
		return ""
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		fmt.Fprintf(sum, "%q %s\n", name, d.files[name])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// differs returns the first name, in their order, that is not the same in both; ""
// for none.
func (d data) differs(other data) string {
	all := maps.Clone(d.files)
	maps.Copy(all, other.files)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if d.files[name] != other.files[name] {
			return name
		}
	}
	return ""
}

// dataOf returns the data of all packages, by side.
func dataOf(pair *sides.Pair) [][2]data {
	r := dataReader{seen: map[string]data{}}
	out := make([][2]data, len(pair.Packages()))
	for i := range out {
		for side := range compare.Sides {
			if t := pair.Binary(side, i).Target; t != nil && t.Dir != "" {
				out[i][side] = r.read(t.ModuleDir, t.Dir)
			}
		}
	}
	return out
}

// dataReader reads every directory once.
type dataReader struct{ seen map[string]data }

func (r *dataReader) read(module, dir string) data {
	out := data{files: map[string]string{}}
	add := func(above string, d data) {
		for name, content := range d.files {
			out.files[path.Join(above, name)] = content
		}
		out.cut = out.cut || d.cut
	}
	add("", r.once(dir, "."))
	for above := ".."; module != "" && dir != module; above = path.Join(above, "..") {
		up := filepath.Dir(dir)
		if rel, err := filepath.Rel(module, up); err != nil || !filepath.IsLocal(rel) || up == dir {
			break
		}
		add(above, r.once(up, "testdata"))
		dir = up
	}
	return out
}

func (r *dataReader) once(dir, below string) data {
	key := filepath.Join(dir, below) + "\x00" + below
	d, ok := r.seen[key]
	if !ok {
		d = readData(os.DirFS(dir), below)
		r.seen[key] = d
	}
	return d
}

// readData reads what lies below a directory of a file system: "." for that of
// a package.
func readData(root fs.FS, dir string) data {
	d, left := data{files: map[string]string{}}, int64(dataBytes)
	_ = fs.WalkDir(root, dir, func(name string, e fs.DirEntry, err error) error {
		inside := name == "testdata" || strings.HasPrefix(name, "testdata/") || strings.Contains(name, "/testdata/") || strings.HasSuffix(name, "/testdata")
		switch {
		case err != nil:
			if name != dir {
				d.files[name] = "cannot be read"
			}
			return nil
		case e.IsDir():
			if name != dir && !inside && (strings.HasPrefix(e.Name(), ".") || isPackage(root, name)) {
				return fs.SkipDir
			}
			return nil
		case !inside && (isSource(e.Name()) || strings.HasPrefix(e.Name(), ".")):
			return nil
		}
		content, n := contentOf(root, name, left)
		d.files[name] = content
		left -= n
		return nil
	})
	d.cut = left <= 0
	return d
}

// contentOf returns what stands for a file's content, of which at most left bytes
// are read.
func contentOf(root fs.FS, name string, left int64) (content string, read int64) {
	info, err := fs.Stat(root, name) // of what a link leads to
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Sprint("no regular file ", info != nil && info.IsDir()), 0
	}
	sum := sha256.New()
	if f, err := root.Open(name); err == nil {
		read, _ = io.Copy(sum, io.LimitReader(f, left))
		f.Close()
	}
	return fmt.Sprintf("%d %x", info.Size(), sum.Sum(nil)), read
}

// isPackage reports whether a directory is one of another package or module.
func isPackage(root fs.FS, dir string) bool {
	entries, _ := fs.ReadDir(root, dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && isSource(e.Name()) })
}

// isSource reports whether a build reads a file of this name.
func isSource(name string) bool {
	switch name {
	case "go.mod", "go.sum", "go.work", "go.work.sum":
		return true
	}
	return strings.HasSuffix(name, ".go")
}
