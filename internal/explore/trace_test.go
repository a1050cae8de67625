package explore

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"whet/internal/cli"
	"whet/internal/recording"
)

// ownTrace is a trace of a few hundred KiB, of this process.
var ownTrace = sync.OnceValues(func() ([]byte, error) {
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		return nil, err
	}
	for range 20000 {
		c := make(chan int)
		go close(c)
		<-c
	}
	trace.Stop()
	return b.Bytes(), nil
})

func runTrace(t *testing.T, stdin []byte, args ...string) (string, error) {
	t.Helper()
	c := traceCommand()
	fs := flag.NewFlagSet("trace", flag.ContinueOnError)
	run := c.Setup(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	err := run(context.Background(), cli.NewEnv(args, bytes.NewReader(stdin), &out, &errs), fs.Args())
	return out.String() + errs.String(), err
}

func packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTracePacked reads a trace packed with gzip, and of a pack that is cut what is
// before the cut.
func TestTracePacked(t *testing.T) {
	data, err := ownTrace()
	if err != nil {
		t.Skipf("another trace is on: %v", err)
	}
	z := packed(t, data)
	name := filepath.Join(t.TempDir(), "t.trace.gz")
	if err := os.WriteFile(name, z, 0o600); err != nil {
		t.Fatal(err)
	}
	plain, err := runTrace(t, data, "-json", "-")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := runTrace(t, z, "-json", "-"); err != nil || got != plain {
		t.Errorf("packed, from the standard input: %v, %d bytes, not %d", err, len(got), len(plain))
	}
	if got, err := runTrace(t, nil, "-json", name); err != nil || len(got) < len(plain)/2 || strings.Contains(got, "cannot be unpacked") {
		t.Errorf("packed, in a file: %v", err)
	}
	got, err := runTrace(t, z[:len(z)*3/4], "-")
	if err != nil || !strings.Contains(got, "cannot be unpacked to its end") || !strings.Contains(got, "cut off") {
		t.Errorf("a cut pack: %v: %s", err, got)
	}
	for _, bad := range []string{"\x1f\x8b", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\x00", "\x1f\x8bnothing that unpacks"} {
		if got, err := runTrace(t, []byte(bad), "-"); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v: %s", bad, err, got)
		}
	}
}

// TestTraceBreaksOff takes a trace from a server that stops in the middle.
func TestTraceBreaksOff(t *testing.T) {
	data, err := ownTrace()
	if err != nil {
		t.Skipf("another trace is on: %v", err)
	}
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.Write(data[:len(data)*3/4])
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	got, err := runTrace(t, nil, server.URL)
	if err != nil || !strings.Contains(got, "broke off after") || !strings.Contains(got, "Goroutines by start function") {
		t.Errorf("%v: %s", err, got)
	}
	if asked != "/debug/pprof/trace" {
		t.Errorf("%s was asked for", asked)
	}
}

// TestTraceBase: two traces, as text and as JSON.
func TestTraceBase(t *testing.T) {
	data, err := ownTrace()
	if err != nil {
		t.Skipf("another trace is on: %v", err)
	}
	name := filepath.Join(t.TempDir(), "old.trace")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-base", name, name}, {"-json", "-base", name, name}, {"-from", "1ms", "-base", name, name}} {
		if got, err := runTrace(t, nil, args...); err != nil || !strings.Contains(got, "before") {
			t.Errorf("%v: %v: %s", args, err, got)
		}
	}
	for _, args := range [][]string{{"-base", name, "-task", "1", name}, {"-base", "missing", name}} {
		if _, err := runTrace(t, nil, args...); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestTraceDamaged reads damaged traces in every way that the verb has: each answer is a page
// with what was read and a warning, or one line.
func TestTraceDamaged(t *testing.T) {
	data, err := ownTrace()
	if err != nil {
		t.Skipf("another trace is on: %v", err)
	}
	flipped := bytes.Clone(data)
	for i := len(flipped) / 3; i < len(flipped); i += 1001 {
		flipped[i] ^= 0x10
	}
	for _, bad := range []struct {
		name, warning string
		data          []byte
	}{
		{"cut off", "read only up to byte", data[:len(data)/2]},
		{"flipped", "", flipped},
		{"two", "another trace begins there", slices.Concat(data, data)},
		{"two, packed", "another trace begins there", packed(t, slices.Concat(data, data))},
		{"nothing", "", []byte("go 1.26 trace\x00\x00\x00")},
		{"of the future", "", []byte("go 1.99 trace\x00\x00\x00\x01\x01\x01\x01\x01")},
	} {
		for _, args := range [][]string{nil, {"-json"}, {"-pprof", "sched", "-o", "-"}, {"-pprof", "cpu", "-o", "-"}, {"-pprof", "wall", "-o", "-"}, {"-html", "-o", "-"}} {
			got, err := runTrace(t, bad.data, append(args, "-")...)
			if err != nil {
				if !strings.Contains(err.Error(), bad.warning) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, %v: %v", bad.name, args, err)
				}
				continue
			}
			if len(args) > 0 && args[0] == "-html" {
				got = strings.ReplaceAll(got, "\\u0020", " ")
			}
			if !strings.Contains(got, bad.warning) {
				t.Errorf("%s, %v: no warning of %q in %d bytes", bad.name, args, bad.warning, len(got))
			}
		}
	}
}

// TestTraceWindows: a window that a recording has is read, and of one that it lacks
// the answer says which there are; the worst moment says when there is one, too.
func TestTraceWindows(t *testing.T) {
	data, err := ownTrace()
	if err != nil {
		t.Fatal(err)
	}
	w, err := recording.Create(filepath.Join(t.TempDir(), "r.whet"), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(recording.Artifact{Path: "trace/trace.trace", Kind: recording.KindTrace, EndNs: 1}, data); err != nil {
		t.Fatal(err)
	}
	path, err := w.Finish(time.Second, "")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := runTrace(t, nil, "-window", "1", path); err != nil || !strings.Contains(out, "execution trace of Go") {
		t.Errorf("window 1: %v in\n%s", err, out)
	}
	for window, want := range map[string]string{"2": `has no window "2": its windows are 1`, "worst": "has no snapshot of a worst moment (taken"} {
		_, err := runTrace(t, nil, "-window", window, path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "its windows are 1") {
			t.Errorf("window %s: %v", window, err)
		}
	}
}
