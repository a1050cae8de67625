// Package sharing makes copies of recordings that can be given to others: without
// sources and without the names of hosts, users and directories.
//
// Its input is a recording and the names that the copy must not contain: home
// directory, host name and the like. The copy has the profiles, the collector's log,
// metrics, benchmark results, results of a load, and the findings as of the
// recording. It omits artifacts that quote sources or may contain any text: copies
// of sources, types, the compiler's text, the difference from the revision, the
// binary, traces and the target's output. Files are named relative to the module,
// GOROOT or the module's version; hosts of addresses are called "host".
//
// Names of functions, packages, modules and benchmarks stay, as do the values of
// profile labels and the paths of addresses: without them the figures mean nothing.
//
// Afterwards it searches the uncompressed copy for the names, and omits a file that
// still contains one.
package sharing
