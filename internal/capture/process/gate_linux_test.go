package process

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// steps starts a command that numbers its writes from 0, and stops it at every write
// after an even one. at returns the number of the newest that it was about to make.
func steps(t *testing.T, ctx context.Context) (g *Gate, at func() int, end func() (*Result, string)) {
	file := filepath.Join(t.TempDir(), "at")
	g = NewGate(func(write []byte) bool {
		n, err := strconv.Atoi(string(bytes.TrimSpace(write)))
		if err != nil {
			t.Errorf("a write of %q", write)
		}
		return n%2 == 0
	})
	var out bytes.Buffer
	done := make(chan *Result, 1)
	go func() {
		defer close(done)
		res, err := Run(ctx, Command{Path: os.Args[0], Args: []string{file}, Env: append(os.Environ(), act+"=steps"), Stdout: &out, Gate: g})
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	at = func() int {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return len(data) - 1
	}
	return g, at, func() (*Result, string) { return <-done, out.String() }
}

// A command that is stopped has written what it is stopped at, and has come no further
// than the next write.
func TestGate(t *testing.T) {
	g, at, end := steps(t, t.Context())
	for i := 1; i < 100; i += 2 {
		if !g.Wait(t.Context()) {
			t.Fatalf("it did not wait at write %d", i)
		}
		if n := at(); n != i && n != i+1 {
			t.Fatalf("stopped at write %d it is at %d", i, n)
		}
		g.Next()
	}
	if g.Wait(t.Context()) {
		t.Error("it waits after its end")
	}
	res, out := end()
	var want bytes.Buffer
	for i := range 100 {
		want.WriteString(strconv.Itoa(i) + "\n")
	}
	if !res.OK() || out != want.String() {
		t.Errorf("%s, and it printed %q", res.Status(), out)
	}
	g.Next() // of a command that has ended is nothing
}

// A command that waits is ended like any other, and whoever waits for it learns it.
func TestGateCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g, _, end := steps(t, ctx)
	if !g.Wait(t.Context()) {
		t.Fatal("it did not wait")
	}
	cancel()
	if res, _ := end(); res.Ending != Cancelled {
		t.Errorf("it ended with %d", res.Ending)
	}
	if g.Wait(t.Context()) {
		t.Error("it waits after its end")
	}
	g = NewGate(nil)
	if _, err := Run(t.Context(), Command{Path: "/no/such/program", Gate: g}); !NotFound(err) {
		t.Error(err)
	}
	if g.Wait(t.Context()) {
		t.Error("a command that was not started waits")
	}
	if g.Wait(ctx) {
		t.Error("a command that was not started waits")
	}
}
