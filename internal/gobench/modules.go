package gobench

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// ownModules lists the modules whose source the user owns. It reads go.mod
// and go.work through the go command, which needs neither the network nor the
// modules' dependencies for that.
func ownModules(ctx context.Context, t *Target, o BuildOptions) ([]OwnModule, error) {
	var own []OwnModule
	add := func(path, dir string) {
		if path == "" || dir == "" {
			return
		}
		if m := (OwnModule{path, filepath.Clean(dir)}); !slices.Contains(own, m) {
			own = append(own, m)
		}
	}
	add(t.Module, t.ModuleDir)

	main, err := mainModules(ctx, t.WorkDir, o)
	if err != nil || len(main) == 0 {
		return own, err
	}
	for _, m := range main {
		add(m.Path, m.Dir)
		if err := addReplaced(ctx, t, o, add, m.Dir, "mod", "edit", "-json", m.GoMod); err != nil {
			return nil, err
		}
	}
	stdout, _, res, err := goCommand(ctx, t.WorkDir, o.Env, "env", "GOWORK")
	if err != nil {
		return nil, err
	}
	if work := strings.TrimSpace(string(stdout)); res.OK() && work != "" && work != "off" {
		if err := addReplaced(ctx, t, o, add, filepath.Dir(work), "work", "edit", "-json", work); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// mainModule is one as the go command describes it.
type mainModule struct {
	Path, Dir, GoMod string
	Main             bool
}

// mainModules are the modules that a build in a directory is about: the one
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
// directory. A file that cannot be read replaces nothing.
func addReplaced(ctx context.Context, t *Target, o BuildOptions, add func(path, dir string), dir string, args ...string) error {
	stdout, _, res, err := goCommand(ctx, t.WorkDir, o.Env, args...)
	if err != nil {
		return err
	}
	var file struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if !res.OK() || json.Unmarshal(stdout, &file) != nil {
		return nil
	}
	for _, r := range file.Replace {
		if r.New.Version != "" {
			continue
		}
		to := filepath.FromSlash(r.New.Path)
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		add(r.Old.Path, to)
	}
	return nil
}
