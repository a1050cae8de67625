// Package process runs one command to its end: in a process group of its own,
// with bounded output, a time limit, and what it used.
//
// It answers what became of a command: its exit, the signal that killed it,
// who asked for that, its CPU time and peak memory as the kernel counted them.
//
// The command leads a process group. A cancelled context, the time limit or
// more output than allowed end the whole group: first SIGTERM, after a grace
// SIGKILL. When the leader has ended, whatever is left in the group is killed
// at once, so that a grandchild that keeps the pipe open delays nothing. On
// Linux the leader is watched with waitid(WNOWAIT): it stays a zombie until
// the group is killed, so the group's number cannot have been given to a
// stranger. Elsewhere on Unix the group is killed just after the leader was
// reaped. On Windows a job object takes the group's place.
//
// # When it misleads
//
// A descendant that leaves the group (setsid) escapes the kill; only its hold
// on the pipes is broken, after a delay.
//
// When whet itself is killed with SIGKILL nobody is left to kill the group. On
// Linux the kernel then kills the leader (PR_SET_PDEATHSIG, which fires when
// the starting thread ends: Run keeps its thread to the end), but nothing that
// the leader started. Elsewhere on Unix what limits the damage is that the
// pipes break: a Go program dies of SIGPIPE at its next write to stdout or
// stderr, and package gobench gives each test binary a -test.timeout a little
// beyond its own limit. On Windows the job object ends the group.
//
// CPU time counts the leader and the children it has waited for. Linux starts
// the peak memory of a new program at that of the process that started it, so
// a peak at or below our own says nothing about the command and is reported
// as unknown.
package process
