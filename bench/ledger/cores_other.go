//go:build !linux

package ledger

// Cores is unknown here, and a process cannot be pinned.
func Cores() []int { return nil }
