// Package tune is the main verb: it records a package's benchmarks, a program or a
// service, and diagnoses the recording.
//
// Record drives the instruments: it builds the test binary once, runs the tests,
// ranks the benchmarks in a quick pass, and then runs every selected benchmark in a
// separate process for each kind of profile, so that no instrument disturbs another.
// It repeats CPU runs and merges their profiles until they have enough samples of
// the measured code, or until the budget ends.
//
// It misleads if a benchmark does not resemble the program's work in production: the
// report covers only what ran.
package tune
