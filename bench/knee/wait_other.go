//go:build !linux

package main

import (
	"runtime"
	"time"
)

// early is how long before a moment the timer is set: the rest is waited for by
// looking at the clock, as timers may be late by a millisecond.
const early = 1500 * time.Microsecond

// wait returns at a moment.
func wait(end time.Time) error {
	time.Sleep(time.Until(end) - early)
	for time.Now().Before(end) {
		runtime.Gosched()
	}
	return nil
}
