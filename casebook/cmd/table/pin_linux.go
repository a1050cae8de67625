package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// twoProcessors are two that this process may run on, of two cores if there are
// such; nil where there are no two.
func twoProcessors() (one, other []int, siblings bool) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil || set.Count() < 2 {
		return nil, nil, false
	}
	var all []int
	for i := 0; len(all) < set.Count(); i++ {
		if set.IsSet(i) {
			all = append(all, i)
		}
	}
	core := coreOf(all[0])
	apart := slices.IndexFunc(all, func(p int) bool { return coreOf(p) != core })
	if core == "" || apart < 0 {
		return all[:1], all[1:2], core != ""
	}
	return all[:1], all[apart : apart+1], false
}

// coreOf names the core of a processor by all that share it, "" where the system
// does not tell.
func coreOf(processor int) string {
	text, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", processor))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
