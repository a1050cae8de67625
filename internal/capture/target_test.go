package capture

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whet/internal/recording"
)

// stock is net/http/pprof on a mux of its own, each page by itself, below a
// path.
func stock(below string, leaveOut ...string) *http.ServeMux {
	mux := http.NewServeMux()
	pages := map[string]http.Handler{"profile": http.HandlerFunc(pprof.Profile), "trace": http.HandlerFunc(pprof.Trace)}
	for _, s := range snapshots {
		pages[s.kind] = pprof.Handler(s.kind)
	}
	for name, page := range pages {
		if !slices.Contains(leaveOut, name) {
			mux.Handle(below+name, page)
		}
	}
	return mux
}

func serve(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func find(t *testing.T, o TargetOptions) *Target {
	t.Helper()
	target, err := Find(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(target.Close)
	return target
}

// caFile holds a test server's certificate.
func caFile(t *testing.T, server *httptest.Server) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ca.pem")
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func withLogin(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); !ok || user != "me" || password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}

var offersOfStock = []string{"cpu", "trace", "goroutine", "heap", "allocs", "block", "mutex", "threadcreate"}

// TestFindStock finds net/http/pprof wherever programs serve it.
func TestFindStock(t *testing.T) {
	index := http.NewServeMux()
	index.HandleFunc("/debug/pprof/", pprof.Index)
	inner := http.NewServeMux()
	inner.Handle("/admin/", http.StripPrefix("/admin", stock("/debug/pprof/")))

	plain := serve(t, index)
	prefixed := serve(t, inner)
	elsewhere := serve(t, stock("/internal/p/"))
	login := serve(t, withLogin(stock("/debug/pprof/")))
	secure := httptest.NewTLSServer(stock("/debug/pprof/"))
	t.Cleanup(secure.Close)
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	local := &http.Server{Handler: stock("/debug/pprof/")}
	go local.Serve(listener)
	t.Cleanup(func() { local.Close() })

	for _, c := range []struct {
		name    string
		o       TargetOptions
		address string
	}{
		{"host", TargetOptions{Base: plain.URL}, plain.URL + "/debug/pprof/"},
		{"host and slash", TargetOptions{Base: plain.URL + "/"}, plain.URL + "/debug/pprof/"},
		{"path itself", TargetOptions{Base: plain.URL + "/debug/pprof/"}, plain.URL + "/debug/pprof/"},
		{"path without slash", TargetOptions{Base: plain.URL + "/debug/pprof"}, plain.URL + "/debug/pprof/"},
		{"beside the agent that is not there", TargetOptions{Base: plain.URL + "/debug/whet/"}, plain.URL + "/debug/pprof/"},
		{"prefix", TargetOptions{Base: prefixed.URL + "/admin"}, prefixed.URL + "/admin/debug/pprof/"},
		{"prefix and path", TargetOptions{Base: prefixed.URL + "/admin/debug/pprof/"}, prefixed.URL + "/admin/debug/pprof/"},
		{"path of its own", TargetOptions{Base: elsewhere.URL + "/internal/p"}, elsewhere.URL + "/internal/p/"},
		{"login in the address", TargetOptions{Base: strings.Replace(login.URL, "//", "//me:secret@", 1)}, login.URL + "/debug/pprof/"},
		{"login in a header", TargetOptions{Base: login.URL, Header: http.Header{"authorization": {"Basic bWU6c2VjcmV0"}}}, login.URL + "/debug/pprof/"},
		{"private CA", TargetOptions{Base: secure.URL, CAFile: caFile(t, secure)}, secure.URL + "/debug/pprof/"},
		{"any certificate", TargetOptions{Base: secure.URL, Insecure: true}, secure.URL + "/debug/pprof/"},
		{"socket", TargetOptions{Socket: socket}, "unix:" + socket},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := find(t, c.o)
			if target.Kind != KindPprof || target.Address() != c.address {
				t.Errorf("%s at %s, want pprof at %s", target.Kind, target.Address(), c.address)
			}
			if d := cmp.Diff(offersOfStock, target.Offers()); d != "" {
				t.Errorf("offers -want +got:\n%s", d)
			}
			if f, err := target.Profile(t.Context(), recording.KindGoroutine, 0); err != nil || len(f.Data) == 0 {
				t.Errorf("goroutine profile: %v", err)
			}
		})
	}
}

func TestFindFails(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!doctype html><p>welcome") }
	other := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was asked with %v", r.URL, r.Header)
	}))
	secure := httptest.NewUnstartedServer(stock("/debug/pprof/"))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // of refused certificates
	secure.StartTLS()
	t.Cleanup(secure.Close)
	noCA := filepath.Join(t.TempDir(), "no.pem")
	if err := os.WriteFile(noCA, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		o      TargetOptions
		want   string
		none   bool // it is ErrNoInstruments
	}{
		{"nothing there", http.NotFound, TargetOptions{}, `neither the agent nor net/http/pprof; import _ "net/http/pprof"`, true},
		{"a web page for everything", page, TargetOptions{}, "neither the agent", true},
		{"nothing for everything", func(http.ResponseWriter, *http.Request) {}, TargetOptions{}, "neither the agent", true},
		{"JSON for everything", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"schema":"whet/agent/x"}`) }, TargetOptions{}, "neither the agent", true},
		{"endless", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, TargetOptions{}, "neither the agent", true},
		{"500 for everything", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "the database is down\x1b[2J", http.StatusInternalServerError)
		}, TargetOptions{}, "500 Internal Server Error: the database is down", false},
		{"wants a login", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnauthorized) }, TargetOptions{}, "requires a login (401", false},
		{"sends to a login", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/login" {
				page(w, r)
				return
			}
			http.Redirect(w, r, "/login", http.StatusFound)
		}, TargetOptions{}, "neither the agent", true},
		{"sends to another host", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/login?from=secret", http.StatusFound)
		}, TargetOptions{Token: "secret", Header: http.Header{"X-Key": {"secret"}}}, "redirects to " + other.URL + ": it may want a login", false},
		{"sends round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, TargetOptions{}, "redirects in a loop", false},
		{"never answers", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, TargetOptions{Grace: 50 * time.Millisecond}, "no answer within 50ms", false},
		{"hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, TargetOptions{}, "closed the connection without an answer", false},
		{"newer agent", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"schema":"whet/agent/2"}`) }, TargetOptions{}, "update whet", false},
		{"damaged agent", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"schema":"whet/agent/1","pid":"x"}`)
		}, TargetOptions{}, "read the agent's status", false},

		{"unknown authority", nil, TargetOptions{Base: secure.URL}, "signed by an authority unknown to this machine", false},
		{"plain to TLS", nil, TargetOptions{Base: strings.Replace(secure.URL, "https", "http", 1)}, "HTTP request to an HTTPS server", false},
		{"no such CA file", nil, TargetOptions{Base: secure.URL, CAFile: filepath.Join(t.TempDir(), "x")}, "read CA certificates", false},
		{"no CA in the file", nil, TargetOptions{Base: secure.URL, CAFile: noCA}, "no certificate in PEM form", false},
		{"CA directory", nil, TargetOptions{Base: secure.URL, CAFile: t.TempDir()}, "not a file of certificates", false},
		{"no scheme", nil, TargetOptions{Base: "localhost:6060"}, "not an http or https address", false},
		{"malformed", nil, TargetOptions{Base: "http://me:secret@h:port"}, "malformed", false},
		{"query", nil, TargetOptions{Base: "http://me:secret@h/debug/pprof/profile?token=secret"}, "has no query", false},
		{"empty", nil, TargetOptions{}, "not an http or https address", false},
		{"no socket", nil, TargetOptions{Socket: filepath.Join(t.TempDir(), "s")}, "unix:", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.handle != nil {
				server := httptest.NewUnstartedServer(c.handle)
				server.Start()
				t.Cleanup(server.Close)
				c.o.Base = strings.Replace(server.URL, "//", "//me:secret@", 1)
			}
			target, err := Find(t.Context(), c.o)
			if err == nil {
				target.Close()
				t.Fatalf("found %s at %s", target.Kind, target.Address())
			}
			if !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrNoInstruments) != c.none {
				t.Errorf("%q, none %v, want %q, %v", err, errors.Is(err, ErrNoInstruments), c.want, c.none)
			}
			if s := err.Error(); strings.ContainsAny(s, "\n\x1b") || strings.Contains(s, "secret") || !strings.HasPrefix(s, "find instruments") {
				t.Errorf("%q", s)
			}
		})
	}
}

func TestFindEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	if _, err := Find(ctx, TargetOptions{Base: server.URL}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What net/http/pprof cannot tell is unknown, with a reason and a remedy; what
// it does tell is known.
func TestUnknownOfStock(t *testing.T) {
	whats := func(target *Target) []string {
		var out []string
		for _, u := range target.Unknown() {
			if u.Why == "" || u.How == "" {
				t.Errorf("%+v", u)
			}
			out = append(out, u.What)
		}
		return out
	}
	server := serve(t, stock("/debug/pprof/"))
	target := find(t, TargetOptions{Base: server.URL})
	if d := cmp.Diff([]string{"runtime metrics", "flight recorder", "block rate", "waits for mutexes"}, whats(target)); d != "" {
		t.Error(d)
	}
	if r := target.Rates(); r.BlockNs != nil || r.MutexFraction == nil || *r.MutexFraction != 0 || r.MemProfileRate == nil || *r.MemProfileRate != 512<<10 {
		t.Errorf("rates %+v", r)
	}

	// Pages that are not served.
	server = serve(t, stock("/debug/pprof/", "block", "mutex", "profile"))
	target = find(t, TargetOptions{Base: server.URL})
	if d := cmp.Diff([]string{"block profile", "mutex profile", "runtime metrics", "flight recorder", "block rate", "mutex fraction"}, whats(target)); d != "" {
		t.Error(d)
	}
	if slices.Contains(target.Offers(), "block") || !slices.Contains(target.Offers(), "cpu") {
		t.Errorf("offers %v", target.Offers())
	}
	// Whether there is a CPU profile shows only when it is asked for.
	for range 2 {
		if _, err := target.Profile(t.Context(), recording.KindCPU, 1); !errors.Is(err, ErrNotOffered) {
			t.Errorf("CPU profile: %v", err)
		}
	}
	if w := whats(target); w[len(w)-1] != "CPU profile" || len(w) != 7 || slices.Contains(target.Offers(), "cpu") {
		t.Errorf("unknown %v, offers %v", w, target.Offers())
	}
	for name, call := range map[string]func() error{
		"status": func() error { _, err := target.Status(t.Context()); return err },
		"rates":  func() error { _, err := target.SetRates(t.Context(), 1, 1); return err },
		"clock":  func() error { _, _, err := target.Clock(t.Context()); return err },
		"flight": func() error { _, err := target.Flight(t.Context()); return err },
	} {
		if err := call(); !errors.Is(err, ErrNotOffered) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An agent whose token is missing counts as absent, with a warning.
func TestAgentThatRefuses(t *testing.T) {
	mux := stock("/debug/pprof/")
	mux.HandleFunc("/debug/whet/", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "send the agent's token", http.StatusUnauthorized)
	})
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/debug/pprof/") && r.Header.Get("X-Whet-Token") != "" {
			t.Errorf("%s got the agent's token", r.URL)
		}
		mux.ServeHTTP(w, r)
	}))
	target := find(t, TargetOptions{Base: server.URL, Token: "wrong"})
	if target.Kind != KindPprof {
		t.Errorf("found %s", target.Kind)
	}
	if how := target.Unknown()[0].How; !strings.Contains(how, "pass its token (/debug/whet/ answers 401)") {
		t.Errorf("%q", how)
	}
}

// Of 100 MB of goroutines, only the beginning is read, and the whole is never
// asked for.
func TestGoroutineDumpWithoutEnd(t *testing.T) {
	mux := stock("/debug/pprof/", "goroutine")
	mux.HandleFunc("/debug/pprof/goroutine", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("debug") != "1" {
			t.Errorf("asked for %s", r.URL)
		}
		io.WriteString(w, "goroutine profile: total 1000000\n")
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	target := find(t, TargetOptions{Base: serve(t, mux).URL})
	ctx, add, rows := until(t, 1)
	if _, err := target.Metrics(ctx, time.Now(), time.Second, add); err != nil || *(*rows)[0].Goroutines != 1_000_000 {
		t.Errorf("%+v, %v", *rows, err)
	}
}

func TestTLSConfig(t *testing.T) {
	if c, err := TLSConfig("", false); c != nil || err != nil {
		t.Errorf("%v, %v", c, err)
	}
	if c, err := TLSConfig("", true); err != nil || !c.InsecureSkipVerify {
		t.Errorf("%v, %v", c, err)
	}
}

func ExampleTarget_Address() {
	server := httptest.NewServer(stock("/debug/pprof/"))
	defer server.Close()
	target, err := Find(context.Background(), TargetOptions{Base: strings.Replace(server.URL, "//", "//me:secret@", 1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer target.Close()
	fmt.Println(target.Kind, strings.Contains(target.Address(), "secret"))
	// Output: pprof false
}
