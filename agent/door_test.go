//go:build go1.26

package agent

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestAddressOfItsOwn(t *testing.T) {
	a := Start(Config{Listen: "127.0.0.1:0", Log: quiet})
	defer a.Stop()
	if a.door == nil {
		t.Fatalf("warnings %q", a.Warnings())
	}
	address := a.door.listener.Addr().String()
	for _, tt := range []struct {
		host, origin string
		want         int
	}{
		{"", "", 200},
		{"localhost:1", "", 200},
		{"localhost", "", 200},
		{"[::1]:80", "", 200},
		{"evil.example", "", 403},
		{"evil.example:80", "", 403},
		{"10.0.0.1", "", 403},
		{"", "http://evil.example", 403},
	} {
		r, err := http.NewRequest("GET", "http://"+address+"/debug/whet/status", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tt.host
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("host %q, origin %q: %d, want %d", tt.host, tt.origin, resp.StatusCode, tt.want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	a.Stop()
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("the address still answers after Stop")
	}
}

func TestAddressesRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(shortDir(t), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ listen, token, want string }{
		{"0.0.0.0:0", "", `listen on "0.0.0.0:0": other machines could reach it: listen on 127.0.0.1 or a Unix socket, or set a Token`},
		{":0", "", "other machines could reach it"},
		{"[::]:0", "", "other machines could reach it"},
		{"192.0.2.1:0", "", "other machines could reach it"},
		{"127.0.0.1:0", "", ""},
		{"0.0.0.0:0", "secret", ""},
		{"nonsense", "", `listen on "nonsense": `},
		{taken.Addr().String(), "", "address already in use"},
		{"unix:" + file, "", "the name exists and is not a socket"},
		{"unix:" + filepath.Join(file, "s"), "", "listen on unix:"},
		{"unix:" + filepath.Join(filepath.Dir(file), strings.Repeat("x", 200)), "", "listen on unix:"},
	} {
		a := Start(Config{Listen: tt.listen, Token: tt.token, Log: quiet})
		if w := strings.Join(a.Warnings(), "; "); (w == "") != (tt.want == "") || !strings.Contains(w, tt.want) {
			if !(runtime.GOOS == "windows" && tt.want != "" && w != "") { // in other words
				t.Errorf("%q: %q, want %q", tt.listen, w, tt.want)
			}
		}
		if ask(a.Handler(), "GET", prefix+"status", "Authorization", "Bearer "+tt.token).Code != 200 {
			t.Errorf("%q: the handler went with the address", tt.listen)
		}
		a.Stop()
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the file in the socket's place: %v", err)
	}
}

// The socket is for this user alone, from the first moment; one that a dead
// process left is replaced, and one that answers is not.
func TestUnixSocket(t *testing.T) {
	dir := shortDir(t)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()

	a := Start(Config{Listen: "unix:" + path, Log: quiet})
	defer a.Stop()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatalf("%v; warnings %q", err, a.Warnings())
	}
	if runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", st.Mode().Perm())
	}
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", path) }}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get("http://anything/status")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("status %d", resp.StatusCode)
	}
	if _, err := listenUnix(path); err == nil || !strings.Contains(err.Error(), "another process listens there") {
		t.Errorf("a second listener: %v", err)
	}
	transport.CloseIdleConnections()
	a.Stop()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, error %v", entries, err)
	}
}
