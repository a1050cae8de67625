//go:build !linux

package main

import "os/exec"

// processors are unknown: nothing is pinned.
func processors() []int { return nil }

func startOn(cmd *exec.Cmd, _ int) error { return cmd.Start() }
