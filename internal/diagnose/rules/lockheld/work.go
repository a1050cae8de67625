package lockheld

import (
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose/rules/logging"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// work is what a lock should not be held for.
type work uint8

const (
	cheap work = iota // what may well need the lock
	logs
	encodes
	formats
	sleeps
	writes // I/O of any sort
)

func (w work) String() string {
	return [...]string{"", "logging", "encoding", "formatting", "sleeping", "I/O"}[w]
}

// waits are the functions of the standard library that read, write, or wait for
// somebody, by package, or by package and receiver ("" of functions) where those
// are told apart. A name with a star stands for all that begin so.
var waits = map[string]string{
	"io": streams, "io/ioutil": streams,
	"bufio":   "Flush ReadFrom WriteTo ReadString ReadBytes ReadLine ReadSlice Fill",
	"os":      "Open OpenFile Create CreateTemp ReadFile WriteFile ReadDir Remove RemoveAll Rename Mkdir MkdirAll MkdirTemp Stat Lstat Truncate Chmod Chtimes Link Symlink Readlink",
	"os.File": "*",
	"os/exec": "Run Output CombinedOutput Wait Start",
	"net.":    "Dial* Lookup* Resolve*",
	"net":     "Read Write WriteTo WriteToUDP Dial DialContext LookupHost LookupIP LookupIPAddr LookupAddr ReadFrom Close",
	"net/rpc": "*", "net/smtp": "*", "crypto/tls": "Read Write Dial Handshake",
	"net/http.": requests, "net/http.Client": requests, "net/http.RoundTripper": "RoundTrip", "net/http.Transport": "RoundTrip",
	"net/http.ResponseWriter": answers, "net/http.response": answers, "net/http.Flusher": answers, "net/http.ResponseController": answers, "net/http.http2responseWriter": answers,
	"syscall": "*", "internal/poll": "*", "internal/syscall/unix": "*",
	"database/sql": "Query* Exec* Ping* Prepare* Begin BeginTx Commit Next Scan",
}

const (
	streams  = "Copy CopyN CopyBuffer ReadAll WriteString Write Read ReadFull ReadAtLeast ReadFile WriteFile"
	requests = "Do Get Head Post PostForm Error Redirect NotFound ServeContent ServeFile"
	answers  = "Write WriteString Flush ReadFrom write"
	// loggers only make or adjust a logger.
	loggers = "New* Set* Get* Default* Parse* Enabled* Is* Level* Writer* Prefix* Flags*"
)

// among reports whether a name is in a list.
func among(name, list string) bool {
	for pattern := range strings.FieldsSeq(list) {
		if prefix, open := strings.CutSuffix(pattern, "*"); name == prefix || open && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// workOf classifies a function by the name that the linker gives it.
func workOf(fn string) work {
	sym := symbolname.Parse(fn)
	pkg := sym.Package
	names, ok := waits[pkg+"."+sym.Receiver]
	if !ok {
		names = waits[pkg]
	}
	switch {
	case fn == "os.(*File).Name", fn == "os.(*File).Fd", pkg == "encoding/binary": // fixed-size integers
	case among(sym.Name, names):
		return writes
	case fn == "time.Sleep":
		return sleeps
	case pkg == "fmt":
		return formats
	case among(pkg, "text/template html/template text/tabwriter mime/multipart encoding/* compress/* archive/* image/*"):
		return encodes
	case logging.Package(pkg) && !among(sym.Name, loggers):
		return logs
	}
	return cheap
}

// workOfCall classifies a call, whose first argument says what fmt writes to.
func workOfCall(call typed.Site) work {
	callee := call.Callee()
	switch w := workOf(callee); {
	case w == formats && strings.HasPrefix(callee, "fmt.Fprint") && len(call.Args) > 0:
		if t := call.In.TypeOf(call.Args[0]); t != nil && slices.Contains([]string{"*os.File", "net.Conn", "net/http.ResponseWriter"}, types.TypeString(t, nil)) {
			return writes
		}
		return formats
	case w == formats && strings.HasPrefix(callee, "fmt.Print"):
		return writes // to standard output
	default:
		return w
	}
}
