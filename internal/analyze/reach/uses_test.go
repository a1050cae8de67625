package reach

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What the standard library does for its callers is found, whatever the
// compiler inlines of it.
func TestUses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("package syscall is another one on each system")
	}
	calls := []struct {
		call string
		want use
	}{
		{`strings.ToUpper("x")`, 0},
		{`os.Getenv("x")`, 0},
		{`strconv.Itoa(len(os.Args))`, self},
		{`os.Open("x")`, opens},
		{`os.ReadFile("x")`, opens},
		{`os.Stat("x")`, opens},
		{`os.Lstat("x")`, opens},
		{`os.Readlink("x")`, opens},
		{`os.ReadDir("x")`, opens | lists},
		{`os.DirFS("x")`, opens | lists},
		{`os.CopyFS("x", nil)`, opens | lists},
		{`os.OpenRoot("x")`, opens | lists},
		{`os.OpenInRoot("x", "y")`, opens | lists},
		{`new(os.File).ReadDir(0)`, opens | lists},
		{`new(os.File).Readdirnames(0)`, opens | lists},
		{`os.Executable()`, starts},
		{`os.StartProcess("x", nil, nil)`, starts},
		{`exec.Command("x")`, starts},
		{`new(exec.Cmd).Run()`, starts},
		{`syscall.Open("x", 0, 0)`, opens | lists},
		{`syscall.Stat("x", nil)`, opens | lists},
		{`syscall.ForkExec("x", nil, nil)`, starts},
		{`syscall.Exec("x", nil, nil)`, starts},
		{`ioutil.ReadFile("x")`, opens},
		{`ioutil.ReadDir("x")`, opens | lists},
		{`filepath.Glob("x")`, opens | lists},
		{`filepath.WalkDir("x", nil)`, opens | lists},
		{`filepath.EvalSymlinks("x")`, opens},
		{`fs.WalkDir(nil, "x", nil)`, opens | lists},
		{`parser.ParseFile(nil, "x", nil, 0)`, opens},
		{`parser.ParseDir(nil, "x", nil, 0)`, opens | lists},
		{`template.ParseFiles("x")`, opens | counts},
		{`template.ParseGlob("x")`, opens | lists | counts},
		{`template.ParseFS(nil, "x")`, opens | lists | counts},
		{`new(template.Template).ParseFiles("x")`, opens | counts},
		{`new(template.Template).ParseGlob("x")`, opens | lists | counts},
		{`html.ParseFiles("x")`, opens | counts},
		{`html.ParseGlob("x")`, opens | lists | counts},
		{`html.ParseFS(nil, "x")`, opens | lists | counts},
		{`new(html.Template).ParseFiles("x")`, opens | counts},
		{`; new(template.Template).Execute(nil, nil)`, counts},
		{`; new(cgi.Handler).ServeHTTP(nil, nil)`, starts},
		{`syscall.Access("x", 0)`, opens | lists},
		{`http.FileServer(http.Dir("x"))`, opens | lists},
		{`http.NewFileTransport(http.Dir("x"))`, opens | lists},
		{`http.Dir("x").Open("y")`, opens | lists},
		{`; http.ServeFile(nil, nil, "x")`, opens | lists},
		{`tls.LoadX509KeyPair("x", "y")`, opens},
		{`zip.OpenReader("x")`, opens},
		{`elf.Open("x")`, opens},
		{`buildinfo.ReadFile("x")`, opens},
		{`debug.ReadBuildInfo()`, tells},
		{`reflect.ValueOf("x").NumMethod()`, counts},
		{`reflect.ValueOf("x").NumField()`, 0},
		{`reflect.ValueOf("x").MapIndex(reflect.Value{})`, counts},
		{`; reflect.ValueOf("x").Send(reflect.Value{})`, counts},
		{`reflect.ValueOf("x").CanConvert(nil)`, counts},
		{`reflect.MakeFunc(nil, nil)`, counts},
		{`; json.Unmarshal(nil, nil)`, counts},
		{`; json.NewDecoder(nil).Decode(nil)`, counts},
		{`new(json.Decoder)`, counts},
		{`json.Marshal(nil)`, 0},
		{`; gob.NewDecoder(nil).Decode(nil)`, counts},
		{`quick.Check(nil, nil)`, counts},
		{`; log.Print("x")`, places},
		{`; new(log.Logger).Print("x")`, places},
		{`log.New(nil, "x", 0)`, places},
		{`; log.SetFlags(0)`, places},
		{`; log.Default().SetFlags(0)`, places},
		{`slog.NewTextHandler(nil, nil)`, places},
		{`slog.NewJSONHandler(nil, nil)`, places},
		{`slog.Record{}.Source()`, places},
		{`; slog.Info("x")`, 0},
		{`; pprof.Lookup("x").WriteTo(nil, 2)`, places | stacks},
		{`; pprof.StartCPUProfile(nil)`, places | stacks},
		{`; pprof.Do(nil, pprof.Labels("x", "y"), nil)`, 0},
		{`; trace.Start(nil)`, places | stacks},
		{`; trace.Log(nil, "x", "y")`, 0},
		{`runtime.Caller(0)`, places},
		{`runtime.Callers(0, make([]uintptr, 9))`, places},
		{`runtime.FuncForPC(0).Name()`, places},
		{`runtime.Stack(nil, true)`, places | stacks},
		{`; runtime.GoroutineProfile(nil)`, places | stacks},
		{`; runtime.MemProfile(nil, true)`, places | stacks},
		{`; runtime.SetMutexProfileFraction(0)`, 0},
		{`debug.Stack()`, places},
		{`; debug.PrintStack()`, places},
	}
	source := `package p

import (
	"archive/zip"
	"crypto/tls"
	"debug/buildinfo"
	"debug/elf"
	"encoding/gob"
	"encoding/json"
	"go/parser"
	html "html/template"
	"io/fs"
	"io/ioutil"
	"log"
	"log/slog"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/quick"
	"text/template"
)

func all(...any) {}
`
	for i, c := range calls {
		call := "all(" + c.call + ")"
		if strings.HasPrefix(c.call, ";") { // it returns nothing
			call = c.call
		}
		source += fmt.Sprintf("\nfunc F%d() { %s }\n", i, call)
	}
	source += "\nfunc BenchmarkNothing(*testing.B) {}\n"
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p_test.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := program(t, dir, "p")
	for i, c := range calls {
		d, ok := p.definition(p.t.lookup(fmt.Sprintf("p.F%d", i), 1))
		if !ok {
			t.Fatalf("F%d is not found", i)
		}
		var got use
		relocs := p.t.object(d).Relocs(int(d.symbol))
		for j := range relocs.Len() {
			n, _ := p.target(d, relocs.At(j).Ref)
			got |= p.t.uses[n]
		}
		if got != c.want {
			t.Errorf("%s: %04b, not %04b", c.call, got, c.want)
			for j := range relocs.Len() {
				if n, _ := p.target(d, relocs.At(j).Ref); n != 0 {
					t.Log(p.t.names[n])
				}
			}
		}
	}
}
