// Package source finds the text behind a frame of a profile: which file here
// holds what the profile calls "/usr/local/go/src/sort/sort.go",
// "example.com/m@v1.2.3/x.go" or "mymodule/pkg/x.go", and whether it is what
// was built.
//
// Its input is a frame's file name, and what is known of the program and of
// this machine: the build information in the binary, the user's go.mod or
// go.work, GOROOT, the module cache, the copies in a recording. A [Resolver]
// puts them together; its [Finder] reads a name as one of the forms the go
// command writes: as it is, below another machine's GOROOT or module cache, in
// a checkout elsewhere, or shortened by -trimpath. Where the binary and the
// user's tree disagree on a module, the binary is right. The standard library
// is what lay below the build's GOROOT, which the runtime's own files show; a
// path without a dot says nothing.
//
// It misleads where the file here is of another version than the profiled one.
// So a text comes with its doubts: the sum is another than at the build, GOROOT
// or the module is of another version, the file was changed after the profile
// was taken, only its name's end fits, it ends before a line that the profile
// names. None of these can be told of a file of the user's that was changed
// before a profile of an older binary was taken. Names are untrusted: only
// files that are called as sources are ever read, of bounded size, and a
// relative name never leaves the directory it is looked for in. A link is
// followed below the directory that a file belongs to (GOROOT, the module cache,
// the module around it, a directory of -source_path) and no further: a
// repository may hold one that is called x.go and leads to a private file.
package source
