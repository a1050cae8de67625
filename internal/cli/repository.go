package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"whet/internal/gobench"
)

// mostWalked bounds the directories that are looked into for a module.
const mostWalked = 10_000

// ModuleInRepository returns the directory to which file names of a module are
// relative, its own or that of its workspace, as a path in the repository with slashes:
// "" is the root of the repository, also outside one. from are directories to search:
// in and above them first, then below the repository's root.
func ModuleInRepository(module string, from ...string) string {
	for _, dir := range from {
		abs, err := filepath.Abs(dir)
		if err != nil {
			continue
		}
		repository := above(abs, func(d string) bool {
			_, err := os.Stat(filepath.Join(d, ".git")) // a file in a worktree
			return err == nil
		})
		root := above(abs, func(d string) bool { return declares(d, module) })
		if root == "" && repository != "" {
			root = below(repository, module)
		}
		if root != "" {
			root = gobench.Root(root)
		}
		if rel, err := filepath.Rel(repository, root); root != "" && repository != "" && err == nil && rel != "." && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
		if root != "" {
			return ""
		}
	}
	return ""
}

// SourceLinks returns the address of a file that is named from the root of a module or
// of its workspace, ""
// of one that is not in the module around a directory. Where that is another module,
// it returns nil.
func SourceLinks(module, from string) func(file string) string {
	abs, err := filepath.Abs(from)
	if err != nil || module == "" {
		return nil
	}
	root := above(abs, func(d string) bool { return declares(d, module) })
	if root == "" {
		return nil
	}
	return func(file string) string {
		file = filepath.FromSlash(file)
		if !filepath.IsLocal(file) {
			return ""
		}
		for _, root := range []string{gobench.Root(root), root} {
			name := filepath.Join(root, file)
			if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
				return Link(name)
			}
		}
		return ""
	}
}

// above returns the first directory from dir up that is right; "" where none is.
func above(dir string, right func(string) bool) string {
	for {
		if right(dir) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// below returns the directory of a module under a repository's root; "" where there is
// none.
func below(repository, module string) (found string) {
	walked := 0
	filepath.WalkDir(repository, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		name := d.Name()
		if walked++; walked > mostWalked {
			return filepath.SkipAll
		}
		if at != repository && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "vendor" || name == "testdata" || name == "node_modules") {
			return filepath.SkipDir
		}
		if declares(at, module) {
			found = at
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

// declares reports whether a directory's go.mod is that of a module.
func declares(dir, module string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) >= 2 && fields[0] == "module" {
			return strings.Trim(fields[1], "\"`") == module
		}
	}
	return false
}

// StepSummary appends to the summary of a step of GitHub's workflows, in the file
// that they name; elsewhere it does nothing.
func StepSummary(write func(io.Writer) error) error {
	name := os.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	if err != nil {
		return fmt.Errorf("write the step summary: %w", err)
	}
	return nil
}
