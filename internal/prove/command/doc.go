// Package command answers whether one command is faster than another, and how
// sure that is.
//
// Its input are two command lines that end by themselves. They are split like a
// shell does it, and no shell runs (see package prove). Both run in the same
// directory with the same environment, apart from the variables given for one
// side, with nothing on stdin, each in a process group of its own. After a run
// of each side that is not counted, the sides take turns in rounds (package
// rounds); a slice is one run, or as many as fill a tenth of a second, the same
// number on both sides.
//
// Measured are the wall time from before the start to the end of the program,
// the CPU time of the program and of the children it waited for, as the kernel
// counts them, and the peak memory of the largest of these processes. Wall time
// decides the exit code.
//
// A command that exits with another status than 0, is killed, does not end in
// time, prints more than a gibibyte or leaves processes behind is a failure and
// not a time: what it did is not what was asked for. What both sides print is
// dropped; on request it is compared before the rounds.
//
// # When it misleads
//
// Files are warm: the runs that are not counted have read them, so that the
// page cache answers. How fast a command is right after the machine was started
// is another question. What one side writes the other one finds: two commands
// that build into one cache measure who came first.
//
// The start of the process is part of every run, some milliseconds with the
// loader and a runtime's start: below 5 ms it is most of what is compared, which
// the result warns of. Output goes into a pipe, whose reader is whet: a command
// that prints megabytes waits for it on both sides alike.
//
// Linux starts the peak memory of a program at that of the process that started
// it: below whet's own it is unknown, and left out. A child that leaves its
// process group escapes the count of what was left behind, unless it holds the
// output open.
package command
