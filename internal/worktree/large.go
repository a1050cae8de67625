package worktree

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// pointer is what git LFS stores in place of a large file.
type pointer struct {
	sha256 string
	size   int64
}

const (
	pointerHead = "version https://git-lfs.github.com/spec/v1\n"
	maxPointer  = 1024
)

// parsePointer reads a pointer: lines of a key, a blank and a value, of which
// oid and size matter.
func parsePointer(data []byte) (p pointer, ok bool) {
	if len(data) >= maxPointer || !bytes.HasPrefix(data, []byte(pointerHead)) {
		return p, false
	}
	p.size = -1
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "oid":
			name, _ := strings.CutPrefix(value, "sha256:")
			if sum, err := hex.DecodeString(name); err == nil && len(sum) == 32 {
				p.sha256 = strings.ToLower(name)
			}
		case "size":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				p.size = n
			}
		}
	}
	return p, p.sha256 != "" && p.size >= 0
}

// fetchLarge replaces the pointers of git LFS among the files of a checkout
// below sub by what they stand for, as far as the repository's store has it.
func (t *Tree) fetchLarge(entries []entry, sub, commonDir string) error {
	if !t.usesLFS(entries, sub) {
		return nil
	}
	for _, e := range entries {
		name := path.Join(sub, e.path)
		p, ok := t.pointer(name)
		if !ok {
			continue
		}
		stored := filepath.Join(commonDir, "lfs", "objects", p.sha256[:2], p.sha256[2:4], p.sha256)
		done, err := t.replace(name, stored, p.size)
		if err != nil {
			return err
		}
		if !done {
			t.pointers = append(t.pointers, name)
		}
	}
	return nil
}

// usesLFS reports whether one of the tree's attributes names the filter.
func (t *Tree) usesLFS(entries []entry, sub string) bool {
	for _, e := range entries {
		if path.Base(e.path) != ".gitattributes" {
			continue
		}
		if text, err := t.read(path.Join(sub, e.path), 1<<20); err == nil && bytes.Contains(text, []byte("filter=lfs")) {
			return true
		}
	}
	return false
}

func (t *Tree) pointer(name string) (pointer, bool) {
	st, err := t.root.Lstat(filepath.FromSlash(name))
	if err != nil || !st.Mode().IsRegular() || st.Size() >= maxPointer {
		return pointer{}, false
	}
	data, err := t.read(name, maxPointer)
	if err != nil {
		return pointer{}, false
	}
	return parsePointer(data)
}

// read returns the first bytes of a file of the tree.
func (t *Tree) read(name string, limit int64) ([]byte, error) {
	f, err := t.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// replace writes the stored file over a file of the tree, unless it is not
// there in its full size.
func (t *Tree) replace(name, stored string, size int64) (bool, error) {
	from, err := os.Open(stored)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer from.Close()
	if st, err := from.Stat(); err != nil || st.Size() != size {
		return false, err
	}
	to, err := t.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return false, err
	}
	if _, err := io.CopyN(to, from, size); err != nil {
		to.Close()
		return false, fmt.Errorf("write %s: %w", name, err)
	}
	return true, to.Close()
}
