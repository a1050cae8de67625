package flame

import (
	"fmt"
	"strings"

	"whet/internal/printable"
	"whet/internal/symbolname"
)

// maxName is how much of a name is kept: symbols of instantiated types grow to
// many kilobytes, and nobody reads as much.
const maxName = 4096

// visible returns a name as it can be printed anywhere: on one line, and with
// escapes for what a terminal or a browser would obey or hide.
func visible(s string) string {
	if len(s) > maxName {
		s = fmt.Sprintf("%s (%d bytes)", printable.Cut(s, maxName), len(s))
	}
	return printable.Line(s)
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
	switch {
	case pkg == "":
		return groupNone
	case pkg == "main", module != "" && (pkg == module || strings.HasPrefix(pkg, module+"/") || strings.HasPrefix(pkg, module+"_test")):
		return groupOwn
	case symbolname.Runtime(pkg):
		return groupRuntime
	case symbolname.Standard(pkg):
		return groupStd
	case module == "" && !hasHost(pkg):
		return groupOwn // nobody else's module has a path without a host
	}
	return groupOther
}

// hasHost reports whether a path begins with a host's name, as those of modules
// that are fetched do.
func hasHost(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return strings.Contains(first, ".")
}
