// Package record is the part of recording that the verbs tune and bench share: the
// manifest's head, the clock, the build, the sources of a profile's functions, and
// the end of a recording, also on error or a full disk.
//
// Its input comes from a run in progress: profiles and logs as artifacts, and the
// measured package and binary. The parts for benchmarks, programs, services and
// suites of packages stay in their packages: their files and their part of the
// manifest.
//
// It misleads about a source file that was changed after the build within the same
// second of a coarse file system: it does not notice the change.
package record
