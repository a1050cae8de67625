// Package planted has a benchmark for each way in which code is reached, and
// tests change what lies at its end.
package planted

import (
	_ "embed"
	"os"
	"reflect"
	_ "unsafe"

	"example.org/planted/far"
)

//go:embed words.txt
var words string

var start = 3

var initialised int

func init() { initialised = 1 }

//go:noinline
func plain(x int) int { return x + 11 }

//go:noinline
func unreached(x int) int { return x + 12 }

//go:noinline
func variable() int { return start }

//go:noinline
func constant(x int) int { return x % far.Size }

//go:linkname linked example.org/planted/far.hidden
func linked(x int) int

//go:noinline
func named(name string) int {
	return int(reflect.ValueOf(far.Named{}).MethodByName(name).Call(nil)[0].Int())
}

//go:noinline
func counted(x any) int { return reflect.TypeOf(x).NumMethod() }

//go:noinline
func apply(f func(int) int, x int) int { return f(x) }

//go:noinline
func twice(x int) int {
	return apply(func(y int) int { return 2 * y }, x)
}

//go:noinline
func embedded() int { return len(words) }

//go:noinline
func read(name string) int {
	data, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	return len(data)
}

func assembled(x int) int
