package lockheld

import (
	"go/ast"
	"testing"

	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

func TestWorkOf(t *testing.T) {
	for fn, want := range map[string]work{
		"os.(*File).Write": writes, "os.ReadFile": writes, "os.Getenv": cheap, "os.(*File).Name": cheap,
		"net.(*conn).Write": writes, "net.Dial": writes, "net.ParseIP": cheap, "net.JoinHostPort": cheap, "net.IP.String": cheap,
		"net/http.(*Client).Do": writes, "net/http.ResponseWriter.Write": writes, "net/http.ResponseWriter.Header": cheap,
		"net/http.Header.Set": cheap, "net/http.NewRequest": cheap, "net/http.(*Request).FormValue": cheap, "net/http.(*Transport).RoundTrip": writes,
		"bufio.(*Writer).Flush": writes, "bufio.(*Writer).WriteString": cheap, "bufio.NewWriter": cheap,
		"io.Copy": writes, "io.NopCloser": cheap, "syscall.write": writes, "database/sql.(*DB).QueryContext": writes, "database/sql.(*DB).Stats": cheap,
		"time.Sleep": sleeps, "time.Now": cheap, "os/exec.(*Cmd).Output": writes,
		"log.Printf": logs, "log.New": cheap, "log/slog.(*Logger).Info": logs, "log.(*Logger).SetPrefix": cheap, "github.com/sirupsen/logrus.(*Entry).Info": logs,
		"fmt.Sprintf": formats, "fmt.Errorf": formats,
		"encoding/json.Marshal": encodes, "encoding/binary.littleEndian.PutUint32": cheap, "text/template.(*Template).Execute": encodes, "compress/gzip.(*Writer).Write": encodes,
		"strconv.Itoa": cheap, "strings.Builder.String": cheap, "runtime.mallocgc": cheap, "m/x.f": cheap, "": cheap,
	} {
		if got := workOf(fn); got != want {
			t.Errorf("%s: %q, want %q", fn, got, want)
		}
	}
}

// What fmt prints to decides whether printing is I/O.
func TestWorkOfCall(t *testing.T) {
	for call, want := range map[string]work{
		"fmt.Fprintf(f, text)": writes, "fmt.Fprintln(rw, text)": writes,
		"fmt.Fprintf(b, text)": formats, "fmt.Fprintf(w, text)": formats, "fmt.Fprint(&sb, text)": formats,
		"fmt.Println(text)": writes, "fmt.Sprintln(text)": formats,
		"w.Write(nil)": writes, "wc.Write(nil)": writes, "b.Write(nil)": cheap, "s.Write(nil)": cheap,
	} {
		pkg := typedtest.Program(t, typedtest.File{Package: "m/x", Frame: "x.go", Text: `package x

import ("bytes"; "fmt"; "io"; "net/http"; "os"; "strings")

func f(f *os.File, rw http.ResponseWriter, b *bytes.Buffer, sb strings.Builder, w io.Writer, wc io.WriteCloser, s *S, text string) { ` + call + ` }

type S struct{}

func (*S) Write([]byte) {}
`}).Package("m/x")
		ast.Inspect(pkg.Files[0], func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				if got := workOfCall(typed.Site{CallExpr: c, In: pkg}); got != want {
					t.Errorf("%s: %q, want %q", call, got, want)
				}
			}
			return true
		})
	}
}
