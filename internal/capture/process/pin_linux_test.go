package process

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A pinned command sees its one processor from the start, and whoever started
// it keeps what it had.
func TestPinned(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	first := 0
	for !before.IsSet(first) {
		first++
	}
	var out bytes.Buffer
	c := Command{Path: os.Args[0], Env: []string{act + "=processors"}, Stdout: &out, Processors: []int{first}}
	res, err := Run(context.Background(), c)
	if err != nil || !res.OK() {
		t.Fatalf("%+v, %v", res, err)
	}
	if out.String() != "1 1" {
		t.Errorf("NumCPU and GOMAXPROCS of a process on one processor: %q", out.String())
	}
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
		t.Errorf("the caller's processors changed: %v, %v", after, err)
	}
	c.Processors = []int{first, 1023}
	if _, err := Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "processor 1023") {
		t.Errorf("a processor that is not there: %v", err)
	}
}
