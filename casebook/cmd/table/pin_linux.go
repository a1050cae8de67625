package main

import (
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// processors are those that this process may run on.
func processors() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	var all []int
	for i := 0; len(all) < set.Count(); i++ {
		if set.IsSet(i) {
			all = append(all, i)
		}
	}
	return all
}

// startOn starts a command that may run on one processor only. A process has
// the affinity of the thread that starts it; and a Go program that finds one
// processor runs with GOMAXPROCS=1.
func startOn(cmd *exec.Cmd, processor int) (err error) {
	runtime.LockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("read the processors of a thread: %w", err)
	}
	one.Set(processor)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("pin to processor %d: %w", processor, err)
	}
	err = cmd.Start()
	if unix.SchedSetaffinity(0, &all) == nil {
		runtime.UnlockOSThread()
	} // else the thread ends with its goroutine and pins nothing further
	return err
}
