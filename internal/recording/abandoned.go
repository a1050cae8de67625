package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"whet/internal/filelock"
)

// aliveName is the file whose lock says that somebody writes a recording: the
// system gives it back when the writer is killed.
const aliveName = ".writing"

// temporary is part of the name of a directory while a recording is written to it.
const temporary = suffix + ".tmp-"

// lock says that the recording is written. The file gets its name once it is locked:
// nobody finds it free before.
func (w *Writer) lock() {
	name := filepath.Join(w.dir, aliveName)
	f, locked, err := filelock.Exclusive(name+".new", os.O_CREATE)
	if err != nil || !locked {
		return
	}
	if os.Rename(name+".new", name) != nil { // Windows renames no file that is open, and makes it locked
		filelock.Remove(f)
		f, _, _ = filelock.Exclusive(name, os.O_CREATE)
	}
	w.alive = f
}

// unlock removes the file, where the system allows it before the lock is given back.
func (w *Writer) unlock() {
	if w.alive == nil {
		return
	}
	name := filepath.Join(w.dir, aliveName)
	err := os.Remove(name)
	w.alive.Close()
	if err != nil {
		os.Remove(name)
	}
	w.alive = nil
}

// Adopt gives names to the recordings that killed runs left in dir, and returns the
// names. A readable one gets its intended name followed by "-killed". One that is still
// written keeps its name, and so does one whose state is unknown.
func Adopt(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for recordings of killed runs in %s: %w", dir, RootCause(err))
	}
	for _, e := range entries {
		base, _, ok := strings.Cut(strings.TrimPrefix(e.Name(), "."), temporary)
		if !ok || base == "" || !strings.HasPrefix(e.Name(), ".") || !e.IsDir() {
			continue
		}
		from := filepath.Join(dir, e.Name())
		lock, locked, lockErr := filelock.Exclusive(filepath.Join(from, aliveName), 0)
		if lockErr != nil || !locked {
			continue
		}
		rec, openErr := Open(from)
		if openErr != nil {
			lock.Close()
			continue
		}
		rec.Close()
		name, adoptErr := adopt(dir, from, base+"-killed", lock)
		if adoptErr != nil {
			err = errors.Join(err, fmt.Errorf("name the recording of a killed run %s: %w", from, RootCause(adoptErr)))
			continue
		}
		names = append(names, name)
	}
	return names, err
}

// adopt renames a directory to a free name, with a number if necessary. A process that
// waits for the lock finds no directory under the old name.
func adopt(dir, from, name string, lock *os.File) (string, error) {
	defer lock.Close()
	for n := 1; ; n++ {
		final := name
		if n > 1 {
			final += "-" + strconv.Itoa(n)
		}
		final = filepath.Join(dir, final+suffix)
		if exists(final) {
			continue
		}
		err := os.Rename(from, final)
		if err != nil && !exists(final) {
			lock.Close() // Windows renames no directory with an open file in it
			err = os.Rename(from, final)
		}
		if err == nil {
			os.Remove(filepath.Join(final, aliveName))
		}
		if err == nil || !exists(final) {
			return final, err
		}
	}
}
