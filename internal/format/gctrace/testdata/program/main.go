// Program collects garbage a known number of times, three of them by force,
// and prints what the runtime says of it. Its standard error is a fixture.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

var keep [][]byte

func main() {
	var mem runtime.MemStats
	// Allocations of 64 KiB, of which one in 64 is kept: collections by the
	// heap's growth.
	for i := range 4000 {
		b := make([]byte, 64<<10)
		if i%64 == 0 {
			keep = append(keep, b)
		}
		if i%1000 == 0 {
			// While a cycle ends its line is written in pieces, and this one
			// would fall between them. Switching collection off waits for
			// marking, and reading the counts for the line.
			debug.SetGCPercent(-1)
			runtime.ReadMemStats(&mem)
			fmt.Fprintln(os.Stderr, "log: 1000 more, gc 1 @0.5s is no cycle here")
			debug.SetGCPercent(100)
		}
	}
	for range 3 {
		runtime.GC()
	}
	// No cycle may begin behind the figures.
	debug.SetGCPercent(-1)
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	runtime.ReadMemStats(&mem)
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"cycles": stats.NumGC, "mem_cycles": mem.NumGC, "forced": mem.NumForcedGC,
		"pauses_ns": stats.Pause, "procs": runtime.GOMAXPROCS(0), "kept_bytes": len(keep) * 64 << 10,
	})
	runtime.KeepAlive(keep)
}
