package lockheld

import "testing"

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
	for _, test := range []struct {
		callee string
		to     string
		want   work
	}{
		{"fmt.Fprintf", "*os.File", writes}, {"fmt.Fprintln", "net/http.ResponseWriter", writes},
		{"fmt.Fprintf", "*bytes.Buffer", formats}, {"fmt.Fprintf", "io.Writer", formats}, {"fmt.Fprint", "*strings.Builder", formats},
		{"fmt.Println", "string", writes}, {"fmt.Sprintln", "string", formats},
		{"io.Writer.Write", "[]byte", writes}, {"bytes.(*Buffer).Write", "[]byte", cheap}, {"m/x.(*S).Write", "[]byte", cheap},
	} {
		if got := workOfCall(test.callee, []string{test.to}); got != test.want {
			t.Errorf("%s to %s: %q, want %q", test.callee, test.to, got, test.want)
		}
	}
}
