//go:build !linux

package portable

import "time"

func sharpen() {}

func nap(d time.Duration) { time.Sleep(d) }
