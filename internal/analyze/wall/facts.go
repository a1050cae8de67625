package wall

import (
	"strings"

	"whet/internal/symbolname"
)

// facts are what a stack says by the functions on it. Each follows from the
// parent's and one more frame.
type facts struct {
	entry entry // by the root function
	// Of goroutines that serve HTTP:
	asking      bool   // on the way to the next request, no handler yet
	reading     bool   // and there in a read of the connection
	responding  bool   // in a handler, or in the server's own work around one
	inHandler   bool   // below net/http.serverHandler.ServeHTTP
	dispatching bool   // the leaf is a mux, an adapter or a router
	handler     string // the innermost function that one of these called
	handlerAt   int    // its depth

	ownConn bool // on the connection that the request came by
	client  bool // inside a client of HTTP, SQL or RPC
	asks    bool // and there between a request and the beginning of its answer
	device  device

	place     string // the innermost function of the user's own, else the innermost that says what for
	placeUser bool
}

// device is what a system call or a wait of the poller is about.
type device uint8

const (
	noDevice device = iota
	socket
	file
)

func factsOf(parent *node, name string) facts {
	var f facts
	depth := 1
	pkg := symbolname.Package(name)
	if parent != nil {
		f = parent.facts
		depth = parent.depth + 1
	} else {
		f.entry = entryOf(name, pkg)
		f.inHandler = f.entry == timeoutEntry
	}
	caller := f.dispatching
	f.dispatching = isDispatcher(name, pkg)
	switch {
	case name == "net/http.serverHandler.ServeHTTP":
		f.inHandler, f.dispatching = true, true
	case f.inHandler && !f.dispatching && isHandler(name, pkg, caller):
		f.handler, f.handlerAt = name, depth
	}
	if f.entry == connEntry {
		f.asking = !f.inHandler && (f.asking || isRequestRead(name))
		f.responding = f.inHandler || f.responding || isResponse(name)
	}
	f.ownConn = f.ownConn || hasAnyPrefix(name, ownConnections)
	f.client = f.client || hasAnyPrefix(name, clients)
	f.asks = f.asks || hasAnyPrefix(name, askers)
	switch {
	case strings.HasPrefix(name, "net.("):
		f.device = socket
	case isFile(name, pkg):
		f.device = file
	}
	// What allocates on the way works on a request whose bytes are there.
	f.reading = f.asking && f.device == socket && !symbolname.Runtime(pkg)
	switch {
	case !symbolname.Standard(pkg):
		f.place, f.placeUser = name, true
	case !f.placeUser && !isMechanism(pkg) || f.place == "":
		f.place = name
	}
	return f
}

// entry is what the function that a go statement called makes of a goroutine.
type entry uint8

const (
	plainEntry   entry = iota
	systemEntry        // the runtime's, or an instrument's: not the program's
	connEntry          // serves one connection, request after request
	streamEntry        // serves one HTTP/2 request
	timeoutEntry       // runs the handler that an http.TimeoutHandler waits for
)

func entryOf(name, pkg string) entry {
	switch {
	case name == "runtime.main":
		return plainEntry
	case symbolname.Runtime(pkg), pkg == "runtime/trace", pkg == "runtime/pprof", symbolname.Agent(pkg):
		return systemEntry
	case name == "net/http.(*conn).serve":
		return connEntry
	case strings.HasSuffix(name, "erverConn).runHandler") && strings.Contains(pkg, "http"):
		return streamEntry
	case strings.HasPrefix(name, "net/http.(*timeoutHandler).ServeHTTP.func"):
		return timeoutEntry
	}
	return plainEntry
}

// isInstrumentHandler recognises handlers that measure the program.
func isInstrumentHandler(name string) bool {
	pkg := symbolname.Package(name)
	return pkg == "net/http/pprof" || symbolname.Agent(pkg)
}

// isRequestRead recognises what net/http.(*conn).serve calls to wait for the
// next request's bytes.
func isRequestRead(name string) bool {
	return name == "net/http.(*conn).readRequest" || name == "bufio.(*Reader).Peek"
}

// isResponse recognises the server's own work for a request outside of its
// handler. The rest of serve, such as the TLS handshake before the first
// request and the closing of the connection after the last, is none's.
func isResponse(name string) bool {
	return strings.HasPrefix(name, "net/http.(*response).") ||
		name == "net/http.(*connReader).startBackgroundRead" ||
		name == "net/http.(*connReader).abortPendingRead"
}

// isDispatcher recognises what stands between the server and a handler.
func isDispatcher(name, pkg string) bool {
	if pkg == "net/http" {
		return hasAnyPrefix(name, netHTTPDispatchers)
	}
	for _, router := range routers {
		if rest, ok := strings.CutPrefix(pkg, router); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// isHandler decides whether a function below the server is a handler: what a
// dispatcher calls, unless it is the standard library's own business, and
// whatever is called ServeHTTP.
func isHandler(name, pkg string, dispatched bool) bool {
	serves := strings.HasSuffix(name, ".ServeHTTP")
	switch {
	case !symbolname.Standard(pkg):
		return dispatched || serves
	case pkg == "net/http":
		return serves || dispatched && name == "net/http.NotFound"
	}
	return serves || dispatched && (pkg == "expvar" || strings.HasPrefix(pkg, "net/http/"))
}

var (
	netHTTPDispatchers = []string{
		"net/http.serverHandler.", "net/http.HandlerFunc.", "net/http.(*ServeMux).", "net/http.(*timeoutHandler).",
		"net/http.StripPrefix.", "net/http.MaxBytesHandler.", "net/http.AllowQuerySemicolons.", "net/http.globalOptionsHandler.",
		"net/http.initALPNRequest.", "net/http.(*CrossOriginProtection).",
	}
	routers = []string{
		"github.com/go-chi/chi", "github.com/gorilla/mux", "github.com/gorilla/handlers", "github.com/julienschmidt/httprouter",
		"github.com/gin-gonic/gin", "github.com/labstack/echo", "github.com/urfave/negroni",
		"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp", "github.com/prometheus/client_golang/prometheus/promhttp",
	}
	// ownConnections are the ways a handler waits for the one who asked.
	ownConnections = []string{
		"net/http.(*connReader).", "net/http.checkConnErrorWriter.", "net/http.(*checkConnErrorWriter).", "net/http.(*http2serverConn).",
		"golang.org/x/net/http2.(*serverConn).", "golang.org/x/net/websocket.", "github.com/gorilla/websocket.", "github.com/coder/websocket.",
	}
	// clients are the calls in which a wait on a channel is one for an answer.
	clients = []string{
		"net/http.(*Client).", "net/http.(*Transport).", "net/http.(*persistConn).", "net/http.(*http2ClientConn).", "net/http.(*http2Transport).",
		"golang.org/x/net/http2.(*ClientConn).", "golang.org/x/net/http2.(*Transport).", "database/sql.(*",
		"google.golang.org/grpc.(*ClientConn).", "google.golang.org/grpc.(*clientStream).", "google.golang.org/grpc.newClientStream",
		"net.(*Dialer).", "net.(*Resolver).",
	}
)

// askers are the calls of clients that send one request and wait for the beginning of
// its answer: what they wait for is never the rest of one.
var askers = []string{
	"net/http.(*persistConn).roundTrip", "net/http.(*http2ClientConn).roundTrip", "net/http.(*http2ClientConn).RoundTrip",
	"golang.org/x/net/http2.(*ClientConn).roundTrip", "golang.org/x/net/http2.(*ClientConn).RoundTrip",
	"database/sql.(*DB).queryDC", "database/sql.(*DB).execDC", "database/sql.resultFromStatement", "database/sql.rowsiFromStatement",
	"google.golang.org/grpc.(*ClientConn).Invoke",
}

func hasAnyPrefix(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// isFile recognises what works on files. Standard output, pipes and terminals
// are files to it too.
func isFile(name, pkg string) bool {
	function, _, _ := strings.Cut(name[len(pkg):], "[")
	switch pkg {
	case "os":
		return strings.HasPrefix(function, ".(*File).") || strings.HasPrefix(function, ".(*Root).") || fileFunctions[strings.TrimPrefix(function, ".")]
	case "internal/poll":
		return filePolls[strings.TrimPrefix(function, ".(*FD).")]
	case "syscall", "golang.org/x/sys/unix":
		return fileCalls[strings.TrimPrefix(function, ".")]
	}
	return false
}

var (
	fileFunctions = set("Open", "OpenFile", "Create", "CreateTemp", "ReadFile", "WriteFile", "ReadDir", "Stat", "Lstat", "Remove", "RemoveAll",
		"Rename", "Mkdir", "MkdirAll", "MkdirTemp", "Truncate", "Chmod", "Chtimes", "Link", "Symlink", "Readlink", "CopyFS")
	filePolls = set("Pread", "Pwrite", "Fsync", "Ftruncate", "Fstat", "ReadDirent", "Seek")
	fileCalls = set("Fsync", "Fdatasync", "Pread", "Pwrite", "Open", "Openat", "Ftruncate", "Stat", "Lstat", "Msync", "Unlink", "Rename")
)

func set(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[n] = true
	}
	return out
}
