package rules_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"whet/internal/diagnose"
)

// called are functions that rules know, below the user's own.
var called = []string{
	"", "runtime.concatstring2 runtime.mallocgc", "runtime.slicebytetostring", "fmt.Sprintf runtime.mallocgc", "runtime.mapassign_faststr", "runtime.growslice runtime.mallocgc",
	"regexp.MustCompile regexp.compile", "bytes.(*Buffer).String runtime.slicebytetostring", "encoding/json.Unmarshal", "encoding/json.Marshal", "io.ReadAll runtime.growslice",
	"math/rand.Intn", "log/slog.(*Logger).Info fmt.Sprint", "os.Hostname", "html/template.(*Template).Execute", "image/png.Encode", "runtime.newobject runtime.mallocgc", "sort.Strings",
}

// stacksOf are samples at each line of a source's functions.
func stacksOf(src string) (cpu, allocs []stack) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "app.go", src, 0)
	if err != nil {
		return nil, nil
	}
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		for line := fset.Position(fn.Pos()).Line; line <= fset.Position(fn.End()).Line; line++ {
			for i := range 4 {
				frames := fmt.Sprintf("m/app.%s:%d %s", diagnose.LinkerName(fn), line, called[(5*line+i)%len(called)])
				cpu = append(cpu, stack{frames: frames, n: 10})
				allocs = append(allocs, stack{frames: frames, n: 10, size: 32})
			}
		}
	}
	return cpu, allocs
}

// Sources that lack something have types for a part only: rules may be silent
// about them, and must not fail.
func TestBrokenSources(t *testing.T) {
	reg := registry(t)
	asked := 0
	for _, src := range []string{copySource, resultSource, formatSource, logSource, builtSource, bufferSource, drawSource, encodeSource, randomSource, regexpSource, constantSource, pageSource, escapeSource, collectionSource, jsonSource} {
		lines := strings.Split(src, "\n")
		step := 11
		if testing.Short() {
			step = 49
		}
		for at := 0; at < len(lines); at += step {
			for _, with := range []string{"", strings.ReplaceAll(strings.ReplaceAll(lines[at], "int", "missing"), "(", "(missing, ")} {
				broken := append(append([]string{}, lines[:at]...), with)
				text := strings.Join(append(broken, lines[at+1:]...), "\n")
				if at == 0 {
					text = "package app\n" + text[len(with):]
				}
				cpu, allocs := stacksOf(text)
				if len(cpu) == 0 {
					continue
				}
				cpu, allocs = append(cpu, stack{n: 1}), append(allocs, stack{n: 1, size: 32}) // of nobody knows what
				asked++
				run(t, reg, []*diagnose.Subject{app(t, text, known, cpu, allocs)})
				if t.Failed() {
					t.Fatalf("of line %d, %q as %q", at+1, lines[at], with)
				}
			}
		}
	}
	if asked == 0 {
		t.Error("no source parses")
	}
}
