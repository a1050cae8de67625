package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// wait returns at a moment, late by some 50 µs: a timer of the kernel wakes the
// runtime's poller, which for its own timers waits whole milliseconds. Looking at
// the clock instead would keep a processor busy, and so disturb other searches.
func wait(end time.Time) error {
	left := time.Until(end)
	if left <= 0 {
		return nil
	}
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("make a timer: %w", err)
	}
	timer := os.NewFile(uintptr(fd), "timer")
	defer timer.Close()
	if err := unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(left))}, nil); err != nil {
		return fmt.Errorf("set a timer: %w", err)
	}
	if _, err := timer.Read(make([]byte, 8)); err != nil {
		return fmt.Errorf("wait for a timer: %w", err)
	}
	return nil
}
