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

// workOf classifies a function by its linker name, or a call by its typed one.
func workOf(fn string) work {
	sym := symbolname.Parse(fn)
	switch pkg := sym.Package; pkg {
	case "":
		return cheap
	case "fmt":
		return formats
	case "encoding/binary", "encoding": // fixed-size integers
		return cheap
	case "text/template", "html/template", "text/tabwriter":
		return encodes
	case "io/fs", "os/signal", "os/user":
		return cheap
	case "time":
		if sym.Receiver == "" && sym.Name == "Sleep" {
			return sleeps
		}
		return cheap
	case "os":
		return ofOS(sym)
	case "io", "io/ioutil":
		switch sym.Name {
		case "Copy", "CopyN", "CopyBuffer", "ReadAll", "WriteString", "Write", "Read", "ReadFull", "ReadAtLeast", "ReadFile", "WriteFile":
			return writes
		}
		return cheap
	case "bufio":
		switch sym.Name {
		case "Flush", "ReadFrom", "WriteTo", "ReadString", "ReadBytes", "ReadLine", "ReadSlice", "Fill":
			return writes
		}
		return cheap
	case "net":
		if sym.Receiver == "" {
			return dials(sym.Name)
		}
		switch sym.Name {
		case "Read", "Write", "WriteTo", "WriteToUDP", "Dial", "DialContext", "LookupHost", "LookupIP", "LookupIPAddr", "LookupAddr", "ReadFrom", "Close":
			return writes
		}
		return cheap
	case "net/http":
		return ofHTTP(sym)
	case "crypto/tls":
		switch sym.Name {
		case "Read", "Write", "Dial", "Handshake":
			return writes
		}
		return cheap
	case "net/rpc", "net/smtp":
		return writes
	case "syscall", "internal/poll", "internal/syscall/unix":
		return writes
	case "database/sql":
		switch {
		case strings.HasPrefix(sym.Name, "Query"), strings.HasPrefix(sym.Name, "Exec"), strings.HasPrefix(sym.Name, "Ping"),
			strings.HasPrefix(sym.Name, "Prepare"), sym.Name == "Begin", sym.Name == "BeginTx", sym.Name == "Commit", sym.Name == "Next", sym.Name == "Scan":
			return writes
		}
		return cheap
	case "os/exec":
		switch sym.Name {
		case "Run", "Output", "CombinedOutput", "Wait", "Start":
			return writes
		}
		return cheap
	default:
		switch {
		case logging.Package(pkg):
			return ofLogger(sym)
		case strings.HasPrefix(pkg, "encoding/"), strings.HasPrefix(pkg, "compress/"), strings.HasPrefix(pkg, "archive/"), strings.HasPrefix(pkg, "image/"), pkg == "mime/multipart":
			return encodes
		}
	}
	return cheap
}

func ofOS(sym symbolname.Name) work {
	if sym.Receiver == "File" {
		switch sym.Name {
		case "Name", "Fd":
			return cheap
		}
		return writes
	}
	switch sym.Name {
	case "Open", "OpenFile", "Create", "CreateTemp", "ReadFile", "WriteFile", "ReadDir", "Remove", "RemoveAll", "Rename", "Mkdir", "MkdirAll", "MkdirTemp", "Stat", "Lstat", "Truncate", "Chmod", "Chtimes", "Link", "Symlink", "Readlink":
		return writes
	}
	return cheap
}

func ofHTTP(sym symbolname.Name) work {
	switch sym.Receiver {
	case "Client", "":
		switch sym.Name {
		case "Do", "Get", "Head", "Post", "PostForm", "Error", "Redirect", "NotFound", "ServeContent", "ServeFile":
			return writes
		}
	case "RoundTripper", "Transport":
		if sym.Name == "RoundTrip" {
			return writes
		}
	case "ResponseWriter", "response", "Flusher", "ResponseController", "http2responseWriter":
		switch sym.Name {
		case "Write", "WriteString", "Flush", "ReadFrom", "write":
			return writes
		}
	}
	return cheap
}

func dials(name string) work {
	if strings.HasPrefix(name, "Dial") || strings.HasPrefix(name, "Lookup") || strings.HasPrefix(name, "Resolve") {
		return writes
	}
	return cheap
}

// ofLogger leaves out what only makes or adjusts a logger.
func ofLogger(sym symbolname.Name) work {
	for _, prefix := range [...]string{"New", "Set", "Get", "Default", "Parse", "Enabled", "Is", "Level", "Writer", "Prefix", "Flags"} {
		if strings.HasPrefix(sym.Name, prefix) {
			return cheap
		}
	}
	return logs
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
