package compiler

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	format "whet/internal/format/compiler"
	"whet/internal/gobench"
	"whet/internal/recording"
)

// maxLog bounds one file of the compiler's JSON, which is of one source file.
const maxLog = 64 << 20

// Decisions returns the compiler's decisions about packages, given by import path, and
// with tests about those of the target, from its text and its JSON. The compiler writes
// no JSON for results from the build cache; these packages are therefore compiled
// again, but not their imports. File names are absolute if the file is known. Warnings
// list unreadable output.
func Decisions(ctx context.Context, t *gobench.Target, o gobench.BuildOptions, packages []string, tests bool) (r *format.Report, warnings []string, err error) {
	log, err := os.MkdirTemp("", "whet-compiler-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a directory for the compiler's output: %w: set TMPDIR to a writable directory", recording.RootCause(err))
	}
	defer os.RemoveAll(log)
	packages = slices.Compact(slices.Sorted(slices.Values(packages)))
	text, dropped, err := question{target: t, options: o, packages: packages, tests: tests, log: log}.ask(ctx)
	if err != nil {
		return nil, nil, err
	}
	if dropped > 0 {
		warnings = append(warnings, fmt.Sprintf("the compiler printed more than %d MiB: %d bytes were dropped; name fewer packages", maxDiagnostics>>20, dropped))
	}
	r = &format.Report{}
	r.AddText(normalise(text, t))
	files := 0
	err = filepath.WalkDir(log, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case d.IsDir() || filepath.Ext(name) != ".json":
			return nil
		}
		about, _ := filepath.Rel(log, name)
		st, err := d.Info()
		if err == nil && st.Size() > maxLog {
			err = fmt.Errorf("larger than %d MiB", maxLog>>20)
		}
		var data []byte
		if err == nil {
			data, err = os.ReadFile(name)
		}
		if err == nil {
			files++
			err = r.AddJSON(data)
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("the compiler's log %s: %v: its decisions there are missing", filepath.ToSlash(about), recording.RootCause(err)))
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read the compiler's output: %w", err)
	}
	if files == 0 && len(text) == 0 {
		warnings = append(warnings, "the compiler reported no decisions: it decides on generic functions in the packages that use them")
	}
	if files == 0 && len(text) > 0 {
		warnings = append(warnings, "the compiler wrote no JSON: bounds checks, nil checks and calls that were not inlined are unknown")
	}
	if r.Cut {
		warnings = append(warnings, "the compiler's output was cut: name fewer packages")
	}
	r.MapFiles(func(file string) string {
		if filepath.IsAbs(file) {
			return file
		}
		return locate(file, "", t)
	})
	return r, warnings, nil
}
