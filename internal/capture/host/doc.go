// Package host reads the facts about a machine that a measurement needs: processors,
// limits of the control group, memory, and disturbances during the measurement.
//
// On Linux it reads /proc and the control group file systems, version 1, 2 and both
// at once (cpu(7), cgroups(7), Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst
// of the kernel). Limits hold for a group and all below it, so the tightest one on
// the way up to the mounted root counts. On other systems it reports what the system
// tells without running a program; the rest is unknown.
//
// # When it misleads
//
// In a container the mounted root may lie below the real one: limits set above it
// are invisible. The runtime's rule for GOMAXPROCS (Go 1.25: the CPU limit rounded
// up, at least 2) does not apply to programs whose go.mod names an older Go, and a
// program can set its own: the processors in a benchmark's result line take
// precedence over [Facts].
//
// Steal is that of the whole machine, as reported by the hypervisor. Throttled time
// is summed over processors, so that it can exceed the time measured, and is that of
// the whole group, whet itself included. The load average is not confined to a
// container.
package host
