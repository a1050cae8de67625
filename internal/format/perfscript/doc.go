// Package perfscript reads what `perf script` prints of a perf.data file: for
// each sample a line that says whose it is, of which event and period, and
// below it the call chain, leaf first.
//
// [Read] makes a sample of each. It takes the default fields and the common
// choices of -F (comm, pid, tid, cpu, time, event, period, ip, sym, symoff,
// dso, srcline), with call chains or without (-G). The program's name and the
// numbers of process and thread are labels (comm, pid, tid). Frames printed as
// "(inlined)" are part of the location of the frame they were inlined into; a
// frame "[unknown]" keeps its address. Each event has a column with the number
// of its samples and, where perf prints periods, one with their sum, which is
// in the event's own unit: nanoseconds for cpu-clock and task-clock. With
// several events, a sample is zero in the columns of the others, and the event
// with the most samples is the one that views show.
//
// Frames that lost the blanks in front of them, as in a mail, are read below a
// line that names an event. A sample that is a branch (from => to, of Intel PT
// and BTS) has its place of origin as its stack, as in perf report, and a warning
// says so. Lines of branch records below a stack are no frames: those of brstack
// and brstackinsn are passed over, those with an arrow counted in a warning.
//
// It misleads where perf does: call chains without frame pointers or unwind
// tables are cut or wrong, and the samples of events with different periods
// are no measure of each other: only their periods are. Lost samples are not
// in this text; perf report names them.
package perfscript
