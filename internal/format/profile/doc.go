// Package profile reads and writes pprof profiles: what runtime/pprof,
// net/http/pprof, go test -cpuprofile and most continuous profilers produce.
//
// [Read] turns a file into a [callstack.Profile], [ReadFrames] into
// [callstack.Frames]. The format is the protocol buffer of google/pprof's
// proto/profile.proto, alone or in gzip; several gzip members are several
// profiles, and are added up as pprof merges profiles. Inlined frames are kept:
// a location holds one frame for each of its lines, innermost first.
//
// A file is unpacked by a goroutine of its own and decoded as it passes, so
// that little more is in memory than what is returned. In the files of Go
// samples come first and strings last: what samples refer to is numbered as it
// appears and looked up at the end.
//
// What is damaged but framed is read around, counted, and said in the
// profile's Warnings: bytes after the profile, samples with the wrong number
// of values, references to records that are not there. A frame that cannot be
// resolved stands as an unknown frame, so that totals are conserved. What may
// have changed a figure unseen is refused: a wrong checksum, a file cut off
// where records are missing, ambiguous ids, sums beyond 63 bits.
//
// Values are taken as they are. Heap profiles in this format were scaled up
// from their sampling rate by the runtime already; in the formats before it,
// which format/legacy reads, they were not.
//
// [Merge] and [Delta] work on files, and take no damaged ones. Delta is what a cumulative profile gained between
// two moments; a program that was restarted in between shows by its counters,
// which have fallen. An [Addend] is a sound profile that is added to a sum
// as it is read.
//
// It misleads where the recorder did: stacks cut at the recorder's depth, and
// a file of several profiles that were concatenated without compression, whose
// string tables cannot be told apart (refused where it is seen).
package profile
