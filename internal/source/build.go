package source

import (
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"whet/internal/symbolname"
)

// readFunctions learns from the program's functions where the standard library
// lay when it was built, for the runtime is in every Go program, unless it was
// built with -trimpath; and in which packages files lie that have no directory:
// those of line directives.
func (r *Resolver) readFunctions(functions iter.Seq2[string, string]) {
	r.packages = make(map[string][]string)
	for name, file := range functions {
		dir, base := path.Split(filepath.ToSlash(file))
		if root, ok := strings.CutSuffix(dir, "/src/runtime/"); ok && strings.HasPrefix(name, "runtime.") && absolute(root+"/") && strings.HasSuffix(base, ".go") {
			r.BuildGOROOT = root
		}
		if dir == "" && isSource(base) {
			if pkg := r.packageOf(name); pkg != "" && !slices.Contains(r.packages[base], pkg) {
				r.packages[base] = append(r.packages[base], pkg)
			}
		}
	}
}

// packageOf returns the import path of a function's package, that of a program's main
// package too.
func (r *Resolver) packageOf(function string) string {
	pkg := symbolname.Package(function)
	if pkg == "main" && r.o.Info != nil {
		return r.o.Info.Path
	}
	return pkg
}

// ofPackage finds a file that has no directory by the packages that its
// functions are of.
func (r *Resolver) ofPackage(frameFile string) (candidate, bool) {
	var found []candidate
	for _, pkg := range r.packages[frameFile] {
		if p, err := r.find(pkg + "/" + frameFile); err == nil {
			found = append(found, p)
		}
		// The module cache and its versions are not part of a function's name.
		for _, m := range r.Modules {
			if rest, ok := strings.CutPrefix(pkg+"/", m.Path+"/"); ok && m.Version != "" {
				if p, err := r.find(m.Path + "@" + m.Version + "/" + rest + frameFile); err == nil && !slices.Contains(found, p) {
					found = append(found, p)
				}
			}
		}
	}
	if len(found) == 0 {
		return candidate{}, false
	}
	found[0].guess = len(found) > 1
	return found[0], true
}

// addBuild adds what the binary says of its modules. Where the user's tree
// says something else, the binary is right: it is what was profiled.
func (r *Resolver) addBuild(info *debug.BuildInfo) {
	if info == nil {
		return
	}
	root := ""
	for _, m := range r.Modules {
		if m.Main && m.Path == info.Main.Path {
			root = m.Dir
		}
	}
	if info.Main.Path != "" && root == "" {
		main := Module{Path: info.Main.Path, Main: true}
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			main.Dir, main.Version = r.cached(info.Main.Path, info.Main.Version), ""
		}
		r.Modules = append(r.Modules, main)
	}
	for _, dep := range info.Deps {
		m := Module{Path: dep.Path, Version: dep.Version}
		switch {
		case dep.Replace != nil && isDir(dep.Replace.Path):
			m.Replaced = true
			if m.Dir = filepath.FromSlash(dep.Replace.Path); !filepath.IsAbs(m.Dir) {
				if m.Dir = ""; root != "" {
					m.Dir = filepath.Join(root, filepath.FromSlash(dep.Replace.Path))
				}
			}
		case dep.Replace != nil:
			m.Replaced = true
			m.Dir = r.cached(dep.Replace.Path, dep.Replace.Version)
		default:
			m.Dir = r.cached(dep.Path, dep.Version)
		}
		r.setModule(m)
	}
	if have, want := r.version(), r.buildVersion(); want != "" && have != want {
		r.otherGOROOT(want)
	}
}

// setModule puts m in place of what is known of the module, unless that is
// part of the user's workspace: its text is there.
func (r *Resolver) setModule(m Module) {
	i := slices.IndexFunc(r.Modules, func(have Module) bool { return have.Path == m.Path })
	switch {
	case i < 0:
		r.Modules = append(r.Modules, m)
	case r.Modules[i].Main:
	case r.originOfModule(&r.Modules[i]) == OfVendor && r.Modules[i].Version == m.Version:
		// Where there is a vendor directory, it is built from.
	default:
		if m.Dir == "" {
			m.Dir = r.Modules[i].Dir
		}
		r.Modules[i] = m
	}
}

// isDir reports whether what replaces a module is a directory.
func isDir(name string) bool {
	return strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || name == "." || name == ".." || filepath.IsAbs(name) || absolute(name)
}

// cached returns a module's directory in the cache, "" where there is none.
func (r *Resolver) cached(module, version string) string {
	dir, ok := escapePath(module)
	v, ok2 := escapePath(version)
	if !ok || !ok2 || version == "" || r.GOMODCACHE == "" || !filepath.IsLocal(filepath.FromSlash(dir+"@"+v)) {
		return ""
	}
	return filepath.Join(r.GOMODCACHE, filepath.FromSlash(dir)+"@"+v)
}

// otherVersion returns the version that the binary has of a file's module
// where the file's name says another.
func (r *Resolver) otherVersion(frameFile string) (string, bool) {
	name := filepath.ToSlash(frameFile)
	if _, rest, ok := strings.Cut(name, "/pkg/mod/"); ok {
		name = rest
	}
	module, version, _, ok := splitVersion(name)
	if !ok || r.o.Info == nil {
		return "", false
	}
	module, version = unescapePath(module), unescapePath(version)
	for _, dep := range r.o.Info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		if dep.Path == module && dep.Version != version {
			return dep.Version, true
		}
	}
	return "", false
}

// buildVersion returns the Go that built the binary: "go1.26.8".
func (r *Resolver) buildVersion() string {
	if r.o.Info == nil {
		return ""
	}
	version, _, _ := strings.Cut(r.o.Info.GoVersion, " ") // experiments follow
	return version
}

// version returns the version of GOROOT here.
func (r *Resolver) version() string {
	if r.GOROOT == "" {
		return ""
	}
	data, err := readSmall(filepath.Join(r.GOROOT, "VERSION"))
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(first)
}

// otherGOROOT looks among the toolchains that the go command has fetched for
// the one that built the binary.
func (r *Resolver) otherGOROOT(want string) {
	found, _ := filepath.Glob(filepath.Join(r.GOMODCACHE, "golang.org", "toolchain@v0.0.1-"+globEscape(want)+".*"))
	if r.GOMODCACHE != "" {
		for _, dir := range found {
			before := r.GOROOT
			r.GOROOT = dir
			if r.version() == want {
				return
			}
			r.GOROOT = before
		}
	}
	if have := r.version(); have != "" {
		r.warnings = append(r.warnings, fmt.Sprintf("the binary was built with %s, the standard library here is of %s", want, have))
	}
}

// globEscape keeps a version from being a pattern.
func globEscape(s string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(`*?[]\/`, c) {
			return '_'
		}
		return c
	}, s)
}

// readSmall reads a file of the user's tree that is not source.
func readSmall(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxSize {
		return nil, fmt.Errorf("read %s: not a regular file of at most %d MiB", name, MaxSize>>20)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer file.Close()
	text, _, err := readAll(file, name)
	return text, err
}
