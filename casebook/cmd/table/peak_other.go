//go:build !linux

package main

import (
	"errors"
	"os/exec"
)

// peakOf is told on Linux only.
func peakOf(int) (int64, error) { return 0, errors.ErrUnsupported }

// peakOfEnded is told on Linux only; 0 is unknown.
func peakOfEnded(*exec.Cmd) int64 { return 0 }
