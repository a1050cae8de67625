// Package sides makes two programs, old and new, out of what a user names, so
// alike that they differ in nothing but what is to be compared.
//
// It answers which packages with benchmarks both sides have, and hands out
// their test binaries. The input are two operands: a git revision, a directory
// that holds a module, the directory of one package, a test binary, or the
// working tree as it stands.
//
// # Alike
//
// Each side's sources are put into a directory of their own, two directories
// whose names are equally long, and built there with -trimpath, so that neither
// the binaries nor the processes' working directories, arguments and
// environments differ in length. That is no pedantry: the size of the
// environment alone moves the stack, and has been seen to move results by
// percents (Mytkowicz et al., Producing Wrong Data Without Doing Anything
// Obviously Wrong, 2009). The working tree is a copy too: who goes on editing
// while the benchmarks run does not change what is measured.
//
// # Layouts
//
// [Pair.Link] links a side's test binary again with its functions in another
// order, drawn by the linker from a seed (-randlayout). The code itself is the
// same. Where a loop comes to lie across lines of the instruction cache and
// entries of the branch predictor is an accident of the link, and an accident
// is to be averaged over, not measured.
//
// # What a side may differ in
//
// The source, and what the user gives for one side only: environment
// variables (GOTOOLCHAIN, GOEXPERIMENT, GOGC) and build flags (-pgo, -tags).
// Variables go to the build and to the processes.
//
// # Files that git does not have
//
// A build often needs generated files that git ignores. Those that a build or
// a test would read (sources, what is embedded, testdata, vendor) are part of
// the working tree, and a revision is given those of the working tree as well,
// as if it had been checked out in the user's own directory, where ignored
// files stay. A warning names them. Where they keep a revision from building
// it is built without them, and that is a warning too.
//
// # When it misleads
//
// What lies outside of the repository (modules replaced by ../other, a
// workspace around it, the target of a symbolic link that leads out) is the
// same on both sides: as it stands now, not as it stood at the revision.
//
// The copies are no repositories: a test or a benchmark that asks git where it
// is, or that reads files by a path of the user's tree, sees something else than
// in the user's tree, on both sides.
//
// The linker shuffles functions, not what is in them: alignment within a
// function, and the layout of data, are not drawn. Test binaries that were
// handed in cannot be linked again.
package sides
