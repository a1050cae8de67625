package planted

import (
	"runtime"

	_ "example.org/planted/first"
	_ "example.org/planted/second"
	_ "example.org/planted/third"
)

//go:noinline
func placed() int {
	_, _, line, _ := runtime.Caller(0)
	return line
}
