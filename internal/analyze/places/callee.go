package places

import "strings"

// Work returns the function that a line calls, as in the source, and the kind of work
// done there, from the functions below the line, leaf first.
func Work(below []string) (called string, kind Kind) {
	of := make([]*function, len(below))
	for i, name := range below {
		f := functionOf(name)
		of[i] = &f
	}
	of = withoutSignal(of)
	return callee(of), kindOf(of)
}

// callee names what a line calls, from the functions below it, leaf first: the
// outermost of them. "" is the line itself.
func callee(below []*function) string {
	if len(below) == 0 {
		return ""
	}
	fn := below[len(below)-1].name
	if strings.HasPrefix(fn, "internal/runtime/maps.") {
		return "map access"
	}
	if k, ok := bareKinds[fn]; ok {
		return string(k)
	}
	if name, ok := strings.CutPrefix(fn, "runtime."); ok || fn == "gcWriteBarrier" {
		for _, s := range sourceNames {
			if strings.HasPrefix(name, s.prefix) {
				return s.name
			}
		}
	}
	return fn
}

// sourceNames are what the source has where the compiler calls the runtime, by
// the beginning of the function's name.
var sourceNames = []struct{ prefix, name string }{
	{"growslice", "append"}, {"makeslice", "make"}, {"makemap", "make"}, {"makechan", "make"}, {"newobject", "new"}, {"mallocgc", "new"},
	{"mapaccess", "map look-up"}, {"mapassign", "map assignment"}, {"mapdelete", "delete"}, {"mapclear", "clear"},
	{"mapiter", "range over a map"}, {"mapIter", "range over a map"},
	{"concatstring", "string +"}, {"concatbyte", "string +"},
	{"slicebytetostring", "string(bytes)"}, {"stringtoslicebyte", "[]byte(string)"},
	{"slicerunetostring", "string(runes)"}, {"stringtoslicerune", "[]rune(string)"}, {"intstring", "string(rune)"}, {"decoderune", "range over a string"},
	{"convT", "conversion to an interface"}, {"convI", "conversion to an interface"},
	{"assertE2I", "type assertion"}, {"assertI2I", "type assertion"}, {"typeAssert", "type assertion"}, {"interfaceSwitch", "type switch"},
	{"efaceeq", "=="}, {"ifaceeq", "=="}, {"memequal", "=="}, {"strequal", "=="}, {"cmpstring", "string comparison"},
	{"memmove", "copy"}, {"typedmemmove", "copy"}, {"typedslicecopy", "copy"}, {"slicecopy", "copy"}, {"duffcopy", "copy"},
	{"memclr", "clear"}, {"typedmemclr", "clear"}, {"duffzero", "clear"},
	{"chansend", "channel send"}, {"chanrecv", "channel receive"}, {"selectgo", "select"}, {"selectnb", "select"}, {"closechan", "close"},
	{"newproc", "go"}, {"deferproc", "defer"}, {"deferreturn", "defer"}, {"gopanic", "panic"}, {"gorecover", "recover"},
	{"gcWriteBarrier", "write barrier"}, {"wbBuf", "write barrier"}, {"morestack", "stack growth"}, {"newstack", "stack growth"},
}
