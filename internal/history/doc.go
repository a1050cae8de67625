// Package history keeps results of benchmarks by host and revision, in files
// that outlive whet.
//
// It answers what every benchmark gave at every revision, and on which machine.
// The store is a directory:
//
//	DIR/linux-amd64-epyc-7b13-2-cores-1f3a9c02/1a2b3c4d5e6f.20261120T170102Z.txt
//	DIR/linux-amd64-epyc-7b13-2-cores-1f3a9c02/1a2b3c4d5e6f-dirty.20261120T181500Z.txt
//
// A run is one file in the Go benchmark format, which benchstat, whet compare
// and any editor read; what is known of the machine, the build and the revision
// stands in its configuration lines. A file is written under a temporary name
// and linked to its own once it is whole, and never changed or replaced: two
// runs that end at the same moment make two files, and two people's histories
// are merged by copying. Deleting a file takes a run back.
//
// A host is what makes times comparable: operating system, architecture,
// processor model, cores, and the limit that a control group sets. Its
// directory is named after these and a hash of them. Kernel and Go version may
// change with time on one host, and are kept with each run.
//
// Results of one clean revision are one point, pooled over its runs. A tree
// with changes is not the revision it began with, nor the same tree twice: each
// of its runs is a point of its own, after the revision.
//
// # When it misleads
//
// Two machines of one make are one host, unless they are given names. A
// virtual machine may move to other hardware without any of this showing.
//
// Files are untrusted: sizes and counts are bounded, what is no result is
// reported with its place, and the rest is used.
package history
