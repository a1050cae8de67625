package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"whet/casebook/ingest"
	"whet/casebook/ingest/ingesttest"
)

// Every stage of the intake passes documents on to the sink that is named, or
// to one that checks them.
func TestIngestPassesOn(t *testing.T) {
	const document = `{"type":"app","time":"2026-11-20T10:00:00Z"}`
	engine := new(ingesttest.Keep)
	other := httptest.NewServer(ingesttest.Serve(engine))
	defer other.Close()
	for _, st := range ingestStudy().stages {
		for _, named := range []string{"", other.URL + "/_bulk"} {
			before := len(engine.Batches())
			h, closer, err := st.serve(environment{log: io.Discard, sink: named})
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, ingest.Path, strings.NewReader(document)))
			if want := `{"taken":1,"broken":0}` + "\n"; w.Code != http.StatusOK || w.Body.String() != want {
				t.Errorf("%s in front of %q answers %d %s", st.name, named, w.Code, w.Body)
			}
			got := engine.Batches()[before:]
			if named == "" {
				if len(got) != 0 || closer != nil {
					t.Errorf("%s without a sink passed on %q", st.name, got)
				}
				continue
			}
			if want := `{"index":{"_index":"app-2026.11.20"}}` + "\n" + document + "\n"; len(got) != 1 || got[0] != want {
				t.Errorf("%s passed on %q", st.name, got)
			}
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestIngestRefusesAddress(t *testing.T) {
	_, _, err := ingestStudy().stages[0].serve(environment{log: io.Discard, sink: "localhost:9200"})
	if err == nil || !strings.HasPrefix(err.Error(), "-sink: read the sink's address ") {
		t.Error(err)
	}
}
