package gatewaytest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
	if records := log.Records(t); len(records) != 1 || records[0]["session"] != "s" || records[0]["business"] != "shop" {
		t.Errorf("log records are %v", records)
	}
}
