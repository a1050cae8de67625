package source

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// candidate is a path at which a file may lie.
type candidate struct {
	path   string
	root   string // the directory it belongs to: links that lead out of it are not followed
	origin Origin
	// guess reports that only the end of the name matches.
	guess bool
}

// errLink says of a place that something is there, but not below its root.
var errLink = errors.New("it is a link, or lies below one, that leads out of the directory it belongs to, and such links are not followed")

// rooted says which directory a file belongs to: GOROOT, the module cache, or
// the user's module that it lies in, and dir where it is in none of them.
func (f *Finder) rooted(path, dir string) candidate {
	roots := []string{f.goroot(), f.GOMODCACHE}
	if f.BuildGOROOT != "" {
		roots = append(roots, filepath.Join(filepath.FromSlash(f.BuildGOROOT), "src"))
	}
	for i := range f.Modules {
		if f.Modules[i].Main {
			roots = append(roots, f.Modules[i].Dir)
		}
	}
	p := candidate{path: path, root: dir}
	length := 0
	for _, root := range roots {
		if _, ok := inside(root, filepath.ToSlash(path)); ok && len(root) > length {
			p.root, length = root, len(root)
		}
	}
	return p
}

// named returns the place of an absolute name. In no directory that is known it
// belongs to the module around it, or else to its own directory.
func (f *Finder) named(path string, origin Origin) candidate {
	clean := filepath.Clean(path)
	p := f.rooted(clean, "")
	if p.root == "" {
		p.root = cmp.Or(above(filepath.Dir(clean), "go.mod"), filepath.Dir(clean))
	}
	p.path, p.origin = path, origin
	return p
}

// stat is of a regular file, and fs.ErrNotExist where there is none.
func (p candidate) stat() (fs.FileInfo, error) {
	if _, err := os.Lstat(p.path); err != nil {
		return nil, fs.ErrNotExist // most places: cheaper than opening the root
	}
	root, name, err := p.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	switch {
	case err != nil && p.leadsOut():
		return nil, errLink
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fs.ErrNotExist
	}
	return info, nil
}

// open opens the root, and says what the file is called below it.
func (p candidate) open() (root *os.Root, name string, err error) {
	if name, err = filepath.Rel(p.root, p.path); err == nil {
		root, err = os.OpenRoot(p.root)
	}
	return root, name, err
}

// leadsOut reports whether the file exists for a reader that follows links.
func (p candidate) leadsOut() bool {
	_, err := os.Stat(p.path)
	return err == nil
}

// read returns the text, and when it was last changed.
func (p candidate) read() (text []byte, changed time.Time, err error) {
	// Opening a pipe waits for a writer: check first.
	if info, err := os.Lstat(p.path); err != nil || !info.Mode().IsRegular() {
		if _, err := p.stat(); err != nil {
			return nil, changed, fmt.Errorf("read source %s: %w", p.path, err)
		}
	}
	root, name, err := p.open()
	if err != nil {
		return nil, changed, fmt.Errorf("read source: %w", err)
	}
	defer root.Close()
	file, err := root.Open(name)
	if err != nil {
		if _, reason := p.stat(); reason != nil {
			return nil, changed, fmt.Errorf("read source %s: %w", p.path, reason)
		}
		return nil, changed, fmt.Errorf("read source: %w", err)
	}
	defer file.Close()
	return readAll(file, p.path)
}

func readAll(file *os.File, name string) (text []byte, changed time.Time, err error) {
	var data bytes.Buffer
	info, err := file.Stat()
	if err == nil {
		data.Grow(int(min(info.Size(), MaxSize)) + bytes.MinRead)
		_, err = data.ReadFrom(io.LimitReader(file, MaxSize+1))
	}
	if err != nil {
		return nil, changed, fmt.Errorf("read source: %w", err)
	}
	if data.Len() > MaxSize {
		return nil, changed, fmt.Errorf("read source %s: larger than %d MiB", name, MaxSize>>20)
	}
	return data.Bytes(), info.ModTime(), nil
}
