// Package exectrace reads the Go runtime's execution traces into events of
// goroutines.
package exectrace
