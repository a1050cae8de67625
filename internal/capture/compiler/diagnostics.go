package compiler

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/capture/process"
	format "whet/internal/format/compiler"
	"whet/internal/gobench"
)

// maxDiagnostics bounds the text that is kept.
const maxDiagnostics = 32 << 20

// Diagnostics returns the compiler's output with -m=2 for the packages, given by import
// path, and for the target's tests. File names are absolute if the file is known. The
// text is bounded; a last line reports truncation.
func Diagnostics(ctx context.Context, t *gobench.Target, o gobench.BuildOptions, packages []string) ([]byte, error) {
	packages = slices.Compact(slices.Sorted(slices.Values(packages)))
	if len(packages) == 0 {
		return nil, nil
	}
	text, dropped, err := question{target: t, options: o, packages: packages, tests: true}.ask(ctx)
	if err != nil {
		return nil, err
	}
	text = normalise(text, t)
	if dropped > 0 {
		text = fmt.Appendf(text, "# %d more bytes were dropped\n", dropped)
	}
	return text, nil
}

// question is what the compiler is asked.
type question struct {
	target   *gobench.Target
	options  gobench.BuildOptions
	packages []string // import paths
	tests    bool     // the target's tests are compiled too
	log      string   // directory for its JSON; "" for none
}

// ask has the packages compiled with -m=2, and returns what the compiler printed, and
// how many bytes of that were dropped.
func (q question) ask(ctx context.Context) (text []byte, dropped int64, err error) {
	t := q.target
	args := []string{"list", "-export", "-f", ""}
	if q.tests {
		args = append(args, "-test")
	}
	if q.tests && q.log != "" {
		// A package and the same with its tests write the same files.
		args = append(args, "-p=1")
	}
	flags, gcflags := listFlags(q.options.Flags)
	args = append(args, flags...)
	if q.options.Tags != "" {
		args = append(args, "-tags="+q.options.Tags)
	}
	gcflags = strings.TrimSpace(gcflags + " -m=2")
	if q.log != "" {
		mark := "'"
		if strings.Contains(q.log, mark) {
			mark = `"`
		}
		gcflags += " " + mark + "-json=0," + q.log + mark
	}
	for _, p := range q.packages {
		args = append(args, "-gcflags="+p+"="+gcflags)
	}
	about := t.ImportPath
	if t.Operand != "" {
		args = append(args, "--", t.Operand)
	} else { // only the module is known
		about = t.Module
		args = append(append(args, "--"), q.packages...)
	}
	if len(q.packages) == 1 {
		about = q.packages[0]
	}
	out := process.NewBounded(maxDiagnostics, 0)
	env, remove := gobench.Scratch(append(os.Environ(), q.options.Env...))
	defer remove()
	env = append(env, "PWD="+t.WorkDir)
	if err := q.preprocess(ctx, env); err != nil {
		return nil, 0, fmt.Errorf("ask the compiler about %s: %w", about, err)
	}
	res, err := process.Run(ctx, process.Command{
		Path: "go", Args: args, Dir: t.WorkDir, Env: env, Stderr: out,
	})
	switch {
	case ctx.Err() != nil:
		return nil, 0, fmt.Errorf("ask the compiler about %s: %w", about, context.Cause(ctx))
	case err != nil:
		return nil, 0, fmt.Errorf("ask the compiler about %s: %w", about, err)
	}
	text, _, dropped = out.Parts()
	if !res.OK() {
		complaint, of := firstComplaint(text)
		return nil, 0, fmt.Errorf("ask the compiler about %s: %s: %s", cmp.Or(of, about), res.Status(), complaint)
	}
	if dropped > 0 {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
		dropped = out.Total() - int64(len(text))
	}
	return text, dropped, nil
}

// listFlags returns the build flags without those that only go test knows, or
// that would move positions, and apart from them the compiler flags they give
// for all packages.
func listFlags(flags []string) (kept []string, gcflags string) {
	for i := 0; i < len(flags); i++ {
		f := flags[i]
		name, value, hasValue := strings.Cut(strings.TrimLeft(f, "-"), "=")
		next := func() string {
			if !hasValue && i+1 < len(flags) {
				i++
				value = flags[i]
			}
			return value
		}
		switch name {
		case "cover":
		case "covermode", "coverpkg", "vet", "exec", "o":
			next()
		case "gcflags":
			value := next()
			if pattern, rest, ok := strings.Cut(value, "="); ok && !strings.HasPrefix(value, "-") {
				if pattern != "all" {
					continue
				}
				value = rest
			}
			gcflags = value // as in cmd/go the last one holds
		default:
			kept = append(kept, f)
		}
	}
	return kept, gcflags
}

// normalise drops what is about the generated main package of the tests, and
// makes file names absolute: the go command prints them relative to its
// directory, or under -trimpath beginning with the import path. What it has in
// its cache is relative to the directory in which it was asked first: the
// heading says of which package it is.
func normalise(text []byte, t *gobench.Target) []byte {
	out := make([]byte, 0, len(text)+len(text)/2) // names become longer
	names := map[string]string{}
	main := "# " + t.ImportPath + ".test"
	skip, dir := false, ""
	for line := range bytes.Lines(text) {
		if heading, ok := bytes.CutPrefix(line, []byte("# ")); ok {
			skip = strings.TrimSpace(string(line)) == main
			dir = packageDir(strings.TrimSpace(string(heading)), t)
			clear(names)
		}
		if skip {
			continue
		}
		out = append(out, format.RenameFiles(string(line), func(file string) string {
			abs, seen := names[file]
			if !seen {
				abs = locate(file, dir, t)
				names[file] = abs
			}
			return abs
		})...)
	}
	return out
}

// packageDir returns the directory of one of the user's packages as a heading of the
// go command names it: "import/path" or "import/path_test [import/path.test]".
func packageDir(heading string, t *gobench.Target) string {
	name, _, isTest := strings.Cut(heading, " [")
	if isTest {
		name = strings.TrimSuffix(name, "_test")
	}
	for _, m := range t.Own {
		if rest, ok := strings.CutPrefix(name+"/", m.Path+"/"); ok {
			if dir := filepath.Join(m.Dir, filepath.FromSlash(rest)); hasDir(filepath.Join(dir, "x")) {
				return dir
			}
		}
	}
	return ""
}

// locate returns the absolute name of a file as the compiler names it, or the
// name itself when its directory is not found. dir is that of the package that
// was compiled, where it is known.
func locate(file, dir string, t *gobench.Target) string {
	if filepath.IsAbs(file) {
		return file
	}
	if strings.HasPrefix(file, "<") || strings.HasPrefix(file, "_") {
		return file
	}
	if dir != "" {
		// A generic function's body may lie in another package.
		below := path.Dir(path.Clean(filepath.ToSlash(file)))
		for strings.HasPrefix(below+"/", "../") {
			below = strings.TrimPrefix(strings.TrimPrefix(below, ".."), "/")
		}
		abs := filepath.Join(dir, filepath.Base(file))
		_, err := os.Stat(abs)
		if err == nil && (below == "." || below == "" || strings.HasSuffix(filepath.ToSlash(dir)+"/", "/"+below+"/")) {
			return abs
		}
	}
	if abs := filepath.Join(t.WorkDir, file); hasDir(abs) {
		return abs
	}
	// Under -trimpath: "module/dir/x.go", "module@v1.2.3/dir/x.go", for the
	// standard library "dir/x.go".
	for _, m := range t.Own {
		rest, ok := strings.CutPrefix(file, m.Path)
		switch {
		case !ok:
			continue
		case strings.HasPrefix(rest, "@"):
			_, rest, ok = strings.Cut(rest, "/")
			if !ok {
				continue
			}
		case !strings.HasPrefix(rest, "/"):
			continue
		}
		if abs := filepath.Join(m.Dir, filepath.FromSlash(rest)); hasDir(abs) {
			return abs
		}
	}
	if abs := filepath.Join(t.GOROOT, "src", filepath.FromSlash(file)); t.GOROOT != "" && strings.Contains(file, "/") && hasDir(abs) {
		return abs
	}
	return file
}

// hasDir reports whether the file's directory exists. The file itself need not:
// a line directive can name one that no longer exists.
func hasDir(name string) bool {
	st, err := os.Stat(filepath.Dir(name))
	return err == nil && st.IsDir()
}

// firstComplaint returns the first line that is neither a heading nor a decision, and the
// package that the heading above names; "" where there is none.
func firstComplaint(text []byte) (complaint, of string) {
	for line := range bytes.Lines(text) {
		s := strings.TrimSpace(string(line))
		if heading, ok := strings.CutPrefix(s, "# "); ok {
			of, _, _ = strings.Cut(heading, " [")
			continue
		}
		if s == "" || s[0] == '#' || len(format.Parse(line)) > 0 {
			continue
		}
		if _, _, _, words, ok := format.SplitPosition(string(line)); ok && (strings.HasPrefix(words, " ") || strings.Contains(words, " escapes to heap") || strings.HasPrefix(words, "parameter ")) {
			continue
		}
		return s, of
	}
	return "no reason given", ""
}
