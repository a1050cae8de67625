// Package symbol answers what is at an address of a program: which function, inlined
// calls included, in which line of which file, and which instructions.
//
// Its input is a binary: ELF, Mach-O or PE. The Go linker's tables come first: the
// table by which the runtime itself names frames (pclntab) with its inlining tree,
// which stripping keeps. For code in C it is DWARF, and without DWARF the symbol
// table. An address of a process becomes one of the file by the mapping in the
// profile: for a mapping that starts at s and shows the file from offset o on,
// address a is the file's a − s + o, which lies in the segment that is loaded from
// file offset f to v, and so at the symbol's address a − s + o − f + v
// ([Binary.Base] returns the number to subtract).
//
// It misleads if the binary is not the profiled one: a binary with another build id
// is refused, but not every binary has one. Inlined calls are unknown for programs
// built with Go 1.18 and 1.19; for older ones only the symbol table is read. Names
// of C++ are those of DWARF, without the namespace. Binaries are untrusted: sizes
// are bounded, and a damaged table gives fewer names, never a panic.
package symbol
