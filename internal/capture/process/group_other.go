//go:build !linux

package process

import "time"

// Members returns the processes of a group, by its leader's number, that have not
// ended; ok is false where the system does not tell.
func Members(leader int) (pids []int, ok bool) { return nil, false }

// GroupCPU returns the CPU time that the processes of a group have used; ok is false
// where the system does not tell.
func GroupCPU(leader int) (used time.Duration, ok bool) { return 0, false }
