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

// differing returns the names, in their order, of the files that are not the same
// on both sides.
func differing(sides [2]data) (names []string) {
	all := make(map[string]bool)
	for _, d := range sides {
		for name := range d.files {
			all[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if sides[compare.Old].files[name] != sides[compare.New].files[name] {
			names = append(names, name)
		}
	}
	return names
}

// cut reports whether not all files of both sides were read.
func cut(sides [2]data) bool { return sides[compare.Old].cut || sides[compare.New].cut }

// inTestdata reports whether a name has an element testdata.
func inTestdata(name string) bool { return slices.Contains(strings.Split(name, "/"), "testdata") }

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
// a package. It goes into a directory that a link leads to, and not into those
// that links in there lead to: then not all is read.
func readData(root fs.FS, dir string) data {
	d, left := data{files: map[string]string{}}, int64(dataBytes)
	linked := false
	var visit fs.WalkDirFunc
	visit = func(name string, e fs.DirEntry, err error) error {
		inside := inTestdata(name)
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
		case e.Type()&fs.ModeSymlink != 0 && isDir(root, name):
			if linked {
				d.cut = true
				return nil
			}
			linked = true
			_ = fs.WalkDir(root, name, visit)
			linked = false
			return nil
		}
		content, n := contentOf(root, name, left)
		d.files[name] = content
		left -= n
		return nil
	}
	_ = fs.WalkDir(root, dir, visit)
	d.cut = d.cut || left <= 0
	return d
}

// isDir reports whether a name leads to a directory.
func isDir(root fs.FS, name string) bool {
	info, err := fs.Stat(root, name)
	return err == nil && info.IsDir()
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
