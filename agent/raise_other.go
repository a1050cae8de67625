//go:build go1.26 && !unix

package agent

import "os"

// raise ends the program: a process cannot send itself a signal here.
func raise(os.Signal) { os.Exit(2) }
