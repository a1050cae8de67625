// Lines prints how many lines of code the product has, package by package and
// in all: lines of Go that hold a token, without blanks, comments, tests,
// testdata, fixtures and the house's own programs.
//
// Usage, in the root of the module:
//
//	go run ./internal/house/lines
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"whet/internal/house"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "lines: %v\n", err)
		os.Exit(1)
	}
}

// run counts the files that git knows below the working directory.
func run(w io.Writer) error {
	list, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.go").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	packages := make(map[string]int)
	total := 0
	for file := range strings.SplitSeq(string(bytes.TrimRight(list, "\x00")), "\x00") {
		if !counted(file) {
			continue
		}
		src, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			return err
		}
		n := house.CodeLines(src)
		packages[path.Dir(file)] += n
		total += n
	}
	names := make([]string, 0, len(packages))
	for name := range packages {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if packages[a] != packages[b] {
			return packages[b] - packages[a]
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		fmt.Fprintf(w, "%7d %s\n", packages[name], name)
	}
	_, err = fmt.Fprintf(w, "%7d in all\n", total)
	return err
}

// counted reports whether a file is code of the product.
func counted(file string) bool {
	if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
		return false
	}
	dirs := strings.Split(path.Dir(file), "/")
	if slices.Contains(dirs, "testdata") || slices.Contains(dirs, "fixtures") {
		return false
	}
	switch dirs[0] {
	case ".", "agent", "cmd":
		return true
	case "internal":
		return len(dirs) < 2 || dirs[1] != "house"
	}
	return false
}
