package worktree

import (
	"bufio"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// sources are the endings of the files that the go command compiles, or hands
// to a compiler that includes them.
var sources = []string{
	".go", ".s", ".S", ".sx", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m",
	".f", ".F", ".for", ".f90", ".swig", ".swigcxx", ".syso",
}

// read are the names of files that the go command reads wherever they are.
var read = []string{"go.mod", "go.sum", "go.work", "go.work.sum", "default.pgo"}

// wanted returns, of the files that git ignores, those that a build or a test
// reads: sources, what go.mod and go.work need, vendor's list of modules, all
// in testdata, and what a go:embed of one of the sources names.
func wanted(ctx context.Context, top string, files, ignored []string) ([]string, error) {
	var out, rest, code []string
	for _, f := range ignored {
		switch name := path.Base(f); {
		case slices.Contains(strings.Split(f, "/"), "node_modules"):
			rest = append(rest, f)
		case slices.Contains(sources, path.Ext(name)), slices.Contains(read, name),
			strings.HasSuffix("/"+f, "/vendor/modules.txt"), strings.Contains("/"+f, "/testdata/"):
			out = append(out, f)
		default:
			rest = append(rest, f)
		}
	}
	if len(rest) > 0 {
		for _, f := range slices.Concat(files, out) {
			if path.Ext(f) == ".go" {
				code = append(code, f)
			}
		}
		embedded, err := embeds(ctx, top, code)
		if err != nil {
			return nil, err
		}
		for _, f := range rest {
			if embedded.match(f) {
				out = append(out, f)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// embedding are the patterns of go:embed, by the directory of the file that
// has them.
type embedding map[string][]string

// embeds collects the patterns of the source files below top. One that cannot
// be read embeds nothing.
func embeds(ctx context.Context, top string, code []string) (embedding, error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	out := make(embedding)
	for _, name := range code {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		st, err := root.Lstat(filepath.FromSlash(name))
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		f, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			continue
		}
		if patterns := embedPatterns(f); len(patterns) > 0 {
			out[path.Dir(name)] = append(out[path.Dir(name)], patterns...)
		}
		f.Close()
	}
	return out, nil
}

// match reports whether a pattern names the file or a directory above it.
func (e embedding) match(file string) bool {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		rel := file
		if dir != "." {
			rel = file[len(dir)+1:]
		}
		for _, pattern := range e[dir] {
			for name := rel; name != "."; name = path.Dir(name) {
				if ok, err := path.Match(pattern, name); ok && err == nil {
					return true
				}
			}
		}
		if dir == "." {
			return false
		}
	}
}

// embedPatterns reads the lines //go:embed of a Go file. Lines in a string or a
// comment that look like one count too: a file more in a copy harms nobody.
func embedPatterns(r io.Reader) []string {
	const longest = 64 << 10
	var out []string
	lines := bufio.NewReaderSize(r, longest)
	for {
		line, tooLong, err := lines.ReadLine()
		if err != nil {
			return out
		}
		args, ok := strings.CutPrefix(string(line), "//go:embed")
		if ok && args != "" && unicode.IsSpace(rune(args[0])) {
			out = append(out, splitPatterns(args)...)
		}
		for tooLong && err == nil {
			_, tooLong, err = lines.ReadLine()
		}
	}
}

// splitPatterns splits the arguments of a go:embed: at blanks, but for those in
// quotes. What stands after one that is not closed is dropped, as it does not
// compile.
func splitPatterns(args string) []string {
	var out []string
	for {
		args = strings.TrimLeftFunc(args, unicode.IsSpace)
		if args == "" {
			return out
		}
		var one string
		if args[0] == '"' || args[0] == '`' {
			quoted, err := strconv.QuotedPrefix(args)
			if err != nil {
				return out
			}
			args = args[len(quoted):]
			if one, err = strconv.Unquote(quoted); err != nil {
				return out
			}
		} else {
			end := strings.IndexFunc(args, unicode.IsSpace)
			if end < 0 {
				end = len(args)
			}
			one, args = args[:end], args[end:]
		}
		out = append(out, strings.TrimPrefix(one, "all:"))
	}
}
