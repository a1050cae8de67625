// Package process runs one command to its end: in a process group of its own,
// with bounded output, a time limit, and an account of its resources.
//
// It answers how a command ended: its exit status, the signal that killed it, who
// sent that, its CPU time and its peak memory by the kernel's account.
//
// The command leads a process group. A canceled context, the time limit or too
// much output end the whole group: first SIGTERM, after a grace period SIGKILL.
// When the leader has ended, the rest of the group is killed at once, so that a
// grandchild that keeps the pipe open delays nothing. On Linux the package waits
// for the leader with waitid(WNOWAIT): it stays a zombie until the group is
// killed, so no other process can have been given the group's number. Elsewhere
// on Unix the group is killed just after the leader was reaped. On Windows a job
// object takes the group's place.
//
// # When it misleads
//
// A descendant that leaves the group (setsid) escapes the kill; only its hold on
// the pipes is broken, after a delay.
//
// If whet itself is killed with SIGKILL, no process is left to kill the group. On
// Linux the kernel then kills the leader (PR_SET_PDEATHSIG, which fires when the
// starting thread ends: Run keeps its thread to the end), but not the processes
// that the leader started. Elsewhere on Unix the broken pipes limit the damage: a
// Go program dies of SIGPIPE at its next write to stdout or stderr, and package
// gobench gives each test binary a -test.timeout a little beyond its own limit.
// On Windows the job object ends the group.
//
// CPU time is that of the leader and of the children it has waited for. Linux
// starts the peak memory of a new program at that of the process that started it,
// so a peak at or below our own says nothing about the command and is reported as
// unknown.
package process
