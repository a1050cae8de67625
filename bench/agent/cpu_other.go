//go:build !unix

package main

import "os"

// cpuNs ends a measurement that cannot be made here.
func cpuNs() int64 {
	os.Stderr.WriteString("bench/agent: it needs a Unix system to count CPU time\n")
	os.Exit(1)
	return 0
}
