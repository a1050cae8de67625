package flame

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"whet/internal/printable"
)

// maxName is how much of a name is kept: symbols of instantiated types grow to
// many kilobytes, and nobody reads as much.
const maxName = 4096

// visible returns a name as it can be printed anywhere: on one line, and with
// escapes for what a terminal or a browser would obey or hide.
func visible(s string) string {
	if len(s) > maxName {
		cut := maxName
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = fmt.Sprintf("%s… (%d bytes)", s[:cut], len(s))
	}
	return printable.Line(s)
}

// PackageOf returns the package path of a linker symbol:
// "github.com/x/y" of "github.com/x/y.(*T[go.shape.int]).m".
func PackageOf(name string) string {
	if i := strings.IndexAny(name, "[("); i >= 0 {
		// Type arguments and receivers may hold paths of their own.
		name = name[:i]
	}
	slash := strings.LastIndexByte(name, '/') + 1
	if dot := strings.IndexByte(name[slash:], '.'); dot >= 0 {
		return name[:slash+dot]
	}
	return ""
}

// Groups of packages.
const (
	groupOwn = iota
	groupStd
	groupOther
	groupRuntime
	groupNone
)

// packageGroup says whose package it is.
func packageGroup(pkg, module string) int {
	first, _, _ := strings.Cut(pkg, "/")
	switch {
	case pkg == "":
		return groupNone
	case pkg == "main", module != "" && (pkg == module || strings.HasPrefix(pkg, module+"/") || strings.HasPrefix(pkg, module+"_test")):
		return groupOwn
	case pkg == "runtime" || strings.HasPrefix(pkg, "internal/runtime/") || strings.HasPrefix(pkg, "runtime/internal/"):
		return groupRuntime
	case standard(first):
		return groupStd
	case module == "" && !strings.Contains(first, "."):
		return groupOwn // nobody else's module has a path without a host
	}
	return groupOther
}

// Standard reports whether a package is one of the standard library.
func Standard(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return standard(first)
}

// standard reports whether packages of the standard library have this first
// element; a module of that name cannot be imported.
func standard(first string) bool {
	switch first {
	case "archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug",
		"embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal",
		"io", "iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime",
		"slices", "sort", "strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode",
		"unique", "unsafe", "vendor", "weak":
		return true
	}
	return false
}
