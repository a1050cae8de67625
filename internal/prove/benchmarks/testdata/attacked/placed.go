package attacked

import (
	"log"
	"runtime"
)

//go:noinline
func placed() int {
	_, _, line, _ := runtime.Caller(0)
	return line
}

//go:noinline
func logged(l *log.Logger) { l.Print("logged") }
