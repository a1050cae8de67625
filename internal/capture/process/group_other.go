//go:build !linux

package process

import "time"

// Members returns the processes of a group, by its leader's number, that have not
// ended; ok is false if the system does not report them.
func Members(leader int) (pids []int, ok bool) { return nil, false }

// GroupCPU returns the CPU time of the processes of a group; ok is false if the system
// does not report it.
func GroupCPU(leader int) (used time.Duration, ok bool) { return 0, false }
