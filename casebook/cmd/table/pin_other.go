//go:build !linux

package main

// twoProcessors are unknown: nothing is pinned.
func twoProcessors() (one, other []int, siblings bool) { return nil, nil, false }
