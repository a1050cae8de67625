// Package record is the part that every run has in common which leaves a
// recording behind: the manifest's head, the clock, the build, the sources of
// what profiles name, what to do on a full disk, and the end, well or not.
//
// Its input is what a run hands it as it goes: profiles and logs as artifacts,
// the package and the binary that were measured. What is special to
// benchmarks, programs, services, suites of packages and proofs stays with them:
// which files there are, and what stands in their part of the manifest.
//
// It misleads where a source file was changed after the build in the same second
// of a coarse file system: such a change is not noticed.
package record
