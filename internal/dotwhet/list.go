package dotwhet

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"whet/internal/cli"
	"whet/internal/filelock"
	"whet/internal/printable"
	"whet/internal/recording"
)

// Entry is a recording of the place.
type Entry struct {
	Name     string // without ".whet"
	Path     string // as users see it
	Manifest recording.Manifest

	dir, file string
}

// base returns what @NAME calls it by, besides its name.
func (e *Entry) base() string {
	if recording.Numbered(e.Manifest.DefaultName, e.file) > 0 {
		return e.Manifest.DefaultName
	}
	return e.Name
}

// unnamed reports whether whet chose the name, and it is still the same.
func (e *Entry) unnamed() bool {
	return e.Manifest.DefaultName != "" && recording.Numbered(e.Manifest.DefaultName, e.file) > 0
}

// List returns the recordings, the newest first. Unreadable ones are left out.
func (p Dir) List() ([]Entry, error) {
	var list []Entry
	for _, dir := range []string{p.own, p.cache} {
		if dir == "" {
			continue
		}
		if err := checkDir(dir); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("look for recordings in %s: %w", dir, recording.RootCause(err))
		}
		for _, f := range files {
			name, ok := strings.CutSuffix(f.Name(), Suffix)
			if !ok || name == "" || !f.IsDir() { // nor a link
				continue
			}
			e := Entry{Name: name, Path: p.shown(filepath.Join(dir, f.Name())), dir: dir, file: f.Name()}
			rec, err := recording.Open(filepath.Join(dir, f.Name()))
			if err != nil {
				continue
			}
			e.Manifest = rec.Manifest
			rec.Close()
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return b.Manifest.Origin.Compare(a.Manifest.Origin) })
	return list, nil
}

// Resolve returns the path of the recording that an operand means: @ is the
// newest, @2 the one before it, and @NAME the newest of that name. Any other
// operand is returned as it is.
func (p Dir) Resolve(operand string) (string, error) {
	asked, ok := strings.CutPrefix(operand, "@")
	if !ok {
		return operand, nil
	}
	if strings.ContainsAny(asked, `/\`) {
		return "", cli.UsageError("%s: a short name has no slash: write @, @2 or @NAME, or ./%s for a path", operand, operand)
	}
	_, _ = p.adopt() // what cannot be named hinders nobody from the others; Trim says it
	list, err := p.List()
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", cli.UsageError("%s: %s", operand, None)
	}
	n, err := strconv.Atoi(asked)
	switch {
	case asked == "":
		return list[0].Path, nil
	case err == nil && n > 0 && n <= len(list):
		return list[n-1].Path, nil
	case err == nil:
		return "", cli.UsageError("%s: out of range: @1 to @%d exist; whet recordings lists them", operand, len(list))
	}
	asked = strings.TrimSuffix(asked, Suffix)
	var names []string
	for _, e := range list {
		if e.Name == asked || e.base() == asked {
			return e.Path, nil
		}
		if !slices.Contains(names, "@"+e.base()) {
			names = append(names, "@"+e.base())
		}
	}
	return "", cli.UsageError("%s: no recording of that name here; want one of %s", operand, strings.Join(names, ", "))
}

// Tidy follows a recording that was written to out, "" where whet chose its
// name, and keeps so many.
func Tidy(e *cli.Env, out string, keep int) {
	if out != "" {
		return
	}
	p, err := Of(".")
	if err == nil {
		err = p.Trim(keep, e.Stderr)
	}
	if err != nil {
		e.Warn([]string{err.Error()})
	}
}

// adopt gives names to what killed runs left, and returns the paths.
func (p Dir) adopt() (paths []string, err error) {
	for _, dir := range []string{p.own, p.cache} {
		if dir == "" || dir == p.own && checkDir(dir) != nil {
			continue
		}
		names, failed := recording.Adopt(dir)
		for _, name := range names {
			paths = append(paths, p.shown(name))
		}
		err = errors.Join(err, failed)
	}
	return paths, err
}

// Trim removes the oldest recordings that whet named itself, with their pages, until
// keep are left, and reports them, and recordings left by killed runs. A partial one,
// or one in use, stays.
func (p Dir) Trim(keep int, say io.Writer) error {
	killed, err := p.adopt()
	for _, path := range killed {
		fmt.Fprintf(say, "whet: a killed run left %s; it can be opened, with the measurements until the kill\n", printable.Message(path))
	}
	failed := err
	list, err := p.List()
	if err != nil {
		return errors.Join(failed, err)
	}
	list = slices.DeleteFunc(list, func(e Entry) bool { return !e.unnamed() || e.Manifest.Partial != "" })
	for i := keep; i < len(list); i++ {
		removed, err := list[i].remove()
		failed = errors.Join(failed, err)
		if removed {
			fmt.Fprintf(say, "whet: removed %s: whet keeps the last %d with default names (-keep)\n", printable.Message(list[i].Path), keep)
		}
	}
	return failed
}

// remove takes a recording away unless somebody reads it.
func (e *Entry) remove() (bool, error) {
	root, err := os.OpenRoot(e.dir)
	if err != nil {
		return false, fmt.Errorf("remove %s: %w", e.Path, recording.RootCause(err))
	}
	defer root.Close()
	if st, err := root.Lstat(e.file); err != nil || !st.IsDir() {
		return false, nil
	}
	lock, locked, err := filelock.Exclusive(filepath.Join(e.dir, e.file, recording.ManifestName), 0)
	if err != nil || !locked {
		return false, nil // it is read, or nobody can tell
	}
	// Without its manifest it is no recording any more: nobody opens the rest.
	err = filelock.Remove(lock)
	err = errors.Join(err, root.RemoveAll(e.file))
	if page := e.Name + ".html"; err == nil {
		if st, statErr := root.Lstat(page); statErr == nil && st.Mode().IsRegular() {
			err = root.Remove(page)
		}
	}
	if err != nil {
		return false, fmt.Errorf("remove %s: %w", e.Path, recording.RootCause(err))
	}
	return true, nil
}
