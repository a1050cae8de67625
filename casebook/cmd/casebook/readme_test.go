package main

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestReadme starts what the casebook's README shows: each case once, and no
// other way than it stands there.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, m := range regexp.MustCompile(`(?m)^go run \./casebook/cmd/casebook (-case (\S+) .*)$`).FindAllStringSubmatch(string(page), -1) {
		args, name := strings.Fields(m[1]), m[2]
		shown = append(shown, name)
		t.Run(name, func(t *testing.T) {
			i := slices.IndexFunc(studies(), func(s study) bool { return s.name == name })
			switch {
			case i < 0:
				t.Fatalf("%s: there is no such case", m[0])
			case name == "visits":
				readmeVisits(t, args)
			case len(studies()[i].paths) == 0:
				readmeCommand(t, args)
			default:
				readmeService(t, studies()[i].paths[0], args)
			}
		})
	}
	var want []string
	for _, s := range studies() {
		want = append(want, s.name)
	}
	if !slices.Equal(shown, want) {
		t.Errorf("the README starts %q, want every case once: %q", shown, want)
	}
}

// readmeCommand runs a command to its end, as it stands there: what takes the
// race detector a quarter of a minute takes a second without.
func readmeCommand(t *testing.T, args []string) {
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"run", "./casebook/cmd/casebook"}, args...)...)
	cmd.Dir = "../../.."
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stdout.Len() == 0 || stderr.Len() > 0 {
		t.Errorf("%v, %q, %q", err, &stdout, &stderr)
	}
}

// readmeService starts a service, asks whether it is well, and ends it.
func readmeService(t *testing.T, path string, args []string) {
	if runtime.GOOS == "windows" {
		t.Skip("processes there cannot be asked to end")
	}
	p := startProcess(t, path, args...)
	base := strings.TrimSuffix(p.service, path)
	if got := get(t, base+"/healthz"); got != "ok\n" {
		t.Errorf("health is %q", got)
	}
	if got := get(t, p.profiles); !strings.Contains(got, "goroutine") {
		t.Errorf("index of profiles:\n%s", got)
	}
	if code := p.end(t); code != 0 || p.stderr.Len() > 0 {
		t.Errorf("exit status %d, %s", code, p.stderr)
	}
}

// readmeVisits starts the first case, and looks at what a user then sees.
func readmeVisits(t *testing.T, args []string) {
	if runtime.GOOS == "windows" {
		t.Skip("processes there cannot be asked to end")
	}
	p := startProcess(t, "/hello", args...)
	base := strings.TrimSuffix(p.service, "/hello")
	if got := get(t, base+"/healthz"); got != "ok\n" {
		t.Errorf("health is %q", got)
	}
	for _, count := range []string{"1", "2"} {
		if got := get(t, p.service+"?name=Ann&color=red"); !strings.HasPrefix(got, "<h1 style='color: red'>") || !strings.Contains(got, "<p>Count: "+count+"</p>") {
			t.Errorf("visit %s is answered %q", count, got)
		}
	}
	// The CPU profile waits a second in a select, which the block profile sees
	// when it is on; the mutex profile tells its own rate.
	if got := get(t, p.profiles+"profile?seconds=1"); !strings.HasPrefix(got, "\x1f\x8b") {
		t.Errorf("CPU profile begins with %.20q", got)
	}
	if got := get(t, p.profiles+"block?debug=1"); !strings.Contains(got, "net/http/pprof.sleep") {
		t.Errorf("block profile:\n%s", got)
	}
	if got := get(t, p.profiles+"mutex?debug=1"); !strings.Contains(got, "sampling period=10\n") {
		t.Errorf("mutex profile:\n%s", got)
	}
	if got := get(t, p.profiles); !strings.Contains(got, "goroutine") {
		t.Errorf("index of profiles:\n%s", got)
	}
	for _, url := range []string{base + "/debug/pprof/", strings.TrimSuffix(p.profiles, "/debug/pprof/") + "/hello?name=Ann", base + "/other"} {
		r, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != http.StatusNotFound {
			t.Errorf("%s is answered %s: the two addresses serve one thing each", url, r.Status)
		}
	}
	if code := p.end(t); code != 0 || p.stderr.Len() > 0 {
		t.Errorf("exit status %d, %s", code, p.stderr)
	}
	if c, err := net.Dial("tcp", strings.TrimPrefix(base, "http://")); err == nil {
		c.Close()
		t.Error("something still listens")
	}
}
