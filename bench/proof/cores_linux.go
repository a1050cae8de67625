package main

import "golang.org/x/sys/unix"

// cores are the processors that this process may use; none when unknown.
func cores() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	var out []int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			out = append(out, cpu)
		}
	}
	return out
}
