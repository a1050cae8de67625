// Package logging is the rule that finds logging in a hot path: what a log
// statement spends on formatting, reflection and allocation, or on building
// the arguments of a record that nobody wants.
//
// It reads the samples of the CPU and allocation profiles and the types.
// A logger is known by its package (logrus, slog, zap, zerolog, log and
// others), or by its shape: a function named like a level or a log call, with
// the word log in its own, its type's or its package's name, that takes ...any,
// or that by the calls in it formats and writes or hands on to a logger. The word
// is looked for in the parts of a name, so that login, catalog and logarithm are
// none. Without types loggers are known by their package only.
//
// It misleads where a function that logs also does the program's work: it is
// one statement to the profile.
package logging
