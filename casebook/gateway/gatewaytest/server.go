package gatewaytest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"whet/casebook/gateway"
)

// testServer goes through net/http twice, as a user and the downstream do.
func testServer(t *testing.T, make New) {
	answering := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	const patient, hasty = time.Minute, 20 * time.Millisecond
	for _, d := range []struct {
		what     string
		patience time.Duration
		service  http.Handler
		refused  error
	}{
		{"fine", patient, gateway.Service(), nil},
		{"fails", patient, answering(http.StatusInternalServerError, `{"a":1}`), gateway.DownstreamFails},
		{"has no content", patient, answering(http.StatusNoContent, ``), gateway.DownstreamFails},
		{"sends elsewhere", patient, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/other" {
				http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
				return
			}
			gateway.Service().ServeHTTP(w, r)
		}), gateway.DownstreamFails},
		{"answers nonsense", patient, answering(http.StatusOK, `<html>`), gateway.DownstreamNonsense},
		{"answers nothing", patient, answering(http.StatusOK, ``), gateway.DownstreamNonsense},
		{"answers too much", patient, answering(http.StatusOK, strings.Repeat(" ", gateway.MaxAnswer)+"1"), gateway.DownstreamFails},
		{"breaks off", patient, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"a":1}`)
		}), gateway.DownstreamFails},
		{"hangs up", patient, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), gateway.DownstreamFails},
		{"never answers", hasty, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}), gateway.DownstreamSlow},
		{"never ends", hasty, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, `{"a":`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}), gateway.DownstreamSlow},
	} {
		t.Run(d.what, func(t *testing.T) {
			service := httptest.NewServer(d.service)
			defer service.Close()
			through(t, make, service.URL+"/rpc", d.patience, d.refused)
		})
	}
	t.Run("is not there", func(t *testing.T) {
		service := httptest.NewServer(gateway.Service())
		service.Close()
		through(t, make, service.URL, patient, gateway.DownstreamFails)
	})
}

// through puts a stage between a client and the service at an address.
func through(t *testing.T, make New, address string, patience time.Duration, refused error) {
	t.Helper()
	down, err := gateway.NewClient(address, patience)
	if err != nil {
		t.Fatal(err)
	}
	defer down.Close()
	log := new(Log)
	h := make(down, log, Seeded(1))
	server := httptest.NewServer(gateway.Mux(h))
	defer server.Close()
	read := func(r *http.Response, err error) (*http.Response, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r, string(text)
	}
	r, text := read(server.Client().Post(server.URL+gateway.Path, gateway.ContentType, strings.NewReader(carrying(`{"a":"ü & <b>"}`))))
	r.Header.Del("Date")
	r.Header.Del("Content-Length")
	if refused == nil {
		checkAnswer(t, r.StatusCode, r.Header, ReadEnvelope(t, text), gateway.Answer)
	} else {
		checkRefused(t, r.StatusCode, r.Header, ReadEnvelope(t, text), refused)
	}
	_, text = read(server.Client().Get(server.URL + gateway.HealthPath))
	var health gateway.Health
	if err := json.Unmarshal([]byte(text), &health); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	checkHealth(t, health, map[string]int64{fmt.Sprint(r.StatusCode): 1}, refused != nil)
	records := log.Records(t)
	if len(records) != 1 || records[0]["session"] != "s" || records[0]["business"] != "shop" {
		t.Fatalf("log records are %v", records)
	}
	// The log says why, and not with what: the address of the call has that.
	cause := records[0]["cause"]
	if failed := refused == gateway.DownstreamFails || refused == gateway.DownstreamSlow; failed != (cause != "") || strings.Contains(cause, "business") {
		t.Errorf("%v: the cause is %q in the log", refused, cause)
	}
}

// testCallerGoes: who goes away while the downstream is at work is counted, and
// is no failure of the downstream.
func testCallerGoes(t *testing.T, make New) {
	caller, goAway := context.WithCancel(t.Context())
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		goAway()
		<-r.Context().Done() // the gateway does not wait any longer either
	}))
	defer service.Close()
	down, err := gateway.NewClient(service.URL, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer down.Close()
	log := new(Log)
	h := make(down, log, Seeded(1))
	server := httptest.NewServer(h)
	r, err := http.NewRequestWithContext(caller, http.MethodPost, server.URL, strings.NewReader(carrying(`1`)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Client().Do(r); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller gets %v", err)
	}
	server.Close() // waits for what is under way
	checkHealth(t, h.Health(), map[string]int64{"499": 1}, false)
	if records := log.Records(t); len(records) != 1 || records[0]["code"] != "499" || records[0]["error"] != gateway.CallerGone.Error() || records[0]["cause"] != "" {
		t.Errorf("log records are %v", records)
	}
}

// listener gives one connection.
type listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *listener) Addr() net.Addr { return &net.TCPAddr{} }

// testSlowBody: who says how long a body is and does not send it is answered
// when the server's ReadTimeout is over, and says nothing of the downstream. The
// time is that of a bubble.
func testSlowBody(t *testing.T, stage New) {
	for _, body := range []string{"", `{"header":`, strings.Repeat(" ", 20_000)} {
		synctest.Test(t, func(t *testing.T) {
			down := new(Downstream)
			h := stage(down, new(Log), Seeded(1))
			l := &listener{conns: make(chan net.Conn, 1), done: make(chan struct{})}
			server := &http.Server{Handler: gateway.Mux(h), ReadTimeout: time.Minute}
			go server.Serve(l)
			client, conn := net.Pipe()
			l.conns <- conn
			from := time.Now()
			if _, err := fmt.Fprintf(client, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", gateway.Path, gateway.MaxBody, body); err != nil {
				t.Fatal(err)
			}
			r, err := http.ReadResponse(bufio.NewReader(client), nil)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(r.Body)
			r.Header = http.Header{"Content-Type": r.Header["Content-Type"]}
			checkRefused(t, r.StatusCode, r.Header, ReadEnvelope(t, string(text)), gateway.BodySlow)
			if d := time.Since(from); d != time.Minute {
				t.Errorf("it came after %v, want a minute", d)
			}
			client.Close()
			server.Close()
			if len(down.Calls()) > 0 {
				t.Errorf("the downstream was called with %q", down.Calls())
			}
			checkHealth(t, h.Health(), map[string]int64{"408": 1}, false)
		})
	}
}
