//go:build go1.26 && !unix

package agent

var children map[string]func()
