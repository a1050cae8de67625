package source

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// Module is a module of the build.
type Module struct {
	Path    string
	Dir     string // where its source lies; "" when unknown
	Version string // "" for main modules and directories put in by replace
	Main    bool
}

// Finder knows where source lies on this machine. Empty fields are places
// nothing is looked for in.
type Finder struct {
	GOROOT     string
	GOMODCACHE string
	VendorDir  string   // the vendor directory of the main module or workspace
	Modules    []Module // all of the build, the user's own and others
}

// MaxSize bounds what Read returns: a larger file was not written by hand.
const MaxSize = 4 << 20

// StandardLibrary is the module Display names for files of GOROOT.
const StandardLibrary = "std"

// Find returns the path of a frame's file on this machine.
func (f *Finder) Find(frameFile string) (string, bool) {
	for _, candidate := range f.candidates(frameFile) {
		if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() {
			return candidate, true
		}
	}
	return "", false
}

// Read returns the text of a frame's file.
func (f *Finder) Read(frameFile string) ([]byte, error) {
	name, ok := f.Find(frameFile)
	if !ok {
		return nil, fmt.Errorf("find source %s: it is in no module, module cache or GOROOT known here", frameFile)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read source: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read source: %w", err)
	}
	if len(data) > MaxSize {
		return nil, fmt.Errorf("read source %s: it is larger than %d MiB", name, MaxSize>>20)
	}
	return data, nil
}

// Modified returns when a frame's file was last changed.
func (f *Finder) Modified(frameFile string) (time.Time, bool) {
	name, ok := f.Find(frameFile)
	if !ok {
		return time.Time{}, false
	}
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

// candidates lists where a frame's file may lie, the surest first.
func (f *Finder) candidates(frameFile string) []string {
	name := filepath.ToSlash(frameFile)
	if ext := path.Ext(name); ext != ".go" && ext != ".s" || strings.ContainsRune(name, 0) {
		return nil
	}
	var out []string
	// below adds dir/rest, which must not lead out of dir.
	below := func(dir, rest string) {
		if dir != "" && filepath.IsLocal(filepath.FromSlash(rest)) {
			out = append(out, filepath.Join(dir, filepath.FromSlash(rest)))
		}
	}
	if rest, ok := strings.CutPrefix(name, "$GOROOT/src/"); ok { // as Display names it
		below(f.goroot(), rest)
		return out
	}
	if absolute(name) {
		out = append(out, filepath.FromSlash(name))
		if _, rest, ok := strings.Cut(name, "/pkg/mod/"); ok {
			below(f.GOMODCACHE, rest)
		}
		if toolchain, rest, ok := strings.Cut(name, "/golang.org/toolchain@"); ok && toolchain != "" {
			if _, rest, ok := strings.Cut(rest, "/src/"); ok {
				below(f.goroot(), rest)
			}
		}
		// A checkout elsewhere: what follows the module's directory.
		for _, m := range f.Modules {
			if m.Version != "" || m.Dir == "" {
				continue
			}
			for _, anchor := range []string{path.Base(filepath.ToSlash(m.Dir)), path.Base(m.Path)} {
				if _, rest, ok := strings.Cut(name, "/"+anchor+"/"); ok {
					below(m.Dir, rest)
				}
			}
		}
		for rest, ok := name, true; ok; {
			if _, rest, ok = strings.Cut(rest, "/src/"); ok {
				below(f.goroot(), rest)
			}
		}
		return out
	}
	name = strings.TrimPrefix(name, "./")
	if module, version, rest, ok := splitVersion(name); ok {
		if dir, ok := escapePath(module); ok {
			below(f.GOMODCACHE, dir+"@"+version+"/"+rest)
		}
		for _, m := range f.Modules {
			if m.Path == module && (m.Version == version || m.Version == "") {
				below(m.Dir, rest)
				below(f.VendorDir, module+"/"+rest)
			}
		}
		return out
	}
	if m, rest := f.moduleOf(name); m != nil {
		below(m.Dir, rest)
		if !m.Main {
			below(f.VendorDir, name)
		}
	}
	below(f.goroot(), name)
	below(f.VendorDir, name)
	// `go run x.go` and the like name files without their package.
	short := strings.TrimPrefix(name, "command-line-arguments/")
	for _, m := range f.Modules {
		if m.Main {
			below(m.Dir, short)
		}
	}
	return out
}

func (f *Finder) goroot() string {
	if f.GOROOT == "" {
		return ""
	}
	return filepath.Join(f.GOROOT, "src")
}

// moduleOf returns the module with the longest path that name lies below.
func (f *Finder) moduleOf(name string) (*Module, string) {
	var best *Module
	var rest string
	for i := range f.Modules {
		m := &f.Modules[i]
		if r, ok := strings.CutPrefix(name, m.Path+"/"); ok && m.Path != "" && (best == nil || len(m.Path) > len(best.Path)) {
			best, rest = m, r
		}
	}
	return best, rest
}

// absolute also knows the absolute names of other systems.
func absolute(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && name[2] == '/' && unicode.IsLetter(rune(name[0]))
}

// splitVersion takes "example.com/m@v1.2.3/pkg/x.go" apart.
func splitVersion(name string) (module, version, rest string, ok bool) {
	module, after, ok := strings.Cut(name, "@")
	if !ok {
		return "", "", "", false
	}
	version, rest, ok = strings.Cut(after, "/")
	return module, version, rest, ok && module != "" && version != ""
}

// escapePath writes a module path as the module cache does: "!b" for "B".
func escapePath(s string) (string, bool) {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '!' || r >= unicode.MaxASCII:
			return "", false
		case 'A' <= r && r <= 'Z':
			b.WriteByte('!')
			b.WriteRune(r + 'a' - 'A')
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), true
}

// unescapePath is the reverse. What is not escaped stays.
func unescapePath(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '!' && i+1 < len(s) && 'a' <= s[i+1] && s[i+1] <= 'z' {
			i++
			b.WriteByte(s[i] - 'a' + 'A')
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
