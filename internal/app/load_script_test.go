//go:build unix

package app

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"whet/internal/cli"
)

// serve starts a service for a script and sets $URL to its address, without a
// slash at its end: serve [http|tls|h2c], or serve unix PATH. It ends with the
// script.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 2 {
		ts.Fatalf("usage: serve [http|tls|h2c] or serve unix PATH")
	}
	kind := "http"
	if len(args) > 0 {
		kind = args[0]
	}
	s := httptest.NewUnstartedServer(loadService())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	switch kind {
	case "http":
		s.Start()
	case "tls":
		s.EnableHTTP2 = true
		s.StartTLS()
		ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
		ts.Check(os.WriteFile(ts.MkAbs("ca.pem"), ca, 0o644))
	case "h2c":
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetHTTP1(true)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
	case "unix":
		l, err := net.Listen("unix", ts.MkAbs(args[1]))
		ts.Check(err)
		s.Listener.Close()
		s.Listener = l
		s.Start()
	default:
		ts.Fatalf("serve: there is no %s", kind)
	}
	ts.Defer(func() {
		s.CloseClientConnections()
		s.Close()
	})
	ts.Setenv("URL", s.URL)
}

// loadService answers what scripts ask for.
func loadService() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello\n") })
	mux.HandleFunc("/proto", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, `{"proto":%q}`, r.Proto) })
	mux.HandleFunc("/wait/{ms}", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.PathValue("ms"))
		select {
		case <-r.Context().Done():
		case <-time.After(time.Duration(ms) * time.Millisecond):
		}
		fmt.Fprint(w, "waited\n")
	})
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.PathValue("code"))
		w.WriteHeader(code)
	})
	mux.HandleFunc("/close", func(w http.ResponseWriter, r *http.Request) {
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			c.Close()
		}
	})
	// A user whose number is in the path; numbers above 1,000 are not known.
	mux.HandleFunc("/users/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		if err != nil || id > 1000 {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"user":{"id":%d},"method":%q,"key":%q}`, id, r.Method, r.Header.Get("X-Key"))
	})
	var turn atomic.Int64
	mux.HandleFunc("/flaky", func(w http.ResponseWriter, r *http.Request) { // every tenth fails
		if turn.Add(1)%10 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	// The first request for a pipe writes a byte to it: a load is under way.
	var told sync.Map
	mux.HandleFunc("/signal", func(w http.ResponseWriter, r *http.Request) {
		name := r.FormValue("pipe")
		if _, done := told.LoadOrStore(name, true); !done {
			if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
				f.Write([]byte{1})
				f.Close()
			}
		}
		fmt.Fprint(w, "under way\n")
	})
	// Four workers, each busy for 5 ms with a request, whose answer takes memory that a
	// profile of some hundred sees.
	workers := make(chan struct{}, 4)
	mux.HandleFunc("/workers", func(w http.ResponseWriter, r *http.Request) {
		workers <- struct{}{}
		<-time.After(5 * time.Millisecond)
		<-workers
		w.Write(make([]byte, 64<<10))
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	return mux
}

// has checks a number of a JSON document.
func has(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: has FILE PATH OP NUMBER")
	}
	value, err := jsonNumber(ts.ReadFile(args[0]), strings.Split(args[1], "."))
	ts.Check(err)
	want, err := strconv.ParseFloat(args[3], 64)
	ts.Check(err)
	ok := map[string]bool{"==": value == want, ">=": value >= want, "<=": value <= want, ">": value > want, "<": value < want}
	if !ok[args[2]] {
		ts.Fatalf("%s is %v, want %s %v", args[1], value, args[2], want)
	}
}

func jsonNumber(document string, path []string) (float64, error) {
	var v any
	if err := json.Unmarshal([]byte(document), &v); err != nil {
		return 0, fmt.Errorf("%w in %.200q", err, document)
	}
	for i, key := range path {
		switch in := v.(type) {
		case map[string]any:
			v = in[key]
		case []any:
			n, err := strconv.Atoi(key)
			if err != nil || n >= len(in) {
				return 0, fmt.Errorf("there is no %s", strings.Join(path[:i+1], "."))
			}
			v = in[n]
		}
		if v == nil {
			return 0, fmt.Errorf("there is no %s", strings.Join(path[:i+1], "."))
		}
	}
	switch v := v.(type) {
	case float64:
		return v, nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case []any:
		return float64(len(v)), nil
	}
	return 0, fmt.Errorf("%s is no number", strings.Join(path, "."))
}

// agree compares two JSON documents of loads but for what was written when:
// agree FILE FILE.
func agree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: agree FILE FILE")
	}
	var docs [2]map[string]any
	for i, name := range args {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &docs[i]))
		delete(docs[i], "recording")
		delete(docs[i], "report")
	}
	if d := cmp.Diff(docs[0], docs[1]); d != "" {
		ts.Fatalf("%s and %s differ:\n%s", args[0], args[1], d)
	}
}

// loads runs whet load, which succeeds: loads ARGS…. That the generator was the
// bottleneck is no failure here: on a busy machine it may be, and no script is
// about that.
func loads(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: loads ARGS…")
	}
	err := ts.Exec("whet", append([]string{"load"}, args...)...)
	if stderr := ts.ReadFile("stderr"); err != nil && !strings.HasPrefix(stderr, notValid) {
		ts.Fatalf("whet load %s: %v", strings.Join(args, " "), err)
	}
}

// grows runs whet load as loads does, and gives it four times the time, and once more,
// until it prints the text: grows TEXT ARGS…. What profiles catch while a load is on
// is up to how much of it a busy machine gets done.
func grows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: grows TEXT ARGS…")
	}
	for factor := time.Duration(1); factor <= 16; factor *= 4 {
		longer := slices.Clone(args[1:])
		for i, arg := range longer {
			if d, err := time.ParseDuration(arg); err == nil {
				longer[i] = (factor * d).String()
			}
		}
		if loads(ts, neg, longer); strings.Contains(ts.ReadFile("stdout"), args[0]) {
			return
		}
	}
	ts.Fatalf("nothing said %q", args[0])
}

// misses runs whet load, which finds a bound broken or none kept, and says so in one
// line that holds the text: misses TEXT ARGS…. On a busy machine it may say in place
// of that that the measurement is not valid, as with loads.
func misses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: misses TEXT ARGS…")
	}
	err := ts.Exec("whet", append([]string{"load"}, args[1:]...)...)
	if strings.HasPrefix(ts.ReadFile("stderr"), notValid) {
		checkExit(ts, err, cli.ExitFailed, ts.ReadFile("stderr"))
		return
	}
	checkExit(ts, err, cli.ExitFound, ts.ReadFile("stderr"))
	oneline(ts, false, args[:1])
}

// notValid is how the error of a load begins whose generator or machine was too slow.
const notValid = "whet: the measurement is not valid: "
