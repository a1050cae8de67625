// Package attacked has benchmarks of code that reaches other code, or asks for it,
// in a way that is easily overlooked.
package attacked

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/pprof"
	"text/template"
	_ "unsafe"

	"example.org/attacked/far"
)

//go:embed words
var words embed.FS

//go:noinline
func embedded() int {
	data, _ := words.ReadFile("words/one.txt")
	return len(data)
}

//go:linkname linked example.org/attacked/far.table
var linked [4]int

//go:noinline
func ofLinked(i int) int { return linked[i&3] }

func pushed(x int) int

//go:noinline
func size(file string) int {
	data, _ := os.ReadFile(file)
	return len(data)
}

//go:noinline
func keys(text string) int {
	var m map[far.Key]int
	if json.Unmarshal([]byte(text), &m) != nil {
		return 0
	}
	return len(m)
}

//go:noinline
func profile(to io.Writer) { pprof.Lookup("goroutine").WriteTo(to, 2) }

//go:noinline
func text(x any) int { return len(fmt.Sprint(x)) }

//go:noinline
func is(err error) bool { return errors.Is(err, io.EOF) }

//go:noinline
func indexed(x any) int { return int(reflect.ValueOf(x).Method(0).Call(nil)[0].Int()) }

type sized interface{ Size() int }

//go:noinline
func sum[S sized](all []S) (n int) {
	for _, s := range all {
		n += s.Size()
	}
	return n
}

var page = template.Must(template.New("page").Parse("{{.Title}}"))

//go:noinline
func render(p any) int {
	var b bytes.Buffer
	page.Execute(&b, p)
	return b.Len()
}

var expression = (*far.Counter).Next
