package gobench

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Module returns the module or workspace around a directory, as a target
// without a package: its source can be found and asked about, and nothing of it
// can be built. Outside of any module it is an error of KindNoModule.
func Module(ctx context.Context, dir string, o BuildOptions) (*Target, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("look for the module of %s: %w", dir, err)
	}
	t := &Target{WorkDir: dir}
	if err := t.askEnv(ctx, o); err != nil {
		return nil, err
	}
	stdout, stderr, res, err := goCommand(ctx, dir, o.Env, "list", "-m", "-f", "{{.Path}}\t{{.Dir}}")
	if err != nil {
		return nil, err
	}
	first := firstLine(string(stdout)) // of a workspace, its first module
	path, moduleDir, ok := strings.Cut(first, "\t")
	if !res.OK() || !ok || moduleDir == "" {
		return nil, newError(KindNoModule, "", fmt.Sprintf("%s is not in a Go module", dir), string(stderr))
	}
	t.Module, t.ModuleDir = path, moduleDir
	return t, t.ownModules(ctx, o)
}
