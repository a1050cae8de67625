// Package source finds the text behind a frame of a profile: which file here
// holds what the profile calls "/usr/local/go/src/sort/sort.go",
// "example.com/m@v1.2.3/x.go" or "mymodule/pkg/x.go".
//
// Its input is a frame's file name and a [Finder] that knows where the
// standard library, the module cache and the user's modules lie. A name is
// taken as it is where that file exists; otherwise it is read as one of the
// forms the go command writes: below another machine's GOROOT or module cache,
// in a checkout elsewhere, or shortened by -trimpath.
//
// It misleads where the file here is of another version than the profiled one:
// paths of the module cache carry the version, those of GOROOT and of the
// user's own modules do not. Names are untrusted: only .go and .s files of
// bounded size are ever read, and a relative name never leaves the directory
// it is looked for in.
package source
