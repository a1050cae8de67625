// Package command answers whether one command is faster than another, and how
// certain that is.
//
// Its input are two command lines of programs that end by themselves. They are
// split by the rules of a shell, but no shell runs (see package prove). Both run
// in the same directory with the same environment, except for the variables given
// for one side, with empty standard input, each in a process group of its own.
// After one run of each side that does not count, the sides alternate in rounds
// (package rounds); a slice is one run, or as many as fill a tenth of a second,
// the same number on both sides.
//
// Measured are the wall time from before the start to the end of the program, the
// CPU time of the program and of the children it waited for, by the kernel's
// account, and the peak memory of the largest of these processes. Wall time
// decides the exit code.
//
// A command fails, and gives no time, if it exits with another status than 0, is
// killed, does not end in time, prints more than a gibibyte, or exits while its
// processes still run. The output of both sides is discarded; on request it is
// compared before the rounds.
//
// # When it misleads
//
// Files are warm: the runs that do not count have read them into the page cache.
// The speed of a command right after the machine was started is another question.
// One side finds what the other one wrote: two commands that build into one cache
// measure which came first.
//
// The start of the process is part of every run, some milliseconds with the
// loader and a runtime's start: below 5 ms it is most of what is compared, and
// the result warns. Output goes into a pipe that whet reads: a command that
// prints megabytes waits for the reader, on both sides alike.
//
// Linux starts the peak memory of a program at that of the process that started
// it: below whet's own it is unknown, and omitted. A child that leaves its
// process group is not counted as still running, unless it holds the output open.
package command
