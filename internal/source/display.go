package source

import (
	"path"
	"path/filepath"
	"strings"
)

// Display returns the name of a frame's file for people, and the path of the
// module it belongs to, "" when unknown: as [Finder.InModule] has it, but for files of
// the user's modules that lie in a workspace, which are named from the workspace's
// root.
func (f *Finder) Display(frameFile string) (display, module string) {
	display, module = f.InModule(frameFile)
	for i := range f.Modules {
		if m := &f.Modules[i]; m.Path == module && m.Main {
			if below, ok := inside(f.Workspace, filepath.ToSlash(m.Dir)); ok {
				display = below + "/" + display
			}
			break
		}
	}
	return display, module
}

// InModule returns the name of a frame's file, and the path of the module it belongs
// to, "" when unknown:
//
//   - in a module of the user's, relative to the module's root;
//   - in the standard library, "$GOROOT/src/net/http/server.go", module "std";
//   - in the module cache, "example.com/m@v1.2.3/x.go";
//   - anything else as the profile has it.
func (f *Finder) InModule(frameFile string) (display, module string) {
	name := filepath.ToSlash(frameFile)
	if strings.HasPrefix(name, "$GOROOT/src/") {
		return name, StandardLibrary
	}
	if !absolute(name) {
		return f.displayTrimmed(strings.TrimPrefix(name, "./"))
	}
	if display, module, ok := f.displayAbsolute(path.Clean(name)); ok {
		return display, module
	}
	// Of another machine: as the file it stands for here.
	if here, ok := f.Find(frameFile); ok {
		if display, module, ok := f.displayAbsolute(filepath.ToSlash(here)); ok {
			return display, module
		}
	}
	// Not here, but the form tells.
	if _, rest, ok := strings.Cut(name, "/pkg/mod/"); ok {
		if module, version, file, ok := splitVersion(rest); ok {
			module = unescapePath(module)
			return module + "@" + version + "/" + file, module
		}
	}
	return frameFile, ""
}

func (f *Finder) displayAbsolute(name string) (display, module string, ok bool) {
	if rest, ok := inside(f.goroot(), name); ok {
		return "$GOROOT/src/" + rest, StandardLibrary, true
	}
	if rest, ok := inside(f.VendorDir, name); ok {
		owner := path.Dir(rest)
		if m, _ := f.moduleOf(rest); m != nil {
			owner = m.Path
		}
		return "vendor/" + rest, owner, true
	}
	if rest, ok := inside(f.GOMODCACHE, name); ok {
		if module, version, file, ok := splitVersion(rest); ok {
			module = unescapePath(module)
			return module + "@" + version + "/" + file, module, true
		}
	}
	var best *Module
	for i := range f.Modules { // the innermost: modules nest
		m := &f.Modules[i]
		if rest, ok := inside(m.Dir, name); ok && (best == nil || len(m.Dir) > len(best.Dir)) {
			best, display = m, rest
		}
	}
	if best == nil {
		return "", "", false
	}
	return display, best.Path, true
}

func (f *Finder) displayTrimmed(name string) (display, module string) {
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name {
		return name, "" // "..": no name the go command writes
	}
	if module, version, rest, ok := splitVersion(name); ok {
		for _, m := range f.Modules {
			if m.Path == module && m.Main {
				return rest, module
			}
		}
		return module + "@" + version + "/" + rest, module
	}
	if m, rest := f.moduleOf(name); m != nil {
		if m.Version != "" {
			return m.Path + "@" + m.Version + "/" + rest, m.Path
		}
		return rest, m.Path
	}
	here, ok := f.Find(name)
	if !ok {
		return name, ""
	}
	if display, module, ok := f.displayAbsolute(filepath.ToSlash(here)); ok {
		return display, module
	}
	return name, ""
}

// inside returns name relative to dir.
func inside(dir, name string) (string, bool) {
	if dir == "" {
		return "", false
	}
	return strings.CutPrefix(name, strings.TrimSuffix(filepath.ToSlash(filepath.Clean(dir)), "/")+"/")
}
