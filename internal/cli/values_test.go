package cli

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"
)

func TestDurationFlag(t *testing.T) {
	var d time.Duration
	for text, want := range map[string]time.Duration{"30": 30 * time.Second, "30s": 30 * time.Second, "250ms": 250 * time.Millisecond, "0": 0, "1.5s": 1500 * time.Millisecond} {
		if err := (DurationFlag{Time: &d}).Set(text); err != nil || d != want {
			t.Errorf("%q is %v, %v", text, d, err)
		}
	}
	for text, hinted := range map[string]bool{"": false, "soon": true, "1.5": false, "99999999999999": false} {
		err := (DurationFlag{&d, "; HINT"}).Set(text)
		if err == nil || strings.HasSuffix(err.Error(), "; HINT") != hinted {
			t.Errorf("%q is %v, %v", text, d, err)
		}
	}
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	d = time.Minute
	Duration(fs, &d, "budget", "`time`")
	if def := fs.Lookup("budget").DefValue; def != "1m0s" {
		t.Errorf("default %q", def)
	}
}

func TestSecondsAndBenchTime(t *testing.T) {
	n, text := 0, ""
	for in, want := range map[string]int{"5": 5, "5s": 5, "2m": 120, "-1": -1} {
		if err := (SecondsFlag{&n}).Set(in); err != nil || n != want {
			t.Errorf("seconds %q: %d, %v", in, n, err)
		}
	}
	for _, in := range []string{"500ms", "", "x"} {
		if err := (SecondsFlag{&n}).Set(in); err == nil {
			t.Errorf("seconds %q: %d", in, n)
		}
	}
	for in, want := range map[string]string{"5": "5s", "5s": "5s", "100x": "100x", "soon": "soon"} {
		if err := (BenchTimeFlag{&text}).Set(in); err != nil || text != want {
			t.Errorf("benchtime %q: %q, %v", in, text, err)
		}
	}
}

func TestAsURL(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("cpu:1", nil, 0o600); err != nil {
		t.Skipf("no file of that name here: %v", err)
	}
	for operand, want := range map[string]string{
		"localhost:8080": "http://localhost:8080", "127.0.0.1:80/a?b=1": "http://127.0.0.1:80/a?b=1", "localhost:1?x": "http://localhost:1?x",
		"[::1]:80/": "http://[::1]:80/", "127.0.0.1:{port}/x": "http://127.0.0.1:{port}/x", "https://x/": "https://x/", "ftp://x": "ftp://x",
		"host:8080/users/{{int 1 9}}": "http://host:8080/users/{{int 1 9}}",
		"cpu:1":                       "", "./localhost:8080": "", "localhost": "", "localhost/x": "", "example.com/m/pkg": "", "C:\\x": "", "x:8080y": "", "cpu.pb.gz": "", "": "",
	} {
		url, ok := AsURL(operand)
		if ok != (want != "") || ok && url != want || !ok && url != operand {
			t.Errorf("%q: %q, %v; want %q", operand, url, ok, want)
		}
	}
}
