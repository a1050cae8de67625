// Package sides makes two programs, old and new, from the user's operands, which
// differ only in what is to be compared.
//
// It answers which packages with benchmarks both sides have, and supplies their
// test binaries. The input are two operands: a git revision, a directory of a
// module, the directory of one package, a test binary, or the working tree with
// its changes.
//
// # Equal conditions
//
// The sources of each side are copied to a directory of their own, with names of
// equal length, and built there with -trimpath, so that neither the binaries nor
// the processes' working directories, arguments and environments differ in
// length. This matters: the size of the environment alone moves the stack, and
// has been shown to change results by percents (Mytkowicz et al., Producing Wrong
// Data Without Doing Anything Obviously Wrong, 2009). The working tree is a copy
// too: edits while the benchmarks run do not change what is measured.
//
// # Layouts
//
// [Pair.Link] links a side's test binary again with another order of functions,
// which the linker draws from a seed (-randlayout). The code itself is the same.
// Whether a loop crosses lines of the instruction cache and entries of the branch
// predictor is an accident of the link, to be averaged over and not measured.
//
// # Permitted differences
//
// The source, and what the user gives for one side only: environment variables
// (GOTOOLCHAIN, GOEXPERIMENT, GOGC) and build flags (-pgo, -tags). Variables
// apply to the build and to the processes.
//
// # Files outside git
//
// A build often needs generated files that git ignores. Those that a build or a
// test would read (sources, embedded files, testdata, vendor) are part of the
// working tree, and a revision also gets those of the working tree, as if it were
// checked out in the user's directory, where ignored files stay. A warning names
// them. If a revision does not build with them, it is built without them, with a
// warning too.
//
// # When it misleads
//
// Files outside the repository (modules replaced by ../other, a workspace around
// it, the target of a symbolic link that leads out) are the same on both sides:
// in their present state, not in that of the revision.
//
// The copies are not repositories: a test or a benchmark that asks git for its
// position, or that reads files by a path of the user's tree, gets another result
// than in the user's tree, on both sides.
//
// The linker shuffles functions, not their content: the alignment within a
// function and the layout of data are not random. Test binaries given as operands
// cannot be linked again.
package sides
