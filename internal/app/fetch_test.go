package app

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"whet/internal/cli"
)

// TestFetch: profiles come from servers with what they ask for.
func TestFetch(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case r.URL.Path == "/guarded" && (user != "ann" || password != "s3cret"), r.URL.Path == "/header" && r.Header.Get("X-Token") != "abc":
			http.Error(w, "no", http.StatusUnauthorized)
		case r.URL.Path == "/gone":
			http.NotFound(w, r)
		case r.URL.Path == "/seconds":
			w.Write([]byte("asked " + r.URL.Query().Get("seconds") + "\n"))
		default:
			w.Write([]byte(foldedText))
		}
	})
	plain := httptest.NewServer(handler)
	defer plain.Close()
	secure := httptest.NewTLSServer(handler)
	defer secure.Close()
	ca := file(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})))
	host := strings.TrimPrefix(plain.URL, "http://")
	withUser := strings.Replace(plain.URL, "http://", "http://ann:s3cret@", 1)
	wrong := strings.Replace(plain.URL, "http://", "http://ann:wr0ng@", 1)
	for _, c := range []struct {
		args string
		code int
		says string // in the output, or in the error
	}{
		{plain.URL + "/x", cli.ExitDone, foldedText},
		{host + "/x", cli.ExitDone, foldedText},
		{withUser + "/guarded", cli.ExitDone, foldedText},
		{wrong + "/guarded", cli.ExitFailed, "401"},
		{"-H X-Token:abc " + plain.URL + "/header", cli.ExitDone, foldedText},
		{plain.URL + "/header", cli.ExitFailed, "401"},
		{"-seconds 3 " + plain.URL + "/seconds", cli.ExitDone, "asked 3\n"},
		{"-tls_ca " + ca + " " + secure.URL + "/x", cli.ExitDone, foldedText},
		{secure.URL + "/x", cli.ExitFailed, "authority"},
		{strings.Replace(secure.URL, "https", "https+insecure", 1) + "/x", cli.ExitDone, foldedText},
		{"-tls_cert " + ca + " " + secure.URL + "/x", cli.ExitUsage, "-tls_key"},
		{"-tls_cert " + ca + " -tls_key " + ca + " " + secure.URL + "/x", cli.ExitUsage, "-tls_cert"},
		{"-tls_ca none.pem " + secure.URL + "/x", cli.ExitUsage, "-tls_ca"},
		{"-timeout -1 " + plain.URL + "/x", cli.ExitUsage, "-timeout -1"},
		{"-timeout 9000000000000 " + plain.URL + "/x", cli.ExitUsage, "-timeout"}, // more than a Duration holds
		{"-seconds=-1 " + plain.URL + "/x", cli.ExitUsage, "-1 seconds"},
		{plain.URL + "/x?seconds=-1", cli.ExitUsage, "seconds=-1"},
		{"http://ann:s3cret@127.0.0.1:port/x", cli.ExitUsage, "malformed"},
		{plain.URL + "/x ftp://127.0.0.1/x", cli.ExitUsage, "ftp:"}, // nobody is asked for the others
		{"-max_size 10B " + plain.URL + "/x", cli.ExitFailed, "longer"},
		{plain.URL + "/gone " + plain.URL + "/x", cli.ExitDone, foldedText}, // with a warning
		{plain.URL + "/gone " + plain.URL + "/gone", cli.ExitFailed, "404"},
		{"-base " + plain.URL + "/gone " + plain.URL + "/x", cli.ExitFailed, "404"},
		{plain.URL + "/x " + host + "/x", cli.ExitDone, "main.main;main.work 6\nmain.main 4\n"},
	} {
		out, errs, code := whet(t, "", append([]string{"merge", "-folded", "-o", "-"}, strings.Fields(c.args)...)...)
		if code != c.code || code == 0 && out != c.says || code != 0 && (!strings.Contains(errs, c.says) || strings.Count(errs, "\n") != 1) {
			t.Errorf("%s: exit code %d, %q, %q; want %d and %q", c.args, code, out, errs, c.code, c.says)
		}
		if strings.Contains(errs, "s3cret") || strings.Contains(errs, "wr0ng") {
			t.Errorf("the password is shown: %s", errs)
		}
		if missing := strings.Contains(c.args, "/gone") && code == 0; missing != strings.Contains(errs, "left out") {
			t.Errorf("%s: warnings %q", c.args, errs)
		}
	}
}

// TestPasswordsStayAway: a password in an address is in nothing that is
// printed or written.
func TestPasswordsStayAway(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(foldedText)) }))
	defer server.Close()
	url := strings.Replace(server.URL, "http://", "http://ann:s3cret@", 1) + "/x"
	for _, line := range []string{
		"merge -speedscope -o -", "merge -json -o " + file(t, "m", ""), "flame -o -", "flame -json", "flame -svg -o -", "graph -html -o -", "graph -dot -o -",
		"weblist -o - main", "top", "top -json", "top -tagfocus (", "peek none", "list none", "disasm none", "merge -normalize", "prompt", "diff -json " + url,
	} {
		out, errs, _ := whet(t, "proto >"+t.TempDir()+"/none/x\npeek none\n", append(strings.Fields(line), url)...)
		if strings.Contains(out+errs, "s3cret") {
			t.Errorf("%s: the password is shown: %s%s", line, out, errs)
		}
		if out+errs == "" {
			t.Errorf("%s: nothing is shown", line)
		}
	}
}

// TestFetchTogether: servers are asked at the same time, so that what they
// record is of the same time.
func TestFetchTogether(t *testing.T) {
	var waiting atomic.Int32
	all := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if waiting.Add(1) == 3 {
			close(all)
		}
		select {
		case <-all:
			w.Write([]byte(foldedText))
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	out, errs, code := whet(t, "", "merge", "-folded", "-o", "-", "-timeout", "60", server.URL+"/a", server.URL+"/b", "-base", server.URL+"/c")
	if code != 0 || out != foldedText {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}

// TestFetchTimeout: -timeout bounds the whole of it.
func TestFetchTimeout(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer server.Close()
	_, errs, code := whet(t, "", "merge", "-timeout", "1", server.URL+"/x")
	if code != cli.ExitFailed || !strings.Contains(errs, "no answer within 1s") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}
