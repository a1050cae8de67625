// Package logging is the rule that finds logging in a hot path: the cost of a log
// statement in formatting, reflection and allocation, or in building the arguments of a
// record that is not written.
//
// It reads the samples of the CPU and allocation profiles and the types. A logger is
// known by its package (logrus, slog, zap, zerolog, log and others), or by its shape: a
// function named like a level or a log call, with the word log in its own, its type's
// or its package's name, that takes ...any, or that according to its calls formats and
// writes or passes on to a logger. The word must be a separate part of a name, which
// leaves out login, catalog and logarithm. Without types, loggers are known only by
// their package.
//
// It misleads where a function that logs also does the program's work: to the profile
// it is one statement.
package logging
