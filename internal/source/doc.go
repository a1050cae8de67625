// Package source finds the source text of a frame of a profile: the file on this
// machine for a name such as "/usr/local/go/src/sort/sort.go",
// "example.com/m@v1.2.3/x.go" or "mymodule/pkg/x.go", and whether it is the file
// that was built.
//
// Its input is a frame's file name, and the facts about the program and this
// machine: the build information in the binary, the user's go.mod or go.work,
// GOROOT, the module cache, the copies in a recording. A [Resolver] combines
// them; its [Finder] reads a name as one of the forms that the go command writes:
// unchanged, below another machine's GOROOT or module cache, in a checkout
// elsewhere, or shortened by -trimpath. If the binary and the user's tree
// disagree about a module, the binary is right. The standard library is
// everything below the build's GOROOT, which the runtime's own files show; a path
// without a dot proves nothing.
//
// It misleads if the file here is of another version than the profiled one. A
// text therefore has doubts: its checksum differs from the build's, GOROOT or the
// module is of another version, the file was changed after the profile was taken,
// only the end of its name matches, it ends before a line that the profile names.
// None of these detects a file that was changed before a profile of an older
// binary was taken. Names are untrusted: only files with names of source files
// are read, of bounded size, and a relative name never leaves the directory it is
// looked for in. A link is followed within the directory that a file belongs to
// (GOROOT, the module cache, the module around it, a directory of -source_path)
// and no further: a repository may contain one called x.go that leads to a
// private file.
package source
