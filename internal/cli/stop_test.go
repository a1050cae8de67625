//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func TestDefectsOfReaders(t *testing.T) {
	err := Abandonable(context.Background(), func() error { panic("out of\nrange") })
	var d *Defect
	if !errors.As(err, &d) || !strings.Contains(string(d.Stack), "TestDefectsOfReaders") {
		t.Errorf("Abandonable = %v", err)
	}
}

// TestReaderStops: nobody who stops reading keeps whet from ending when it is
// told to, and until then whet waits.
func TestReaderStops(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a stuck reader")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	u := UnlessStuck(ctx, w)
	if n, err := u.Write([]byte("read")); n != 4 || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	ended := make(chan error, 1)
	more := bytes.Repeat([]byte("x"), 1<<20)
	go func() {
		_, err := u.Write(more)
		ended <- err
	}()
	got := make([]byte, 4+1<<10)
	if _, err := io.ReadFull(r, got); err != nil || string(got[:5]) != "readx" {
		t.Fatalf("%q, %v", got[:5], err)
	}
	select {
	case err := <-ended:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	cancel()
	select {
	case err = <-ended:
	case <-time.After(2 * time.Minute):
		t.Fatal("it waits")
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if n, err := u.Write(more); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after that it wrote %d bytes, %v", n, err)
	}
}
