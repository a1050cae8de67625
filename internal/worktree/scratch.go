package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"whet/internal/filelock"
)

// Scratch is a directory of ours that does not outlive us for long.
//
// Its owner holds a lock on a file in it, and the system releases that lock
// when the owner dies, however it dies. So a directory whose lock is free has
// no owner any more, and the next NewScratch beside it removes it. A process id would
// not do: another process may have it by now.
//
// Between making the directory and taking the lock somebody else may sweep.
// That is seen: without the file the directory is removed only while it is
// empty, so that the file cannot be made; with it, the file that is locked is
// no longer the one that is there. Both lead to another try.
type Scratch struct {
	Dir string // absolute, without symbolic links

	lock *os.File
}

const (
	prefix   = "whet-trees-"
	lockName = "owner"
	tries    = 10
)

// NewScratch makes a scratch directory in parent, "" for the system's
// directory for temporary files, and removes those beside it whose owners are
// dead.
func NewScratch(parent string) (*Scratch, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	parent, err := filepath.Abs(parent)
	if err == nil {
		parent, err = filepath.EvalSymlinks(parent)
	}
	if err != nil {
		return nil, fmt.Errorf("make a scratch directory: %w", err)
	}
	sweep(parent)
	for try := 0; ; try++ {
		s, err := own(parent)
		if err == nil {
			return s, nil
		}
		if try == tries || !errors.Is(err, errLost) {
			return nil, fmt.Errorf("make a scratch directory: %w", err)
		}
	}
}

// errLost says that somebody swept before the lock was taken.
var errLost = errors.New("the directory was removed by another process")

func own(parent string) (*Scratch, error) {
	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, lockName)
	f, locked, err := filelock.Exclusive(name, os.O_CREATE|os.O_EXCL)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errLost
	case err != nil:
		os.RemoveAll(dir)
		return nil, err
	case !locked:
		return nil, errLost
	}
	// For people who look: what is decided goes by the lock.
	if _, err := fmt.Fprintf(f, "pid %d\n", os.Getpid()); err != nil {
		f.Close()
		os.RemoveAll(dir)
		return nil, err
	}
	have, errHave := f.Stat()
	there, errThere := os.Stat(name)
	if errHave != nil || errThere != nil || !os.SameFile(have, there) {
		f.Close()
		return nil, errLost
	}
	return &Scratch{Dir: dir, lock: f}, nil
}

// Close removes the directory with all that is in it. It may be called twice.
func (s *Scratch) Close() error {
	if s.lock == nil {
		return nil
	}
	err := empty(s.Dir, s.lock)
	s.lock = nil
	return err
}

// empty removes a directory whose lock is held, the file of the lock last: as
// long as anything is left, it can be found by the next sweep.
func empty(dir string, lock *os.File) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != lockName {
			err = errors.Join(err, removeAll(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		lock.Close()
		return fmt.Errorf("remove a scratch directory: %w", err)
	}
	if err := filelock.Remove(lock); err != nil {
		return fmt.Errorf("remove a scratch directory: %w", err)
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a scratch directory: %w", err)
	}
	return nil
}

// removeAll removes also what a program left there without the permission to
// be removed.
func removeAll(name string) error {
	if err := os.RemoveAll(name); err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // RemoveAll says what is left
		}
		return nil
	})
	return os.RemoveAll(name)
}

// sweep removes the directories of dead owners, as far as it can: what it
// cannot remove is in nobody's way.
func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		if st, err := os.Lstat(dir); err != nil || !st.IsDir() || !isOurs(st) {
			continue
		}
		name := filepath.Join(dir, lockName)
		st, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(dir) // goes only while it is empty
			continue
		}
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		if f, locked, err := filelock.Exclusive(name, 0); err == nil && locked {
			_ = empty(dir, f)
		}
	}
}
