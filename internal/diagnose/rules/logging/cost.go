package logging

import (
	"slices"
	"strings"

	"whet/internal/symbolname"
)

// part is what a frame below a log statement does.
type part uint8

const (
	other   part = iota
	format       // fmt, reflection, encoding, sorting, rendering a time
	alloc        // heap memory, maps, boxing, concatenation
	sink         // handing the finished record to a writer
	numbers      // strconv and appended times: what any logger has to do
)

// packages whose functions all do one thing.
var packages = map[part]string{
	format:  "fmt reflect encoding encoding/json encoding/base64 encoding/hex text/template text/tabwriter sort internal/fmtsort errors",
	alloc:   "internal/runtime/maps",
	sink:    "syscall internal/poll os net io golang.org/x/sys/unix",
	numbers: "strconv unicode/utf8 time",
}

// allocating are the beginnings of the names of the runtime's functions that allocate
// or work on maps.
var allocating = strings.Fields("mallocgc newobject newarray makeslice growslice makemap makechan mapassign mapaccess mapiter mapIter mapdelete mapclear " +
	"convT concatstring slicebytetostring stringtoslice slicerunetostring rawstring rawbyteslice intstring gcAssist")

// partOf classifies one function by its linker name.
func partOf(fn string) part {
	pkg := symbolname.Package(fn)
	switch {
	case pkg == "time" && ends(fn, ".Format", ".String", ".GoString", ".MarshalJSON"), strings.HasPrefix(pkg, "encoding/json/"), pkg == "slices" && strings.Contains(fn, "Sort"):
		return format
	case pkg == "runtime" && begins(strings.TrimPrefix(fn, "runtime."), allocating...):
		return alloc
	}
	for p, names := range packages {
		if slices.Contains(strings.Fields(names), pkg) {
			return p
		}
	}
	if strings.HasSuffix(fn, ").Write") && !knownPackage(pkg) && pkg != "bytes" && pkg != "strings" && pkg != "bufio" {
		return sink
	}
	return other
}

// emits reports whether a function below a logger shows that the record was
// rendered or written: the level is on.
func emits(fn string) bool {
	switch partOf(fn) {
	case sink, numbers:
		return true
	case format:
		pkg := symbolname.Package(fn)
		return pkg != "reflect" && pkg != "errors" && pkg != "sort" // WithFields looks at types before any level is checked
	}
	return ends(fn, ".Write", ".WriteTo", ".WriteString", ".Handle", ".Format", ".Output", ".EncodeEntry", ".AppendFormat")
}
