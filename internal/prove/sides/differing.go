package sides

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
)

// DifferingFiles returns the names, without their directories, of the files in the
// two trees that are not the same in both.
func (p *Pair) DifferingFiles() []string {
	var trees [2]map[string]string
	for w, s := range p.sides {
		if s.tree == nil {
			return nil
		}
		trees[w] = contents(os.DirFS(s.tree.Dir), s.which.String())
	}
	names := make(map[string]bool)
	for w, tree := range trees {
		for name, content := range tree {
			if other, ok := trees[1-w][name]; !ok || other != content {
				names[path.Base(name)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// contents returns what stands for each file of a tree: whether it is executable,
// of a link where it leads to, and a sum of its bytes. What cannot be read is unlike
// everything in a tree of another name.
func contents(root fs.FS, tree string) map[string]string {
	out := make(map[string]string)
	_ = fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			out[name] = "not read: " + tree
		case !e.IsDir():
			out[name] = contentOf(root, name, e)
			if out[name] == "" {
				out[name] = "not read: " + tree
			}
		}
		return nil
	})
	return out
}

// contentOf returns what stands for one file, "" where it cannot be read.
func contentOf(root fs.FS, name string, e fs.DirEntry) string {
	link := ""
	if e.Type()&fs.ModeSymlink != 0 {
		var err error
		if link, err = fs.ReadLink(root, name); err != nil {
			return ""
		}
	}
	info, err := fs.Stat(root, name)
	switch {
	case err != nil && link != "":
		return "to nothing: " + link
	case err != nil:
		return ""
	case !info.Mode().IsRegular(): // of a directory that a link leads to the files have a name of their own
		return fmt.Sprint(info.Mode().Type(), link)
	}
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%v %q %x", info.Mode()&0o100 != 0, link, sha256.Sum256(data))
}
