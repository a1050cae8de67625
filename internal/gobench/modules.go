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

	// The main modules. Outside of any module go list -m fails; then the
	// target's own is all there is.
	stdout, _, res, err := goCommand(ctx, t.WorkDir, o.Env, "list", "-m", "-json=Path,Dir,GoMod,Main")
	if err != nil {
		return nil, err
	}
	if !res.OK() {
		return own, nil
	}
	dec := json.NewDecoder(bytes.NewReader(stdout))
	for {
		var m struct {
			Path, Dir, GoMod string
			Main             bool
		}
		if dec.Decode(&m) != nil {
			break
		}
		if !m.Main {
			continue
		}
		add(m.Path, m.Dir)
		if err := addReplaced(ctx, t, o, add, m.Dir, "mod", "edit", "-json", m.GoMod); err != nil {
			return nil, err
		}
	}
	stdout, _, res, err = goCommand(ctx, t.WorkDir, o.Env, "env", "GOWORK")
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
