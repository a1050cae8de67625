package worktree

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/capture/process"
)

// Modules makes the go command find, from the copy, the modules that it finds
// from the place that the copy was made of: those that go.mod replaces by a
// directory and those that go.work uses, where they lie outside of the tree,
// and the workspace itself where it lies around it. For that the files go.mod
// and go.work of the copy are edited. What lies in the tree is taken from the
// copy.
//
// It looks at the module around the directory sub, or at the workspace that
// this module is in. The variables env are those that the go command runs
// with; more are those to be added to them.
func (t *Tree) Modules(ctx context.Context, top, sub string, env []string, ignores func(name string) bool) (more []string, err error) {
	m := &modules{ctx: ctx, t: t, top: top, env: append(os.Environ(), env...), ignores: ignores}
	here := filepath.Join(t.Dir, filepath.FromSlash(sub))
	if top == "" || !isDir(here) {
		return nil, nil // a bare repository has no place; a package that is missing will be asked for
	}
	dirs, more, err := m.workspace(here, filepath.Join(top, filepath.FromSlash(sub)))
	if err != nil {
		return nil, fmt.Errorf("find the modules of %s: %w", sub, err)
	}
	if dirs == nil {
		if dir := m.moduleAround(here); dir != "" && !exists(filepath.Join(dir, "vendor", "modules.txt")) {
			dirs = []string{dir}
		}
	}
	for _, dir := range dirs {
		if err := m.replacements(dir); err != nil {
			return nil, fmt.Errorf("find the modules of %s: %w", sub, err)
		}
	}
	if len(m.outside) > 0 {
		t.Warnings = append(t.Warnings, "modules outside the tree, in their current state: "+Names(m.outside))
	}
	return more, nil
}

type modules struct {
	ctx     context.Context
	t       *Tree
	top     string
	env     []string
	ignores func(string) bool
	outside []string // directories
}

// workspace returns the directories in the copy of the modules that the
// workspace around here uses, nil when there is none; there is the directory
// that here was copied from.
func (m *modules) workspace(here, there string) (dirs, more []string, err error) {
	work := m.goWork(here)
	if _, ok := below(m.t.Dir, work); !ok {
		// What is found above the copy does not matter, if it is not what is
		// found from where it was made, or named by GOWORK.
		found := work
		if work = m.goWork(there); work == "" {
			return nil, off(found), nil
		}
		if rel, ok := below(m.top, work); ok {
			work = filepath.Join(m.t.Dir, rel)
			switch {
			case exists(work):
				more = append(more, "GOWORK="+work)
			case slices.ContainsFunc(m.env, func(e string) bool { return strings.HasPrefix(e, "GOWORK=") && len(e) > len("GOWORK=") }):
				return nil, nil, fmt.Errorf("GOWORK is %s, which does not exist in the tree", printable(rel))
			default:
				return nil, off(found), nil // the revision has none
			}
		}
	}
	base := filepath.Dir(work) // of the paths in it, as the user's tree sees it
	if rel, ok := below(m.t.Dir, work); ok {
		base = filepath.Join(m.top, filepath.Dir(rel))
	} else {
		copied := filepath.Join(filepath.Dir(m.t.Dir), "go.work")
		if err := copyFile(work, copied); err != nil {
			return nil, nil, err
		}
		if err := copyFile(work+".sum", copied+".sum"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, nil, err
		}
		m.t.Warnings = append(m.t.Warnings, "a workspace outside the tree, in its current state: "+printable(work))
		work = copied
		more = append(more, "GOWORK="+work)
	}
	var file struct {
		Use     []struct{ DiskPath string }
		Replace []replacement
	}
	if err := m.read(&file, "work", "edit", "-json", work); err != nil {
		return nil, nil, err
	}
	edits := []string{"work", "edit"}
	dirs = []string{}
	for _, u := range file.Use {
		to, keep := m.place(base, filepath.Dir(work), u.DiskPath)
		if to != u.DiskPath {
			edits = append(edits, "-dropuse="+u.DiskPath)
			if keep {
				edits = append(edits, "-use="+to)
			}
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(work), to)
		}
		if _, ok := below(m.t.Dir, to); ok && keep && exists(filepath.Join(to, "go.mod")) {
			dirs = append(dirs, to)
		}
	}
	edits = append(edits, m.edits(file.Replace, base, filepath.Dir(work))...)
	if len(edits) > 2 {
		err = m.run(append(edits, work)...)
	}
	return dirs, more, err
}

// off keeps the go command from a workspace that it would find.
func off(found string) []string {
	if found == "" {
		return nil
	}
	return []string{"GOWORK=off"}
}

// goWork returns the workspace's file as the go command sees it from a directory,
// "" when there is none. What else is wrong there, the build will say.
func (m *modules) goWork(dir string) string {
	if !isDir(dir) {
		return ""
	}
	out, err := m.output(dir, "env", "GOWORK")
	work := strings.TrimSpace(string(out))
	if err != nil || work == "off" || !filepath.IsAbs(work) {
		return ""
	}
	if real, err := filepath.EvalSymlinks(work); err == nil {
		work = real
	}
	return work
}

// moduleAround returns the directory at or above dir, within the copy, that has a
// go.mod, "" when none has.
func (m *modules) moduleAround(dir string) string {
	for {
		if _, ok := below(m.t.Dir, dir); !ok {
			return ""
		}
		if exists(filepath.Join(dir, "go.mod")) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// replacement is one of go.mod or go.work; New.Version is "" for a directory.
type replacement struct {
	Old, New struct{ Path, Version string }
}

// replacements edits the go.mod in a directory of the copy.
func (m *modules) replacements(dir string) error {
	rel, _ := below(m.t.Dir, dir)
	name := filepath.Join(dir, "go.mod")
	if data, err := os.ReadFile(name); err == nil && !bytes.Contains(data, []byte("replace")) {
		return nil
	}
	var file struct{ Replace []replacement }
	if err := m.read(&file, "mod", "edit", "-json", name); err != nil {
		var told *refusal
		if errors.As(err, &told) {
			return nil // the build will say what is wrong with it
		}
		return err
	}
	edits := m.edits(file.Replace, filepath.Join(m.top, rel), dir)
	if len(edits) == 0 {
		return nil
	}
	return m.run(append(append([]string{"mod", "edit"}, edits...), name)...)
}

func (m *modules) edits(all []replacement, base, dir string) []string {
	var out []string
	for _, r := range all {
		if r.New.Version != "" {
			continue
		}
		to, keep := m.place(base, dir, r.New.Path)
		if to == r.New.Path || !keep {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		out = append(out, "-replace="+old+"="+to)
	}
	return out
}

// place returns how a file in dir, in the copy or beside it, has to name the
// directory that it called name when it lay in base. One of the tree that the
// copy does not have is kept only where git ignores it: then it is the user's.
func (m *modules) place(base, dir, name string) (to string, keep bool) {
	at := filepath.FromSlash(name)
	if !filepath.IsAbs(at) {
		at = filepath.Join(base, at)
	}
	rel, inside := below(m.top, at)
	copied := filepath.Join(m.t.Dir, rel)
	switch {
	case inside && exists(copied):
		if !filepath.IsAbs(filepath.FromSlash(name)) && filepath.Join(dir, filepath.FromSlash(name)) == copied {
			return name, true
		}
		return copied, true
	case inside && !m.ignores(filepath.ToSlash(rel)):
		return "", false
	}
	m.outside = append(m.outside, at)
	return at, true
}

// read runs the go command and decodes the JSON that it prints.
func (m *modules) read(into any, args ...string) error {
	out, err := m.output(m.t.Dir, args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("go %s: read its answer: %w", strings.Join(args[:2], " "), err)
	}
	return nil
}

func (m *modules) run(args ...string) error {
	_, err := m.output(m.t.Dir, args...)
	return err
}

// output runs the go command, which complains as git does.
func (m *modules) output(dir string, args ...string) ([]byte, error) {
	const kept = 4 << 20
	out, errs := process.NewBounded(kept, 0), process.NewBounded(errKept, 0)
	res, err := process.Run(m.ctx, process.Command{
		Path: "go", Args: args, Dir: dir, Env: append(m.env[:len(m.env):len(m.env)], "PWD="+dir),
		Stdout: out, Stderr: errs, Timeout: gitLimit,
	})
	switch {
	case m.ctx.Err() != nil:
		return nil, context.Cause(m.ctx)
	case err != nil && process.NotFound(err) && isDir(dir):
		return nil, errors.New("the go command is not in PATH: install Go 1.26 or newer from https://go.dev/dl/, or add the bin directory of your Go installation to PATH")
	case err != nil:
		return nil, fmt.Errorf("start the go command: %w", err)
	case !res.OK():
		return nil, &refusal{said: strings.TrimPrefix(complaint(errs.Bytes()), "go: "), status: res.Status()}
	}
	return out.Bytes(), nil
}

// below returns the path of name relative to dir, if it is dir or lies in it.
func below(dir, name string) (string, bool) {
	if dir == "" {
		return "", false
	}
	rel, err := filepath.Rel(dir, name)
	return rel, err == nil && filepath.IsLocal(rel)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}
