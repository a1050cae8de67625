package agentcopy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"whet"
	"whet/agent"
	"whet/internal/document"
	"whet/internal/gobench"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// Copy is the agent's source in a directory of the user's.
type Copy struct {
	document.Head
	Dir        string   `json:"dir"` // as the user named it
	ImportPath string   `json:"import_path"`
	Version    int      `json:"version"`
	Replaced   *int     `json:"replaced_version"` // nil: there was none
	Written    bool     `json:"written"`          // false: the same was there
	Files      []string `json:"files"`
}

// Write puts the agent's source into a directory of the module around from; dir is
// relative to that.
func Write(from, dir string) (*Copy, error) {
	c := &Copy{Head: document.New(document.AgentCopy, nil), Dir: dir, Version: agent.Version}
	at, err := c.place(from, dir)
	if err != nil {
		return nil, err
	}
	files, err := whet.AgentSource()
	if err != nil {
		return nil, err
	}
	want := sums{version: agent.Version, of: make(map[string]string)}
	for name, text := range files {
		want.of[name] = sum(text)
	}
	c.Files = slices.Sorted(maps.Keys(files))
	have, err := look(at, dir)
	if err != nil {
		return nil, err
	}
	if have != nil {
		c.Replaced = &have.version
		if have.version == want.version && maps.Equal(have.of, want.of) {
			return c, nil
		}
	}
	files[sumName] = want.text()
	c.Written = true
	if err := replace(at, files); err != nil {
		return nil, fmt.Errorf("write the agent to %s: %w", dir, recording.RootCause(err))
	}
	return c, nil
}

// refuse is about what the user named.
func refuse(format string, args ...any) error {
	return &gobench.Error{Kind: gobench.KindUsage, Text: fmt.Sprintf(format, args...)}
}

// place returns where dir lies, which is to be a package of the module around from.
func (c *Copy) place(from, dir string) (string, error) {
	here, err := filepath.Abs(from)
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return "", fmt.Errorf("look for the module of %s: %w", from, recording.RootCause(err))
	}
	root := gobench.Above(here, "go.mod")
	if root == "" {
		return "", refuse("this directory is in no Go module: run it in the module of the program that is to import the agent")
	}
	at := dir
	if !filepath.IsAbs(at) {
		at = filepath.Join(here, dir)
	}
	if at, err = real(at); err != nil {
		return "", fmt.Errorf("look at %s: %w", dir, recording.RootCause(err))
	}
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", fmt.Errorf("read go.mod: %w", recording.RootCause(err))
	}
	of := modfile.ModulePath(data)
	rel, err := filepath.Rel(root, at)
	switch around := gobench.Above(at, "go.mod"); {
	case of == "":
		return "", refuse("%s names no module", filepath.Join(root, "go.mod"))
	case err != nil || !filepath.IsLocal(rel):
		return "", refuse("%s is outside of the module %s: name a directory in it, such as internal/agent", dir, of)
	case rel == ".":
		return "", refuse("%s is the root of the module %s: name a directory of its own, such as internal/agent", dir, of)
	case around != root:
		return "", refuse("%s is in another module than this directory, with its go.mod in %s: run it there", dir, around)
	}
	c.ImportPath = path.Join(of, filepath.ToSlash(rel))
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if part == "vendor" || part == "testdata" || part[0] == '.' || part[0] == '_' {
			return "", refuse("%s is in a directory %s, which the go command ignores: name another, such as internal/agent", dir, part)
		}
	}
	if err := module.CheckImportPath(c.ImportPath); err != nil {
		return "", refuse("%s cannot be imported: %v: name another directory, such as internal/agent", dir, err)
	}
	return at, nil
}

// real is name without symbolic links above its last element, as far as it exists.
func real(name string) (string, error) {
	dir, base := filepath.Split(filepath.Clean(name))
	if base == "" {
		return name, nil
	}
	up, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		up, err = real(dir)
	}
	return filepath.Join(up, base), err
}

// look reads what lies in the place of a copy: nil where there is nothing. What is
// there and is no whole copy as whet wrote it is an error.
func look(at, dir string) (*sums, error) {
	st, err := os.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look at %s: %w", dir, recording.RootCause(err))
	case st.Mode()&fs.ModeSymlink != 0:
		return nil, refuse("%s is a symbolic link, which whet does not follow: name the directory itself", dir)
	case !st.IsDir():
		return nil, refuse("%s is a file: name a directory, such as internal/agent", dir)
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", dir, recording.RootCause(err))
	}
	if len(entries) == 0 {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(at, sumName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse("%s contains other files, such as %s: name an empty or new directory", dir, entries[0].Name())
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path.Join(dir, sumName), recording.RootCause(err))
	}
	have, err := parseSums(text)
	if err != nil {
		return nil, refuse("read %s: %v: remove %s, and run whet agent again", path.Join(dir, sumName), err, dir)
	}
	var changed, foreign []string
	left := maps.Clone(have.of)
	for _, e := range entries {
		name := e.Name()
		want, ours := have.of[name]
		delete(left, name)
		switch {
		case name == sumName:
		case !ours:
			foreign = append(foreign, name)
		default:
			if text, err := os.ReadFile(filepath.Join(at, name)); err != nil || sum(text) != want {
				changed = append(changed, name)
			}
		}
	}
	changed = append(changed, slices.Sorted(maps.Keys(left))...)
	switch {
	case len(changed) > 0:
		return nil, refuse("%s: %s changed after whet wrote the agent there: take your changes elsewhere and remove %s, or name another directory", dir, quantity.Some(changed, 3), dir)
	case len(foreign) > 0:
		return nil, refuse("%s contains %s, which whet did not write: move it elsewhere, as whet replaces the whole directory", dir, quantity.Some(foreign, 3))
	}
	return have, nil
}

// replace writes files beside a directory and puts them in its place. Where that
// fails, all is as it was.
func replace(at string, files map[string][]byte) (err error) {
	parent := filepath.Dir(at)
	made := parent // the first directory that is not there yet
	for up := filepath.Dir(made); ; made, up = up, filepath.Dir(up) {
		if _, err := os.Stat(made); err == nil {
			made = ""
			break
		} else if _, err := os.Stat(up); err == nil || up == made {
			break
		}
	}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	defer func() {
		if err != nil && made != "" {
			os.RemoveAll(made)
		}
	}()
	fresh, err := os.MkdirTemp(parent, ".whet-agent-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	into := filepath.Join(fresh, "new")
	if err := os.Mkdir(into, 0o777); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(into, name), text, 0o666); err != nil {
			return err
		}
	}
	old := filepath.Join(fresh, "old")
	if err := os.Rename(at, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(into, at); err != nil {
		return errors.Join(err, restore(old, at))
	}
	return nil
}

// restore puts back what was moved away, if anything was.
func restore(old, at string) error {
	if err := os.Rename(old, at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
