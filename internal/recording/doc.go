// Package recording defines the directory NAME.whet that holds everything one run of
// whet measured: profiles, traces, logs, the sources of their frames, the binary,
// and recording.json, the manifest that describes them.
//
// A [Writer] collects artifacts in a temporary directory beside the final name;
// Finish writes the manifest last and renames the directory, so that a recording
// under its own name is complete. Until then a checkpoint manifest keeps the
// artifacts readable, so that even a killed run can be opened. Open reads both
// kinds; the difference is Manifest.Partial.
//
// All times are nanoseconds on one monotonic clock from the recording's origin; the
// origin itself is wall time. The package has no clock of its own: callers pass
// times in.
//
// A recording is untrusted input: paths are confined to its directory, sizes are
// checked before reading, and a schema newer than this program's is refused.
package recording
