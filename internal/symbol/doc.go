// Package symbol answers what lies at an address of a program: which function,
// inlined calls included, in which line of which file, and which instructions.
//
// Its input is a binary: ELF, Mach-O or PE. What the Go linker wrote comes
// first: the table by which the runtime itself names frames (pclntab) with its
// inlining tree, which stripping leaves in place. For code in C it is DWARF,
// and where there is none, the name in the symbol table. An address of a
// process becomes one of the file by the mapping that the profile has of it:
// for a mapping that starts at s and shows the file from offset o on, address
// a is the file's a − s + o, which lies in the segment that is loaded from file
// offset f to v, and so at the symbol's address a − s + o − f + v
// ([Binary.Base] returns what is to be subtracted).
//
// It misleads where the binary is not the one that was profiled: build ids are
// compared, and one that differs is refused, but not every binary has one. Of
// programs built with Go 1.18 and 1.19 inlined calls are not known, of older
// ones only what the symbol table says; and names of C++ are as DWARF has them,
// without the namespace. Binaries are untrusted: sizes are bounded, and a
// damaged table gives fewer names, never a panic.
package symbol
