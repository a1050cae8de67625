//go:build !linux

package main

// cores is unknown here, and a process cannot be pinned.
func cores() []int { return nil }
