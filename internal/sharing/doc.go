// Package sharing makes copies of recordings that may leave the house: without
// sources and without the names of hosts, users and directories.
//
// Its input is a recording and the names that must not be in the copy: home
// directory, host name and the like. The copy holds profiles, the collector's log,
// metrics, benchmark results, what a load did, and the findings as they were when
// the recording was made. Left out is what quotes sources or may hold anything:
// copies of sources, types, the compiler's text, the difference from the revision, the
// binary, traces and what the target printed. Files are called as people call
// them, relative to the module, GOROOT or the module's version; hosts of addresses
// are called "host".
//
// Names of functions, packages, modules and benchmarks stay, and so do the values of
// profile labels and the paths of addresses: without them the figures say nothing.
//
// What is written is searched for the names afterwards, unpacked: a file that still
// holds one is left out.
package sharing
