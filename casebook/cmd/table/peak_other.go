//go:build !linux

package main

// peakOf is told on Linux only; 0 is unknown.
func peakOf(int) (int64, error) { return 0, nil }
