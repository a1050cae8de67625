package compiler

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/capture/process"
)

// preprocess has the go command prepare the profiles that the packages are built with.
// go list takes them from the build cache alone, and compiles without a profile, and
// without a word, where go build never prepared it. Of a package without code go build
// prepares the profile and compiles nothing.
func (q question) preprocess(ctx context.Context, env []string) error {
	for _, name := range q.profiles() {
		out := process.NewBounded(64<<10, 0)
		res, err := process.Run(ctx, process.Command{
			Path: "go", Args: []string{"build", "-pgo=" + name, "unsafe"}, Dir: q.target.WorkDir, Env: env, Stderr: out,
		})
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case !res.OK():
			text, _, _ := out.Parts()
			complaint, _ := firstComplaint(text)
			return fmt.Errorf("read the profile of -pgo: %s", complaint)
		}
	}
	return nil
}

// profiles returns the files of -pgo, or of the default.pgo that lie beside packages.
func (q question) profiles() []string {
	value := "auto"
	flags := slices.Concat(strings.Fields(q.target.GOFLAGS), q.options.Flags)
	for i, f := range flags {
		name, v, hasValue := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if name != "pgo" || !strings.HasPrefix(f, "-") {
			continue
		}
		if !hasValue && i+1 < len(flags) {
			v = flags[i+1]
		}
		value = v
	}
	switch value {
	case "off":
		return nil
	case "auto", "":
	default:
		return []string{value}
	}
	var out []string
	for _, p := range q.packages {
		dir := packageDir(p, q.target)
		if dir == "" {
			continue
		}
		name := filepath.Join(dir, "default.pgo")
		if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
			out = append(out, name)
		}
	}
	return out
}
