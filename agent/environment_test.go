//go:build go1.26

package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func reportIn(t *testing.T, dir string) report {
	t.Helper()
	var r report
	if err := json.Unmarshal(readFile(t, dir, reportName), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func kinds(r report) []string {
	var out []string
	for _, f := range r.Files {
		if !slices.Contains(out, f.Kind) {
			out = append(out, f.Kind)
		}
	}
	slices.Sort(out)
	return out
}

// A build with the agent inside, from init to the exit hook: served on its
// socket meanwhile, whole at the end.
func TestFromEnvironment(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := shortDir(t)
	stop, err := startFromEnvironment(fmt.Sprintf(
		`{"dir":%q,"token":"secret","serve":true,"continuous":true,"block_rate_ns":10000,"mutex_fraction":1,"trace":true,"more":"ignored"}`, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return net.Dial("unix", filepath.Join(dir, "s"))
		},
	}}
	defer client.CloseIdleConnections()
	get := func(method, path string) *http.Response {
		t.Helper()
		r, err := http.NewRequest(method, "http://agent/debug/whet/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer secret")
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(resp.Body)
			t.Fatalf("%s: %s: %s", path, resp.Status, text)
		}
		return resp
	}
	body := func(method, path string) []byte {
		t.Helper()
		resp := get(method, path)
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}

	var st status
	if err := json.Unmarshal(body("GET", "status"), &st); err != nil {
		t.Fatal(err)
	}
	if st.Schema != "whet/agent/1" || st.PID != os.Getpid() || !st.CPUProfiling || *st.Rates.BlockRateNs != 10_000 || *st.Rates.MutexFraction != 1 {
		t.Errorf("status %+v", st)
	}

	contend()
	burn(300 * time.Millisecond)

	rows := get("GET", "metrics?seconds=60&every_ms=10")
	lines := bufio.NewScanner(rows.Body)
	last := int64(-1)
	for i := 0; i < 3; i++ {
		if !lines.Scan() {
			t.Fatalf("%d rows: %v", i, lines.Err())
		}
		row := decode(t, lines.Bytes())
		if *row["t_ns"] <= last {
			t.Errorf("row %d at %d ns, after one at %d ns", i, *row["t_ns"], last)
		}
		last = *row["t_ns"]
	}
	rows.Body.Close()

	// The agent's own profile steps aside for the one that is asked for.
	checkProfile(t, "profile", body("GET", "pprof/profile?seconds=0.05"))
	if n := checkTrace(t, "trace", body("GET", "pprof/trace?seconds=0.05")); n == 0 {
		t.Error("the trace has no events")
	}

	var flushed report
	if err := json.Unmarshal(body("POST", "flush"), &flushed); err != nil {
		t.Fatal(err)
	}
	all := []string{"allocs", "block", "cpu", "goroutine", "heap", "metrics", "mutex", "threadcreate", "trace"}
	if got := kinds(flushed); !slices.Equal(got, all) || flushed.Ended != "running" {
		t.Errorf("after a flush: %s, kinds %v, want %v", flushed.Ended, got, all)
	}
	if onDisk := reportIn(t, dir); onDisk.Ended != "running" {
		t.Errorf("agent.json of a running program says %q", onDisk.Ended)
	}

	stop()
	r := reportIn(t, dir)
	if got := kinds(r); r.Ended != "exit" || !slices.Equal(got, all) || len(r.Warnings) > 0 {
		t.Errorf("%s, kinds %v, warnings %q", r.Ended, got, r.Warnings)
	}
	cpu := int64(0)
	for _, f := range r.Files {
		data := readFile(t, dir, f.Name)
		if f.StartNs < 0 || f.EndNs < f.StartNs {
			t.Errorf("%s: from %d to %d ns", f.Name, f.StartNs, f.EndNs)
		}
		switch f.Kind {
		case "metrics":
			checkRows(t, data)
		case "trace":
			checkTrace(t, f.Name, data)
		case "cpu":
			for _, s := range checkProfile(t, f.Name, data).Sample {
				cpu += s.Value[1]
			}
		case "mutex", "block":
			if len(checkProfile(t, f.Name, data).Sample) == 0 {
				t.Errorf("%s: no sample of the contended lock", f.Name)
			}
		default:
			checkProfile(t, f.Name, data)
		}
	}
	if cpu == 0 {
		t.Error("300 ms of work have no CPU sample")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		listed := slices.ContainsFunc(r.Files, func(f file) bool { return f.Name == e.Name() })
		if !listed && e.Name() != reportName {
			t.Errorf("%s was left behind", e.Name())
		}
	}
	if _, err := net.Dial("unix", filepath.Join(dir, "s")); err == nil {
		t.Error("the socket still answers")
	}
}

// shortDir returns a directory whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "whet-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// contend makes one goroutine wait 20 ms for a lock.
func contend() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	held := make(chan struct{})
	wg.Add(1)
	go func() {
		defer wg.Done()
		mu.Lock()
		close(held)
		burn(20 * time.Millisecond)
		mu.Unlock()
	}()
	<-held
	mu.Lock()
	defer mu.Unlock()
	wg.Wait()
}

// checkRows demands whole rows whose times and counters do not fall.
func checkRows(t *testing.T, data []byte) (rows []map[string]*int64) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		row := decode(t, []byte(line))
		if n := len(rows); n > 0 {
			for _, key := range []string{"t_ns", "alloc_bytes", "user_cpu_ns"} {
				if a, b := rows[n-1][key], row[key]; a != nil && b != nil && *b < *a {
					t.Errorf("row %d: %s fell from %d to %d", n, key, *a, *b)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func TestFromEnvironmentRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                                "read WHET_AGENT: unexpected end of JSON input",
		`{"dir":"here"}`:                  `read WHET_AGENT: the directory "here" is not absolute`,
		`{"dir":"/nowhere","serve":true}`: "read WHET_AGENT: serving requires a token",
	} {
		if stop, err := startFromEnvironment(text); err == nil || err.Error() != want || stop != nil {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	a := begun(t, settings{})
	dir := t.TempDir()
	if _, err := startFromEnvironment(fmt.Sprintf(`{"dir":%q}`, dir)); err == nil || !strings.Contains(err.Error(), "an agent already runs in this program, since") {
		t.Errorf("beside another agent: %v", err)
	}
	a.Stop()
}

// A directory that cannot be written to costs the files and nothing else.
func TestNowhereToWrite(t *testing.T) {
	stop, err := startFromEnvironment(fmt.Sprintf(`{"dir":%q,"continuous":true,"trace":true}`, filepath.Join(t.TempDir(), "gone")))
	if err != nil {
		t.Fatal(err)
	}
	stop()
}

// The exit hook returns even when something in the agent hangs.
func TestExitIsBounded(t *testing.T) {
	a := begun(t, settings{})
	a.tasks.Add(1) // a task that does not end
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		a.end("exit", time.Millisecond)
	}()
	await(t, "the exit hook", func() bool {
		select {
		case <-returned:
			return true
		default:
			return false
		}
	})
	select {
	case <-a.ended:
		t.Error("it did not hang: this test shows nothing")
	default:
	}
	a.tasks.Done()
	a.Stop()
}

// A busy machine makes the last files late: the exit waits for as long as files
// are written, and leaves at the first tick before which there was none.
func TestExitWaitsForFiles(t *testing.T) {
	ticks := make(chan time.Time, 9)
	for range cap(ticks) {
		ticks <- time.Time{}
	}
	files := 5
	awaitEnd(nil, ticks, func() bool { files--; return files >= 0 })
	if left := len(ticks); left != 9-6 {
		t.Errorf("it left with %d ticks to come, after 5 files and one tick without", left)
	}
	ended := make(chan struct{})
	close(ended)
	awaitEnd(ended, nil, nil) // or it hangs
}
