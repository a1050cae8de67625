// Package tune is the main job from end to end: record a package's
// benchmarks, a program or a service, and diagnose the recording.
//
// Record drives the instruments: it builds the test binary once, runs the
// tests, ranks the benchmarks in a quick pass, and then gives every selected
// benchmark a process of its own for each kind of profile, so that no
// instrument disturbs another. CPU runs repeat and are merged until the
// profile holds enough samples of the measured code, or the budget ends.
//
// It misleads where a benchmark does not resemble what the program does in
// production; the report can only speak of what was run.
package tune
