package gobench

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// ownModules sets the modules whose source the user owns, and the workspace that
// they are in. It needs neither the network nor the modules' dependencies.
func (t *Target) ownModules(ctx context.Context, o BuildOptions) error {
	add := func(path, dir string) {
		if path == "" || dir == "" {
			return
		}
		if m := (OwnModule{path, filepath.Clean(dir)}); !slices.Contains(t.Own, m) {
			t.Own = append(t.Own, m)
		}
	}
	add(t.Module, t.ModuleDir)

	main, err := mainModules(ctx, t.WorkDir, o)
	if err != nil || len(main) == 0 {
		return err
	}
	for _, m := range main {
		add(m.Path, m.Dir)
		if f, err := modfile.Parse(m.GoMod, readMod(m.GoMod), nil); err == nil {
			addReplaced(add, m.Dir, f.Replace)
		}
	}
	if t.work != "" {
		t.Workspace = filepath.Dir(t.work)
		if f, err := modfile.ParseWork(t.work, readMod(t.work), nil); err == nil {
			addReplaced(add, t.Workspace, f.Replace)
		}
	}
	return nil
}

// readMod reads a go.mod or go.work; one that cannot be read has nothing in it.
func readMod(name string) []byte {
	if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() || st.Size() > maxSource {
		return nil
	}
	data, _ := os.ReadFile(name)
	return data
}

// mainModule is an as the go command describes it.
type mainModule struct {
	Path, Dir, GoMod string
	Main             bool
}

// mainModules returns the modules that a build in a directory is about: the one
// around it, or all of the workspace; none outside of any, where go list -m
// fails.
func mainModules(ctx context.Context, dir string, o BuildOptions) ([]mainModule, error) {
	stdout, _, res, err := goCommand(ctx, dir, o.Env, "list", "-m", "-json=Path,Dir,GoMod,Main")
	if err != nil || !res.OK() {
		return nil, err
	}
	var main []mainModule
	dec := json.NewDecoder(bytes.NewReader(stdout))
	for {
		var m mainModule
		if dec.Decode(&m) != nil {
			return main, nil
		}
		if m.Main && m.Dir != "" {
			main = append(main, m)
		}
	}
}

// addReplaced adds the modules that a go.mod or go.work in dir replaces by a
// directory.
func addReplaced(add func(path, dir string), dir string, replace []*modfile.Replace) {
	for _, r := range replace {
		if r.New.Version != "" {
			continue
		}
		to := filepath.FromSlash(r.New.Path)
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		add(r.Old.Path, to)
	}
}

// Root returns the directory that the files of the module around dir are named from:
// that of the go.work that uses the module, or that of its go.mod; "" outside of
// modules. It looks at files and at GOWORK, as the go command does, and runs
// nothing.
func Root(dir string) string {
	module := Above(dir, "go.mod")
	work := os.Getenv("GOWORK")
	switch work {
	case "off":
		return module
	case "", "auto":
		if work = Above(dir, "go.work"); work != "" {
			work = filepath.Join(work, "go.work")
		}
	}
	if work == "" {
		return module
	}
	root := filepath.Dir(work)
	if module == "" { // in a workspace, and in none of its modules
		if !within(root, dir) {
			return ""
		}
		return root
	}
	if !within(root, module) {
		return module
	}
	f, err := modfile.ParseWork(work, readMod(work), nil)
	if err != nil {
		return module
	}
	for _, use := range f.Use {
		at := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(at) {
			at = filepath.Join(root, at)
		}
		if filepath.Clean(at) == module {
			return root
		}
	}
	return module
}

// Above returns the nearest directory at or above dir, which is absolute, that has a
// file of that name; "" where none has.
func Above(dir, name string) string {
	for dir = filepath.Clean(dir); !regular(dir, name); dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
	return dir
}

// Family returns the outermost of the user's modules that a module's path lies below, or
// the module itself: a module nested in another is called as a part of it.
func (t *Target) Family() string {
	out := t.Module
	for _, m := range t.Own {
		if strings.HasPrefix(out, m.Path+"/") {
			out = m.Path
		}
	}
	return out
}
