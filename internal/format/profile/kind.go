package profile

import (
	"bytes"
	"encoding/binary"
)

// kinds are files people pass for a profile, by how they begin. Texts that
// whet's views read as profiles are refused only where this format is asked
// for: by those who add up or subtract, and fetch.
var kinds = []struct{ prefix, what string }{
	{"\x28\xb5\x2f\xfd", "it is compressed with zstd: unpack it first (zstd -d)"},
	{"\xfd7zXZ\x00", "it is compressed with xz: unpack it first (xz -d)"},
	{"BZh", "it is compressed with bzip2: unpack it first (bzip2 -d)"},
	{"PK\x03\x04", "it is a ZIP archive: unpack it first"},
	{"\x7fELF", program},
	{"MZ\x90", program},
	{"\xcf\xfa\xed\xfe", program},
	{"\xca\xfe\xba\xbe", program},
	{"PERFILE2", "it is a perf.data file: pass what `perf script` prints"},
	{"goroutine profile: total", "it is a goroutine dump in text (debug=1): fetch it without debug="},
	{"goroutine ", "it is a goroutine dump in text (debug=2): fetch it without debug="},
	{"heap profile:", "it is a heap profile in the text format (debug=1): fetch it without debug="},
	{"threadcreate profile:", "it is a threadcreate profile in text (debug=1): fetch it without debug="},
	{"--- ", "it is a profile in a text format (debug=1): fetch it without debug="},
	{"# runtime.MemStats", "it is a text dump (debug=1): fetch it without debug="},
	{"mode: set\n", coverage},
	{"mode: count\n", coverage},
	{"mode: atomic\n", coverage},
	{"gc 1 @", "it is the log of the garbage collector, not a profile"},
	{"version https://git-lfs", "it is a git-lfs pointer, not the file itself: run `git lfs pull`"},
	{"{", "it is JSON, not a profile: pass the profile that it was made from"},
}

const (
	program  = "it is a program, not a profile: name a profile after it, or run it with profiling to get one"
	coverage = "it is a coverage profile, not a profile of time or memory: see `go tool cover`"
)

// kindOf says what data is when it is certainly no profile of this format.
func kindOf(data []byte) string {
	for _, k := range kinds {
		if bytes.HasPrefix(data, []byte(k.prefix)) {
			return k.what
		}
	}
	head := data[:min(len(data), 16)]
	if bytes.HasPrefix(head, []byte("go 1.")) && bytes.Contains(head, []byte(" trace")) {
		return "it is an execution trace, not a profile: try `whet trace`, or `go tool trace` where this whet has no such verb"
	}
	text := bytes.ToLower(bytes.TrimLeft(data[:min(len(data), 512)], " \t\r\n\xef\xbb\xbf"))
	switch {
	case bytes.HasPrefix(text, []byte("<!doctype html")), bytes.HasPrefix(text, []byte("<html")),
		bytes.HasPrefix(text, []byte("<head")), bytes.HasPrefix(text, []byte("<?xml")), bytes.HasPrefix(text, []byte("<svg")):
		return "it is a web page or a picture, not a profile: the address may need a login, or its path may be wrong"
	case len(text) == 0:
		return "it contains only white space"
	}
	// CPU profiles before protocol buffers: machine words 0, 3, 0, period.
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if len(data) >= 24 && order.Uint64(data) == 0 && order.Uint64(data[8:]) == 3 && order.Uint64(data[16:]) == 0 {
			return legacy
		}
		if len(data) >= 12 && order.Uint32(data) == 0 && order.Uint32(data[4:]) == 3 && order.Uint32(data[8:]) == 0 {
			return legacy
		}
	}
	return ""
}

const legacy = "it is a CPU profile in the format before Go 1.9: convert it with `go tool pprof -proto PROGRAM FILE`"
