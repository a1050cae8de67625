// Package record is the part that the runs of tune and bench have in common,
// which leave a recording behind: the manifest's head, the clock, the build, the
// sources of what profiles name, what to do on a full disk, and the end, well or
// not.
//
// Its input is what a run hands it as it goes: profiles and logs as artifacts,
// the package and the binary that were measured. What is special to
// benchmarks, programs, services, and suites of packages stays with them:
// which files there are, and what stands in their part of the manifest.
//
// It misleads where a source file was changed after the build in the same second
// of a coarse file system: such a change is not noticed.
package record
