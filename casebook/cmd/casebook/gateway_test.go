package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"whet/casebook/gateway"
)

// Every stage of the gateway calls a real service: one of the program's own,
// which ends with it, or the one that is named.
func TestGatewayCallsDownstream(t *testing.T) {
	const order = `{"header":{"businessName":"shop"},"payload":{"a":1}}`
	called := 0
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called++
		text, _ := io.ReadAll(r.Body)
		io.WriteString(w, `{"from":"other","payload":`+string(text)+`}`)
	}))
	defer other.Close()
	for _, st := range gatewayStudy().stages {
		for _, named := range []string{"", other.URL + "/rpc"} {
			h, closer, err := st.serve(environment{log: io.Discard, downstream: named})
			if err != nil {
				t.Fatal(err)
			}
			post := func() (int, string) {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, gateway.Path, strings.NewReader(order)))
				return w.Code, w.Body.String()
			}
			want := `"state":"accepted"`
			if named != "" {
				want = `"from":"other"`
			}
			if status, text := post(); status != http.StatusOK || !strings.Contains(text, want) {
				t.Errorf("%s in front of %q answers %d %s", st.name, named, status, text)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, gateway.HealthPath, nil))
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"answers":{"200":1}`) {
				t.Errorf("health of %s is %d %s", st.name, w.Code, w.Body)
			}
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
			if named != "" {
				continue
			}
			if status, text := post(); status != http.StatusBadGateway {
				t.Errorf("%s answers %d %s when its service has ended", st.name, status, text)
			}
			if err := closer.Close(); err != nil {
				t.Errorf("closed twice: %v", err)
			}
		}
	}
	if want := len(gatewayStudy().stages); called != want {
		t.Errorf("the service that was named was called %d times, want %d", called, want)
	}
}

func TestGatewayRefusesAddress(t *testing.T) {
	_, _, err := gatewayStudy().stages[0].serve(environment{log: io.Discard, downstream: "localhost:80"})
	if err == nil || !strings.HasPrefix(err.Error(), "-downstream: read the address of the downstream: ") {
		t.Error(err)
	}
}
