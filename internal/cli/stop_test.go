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
	long := make([]byte, 5*patientPiece/2)
	for i := range long {
		long[i] = byte(i % 251)
	}
	var got []byte
	read := make(chan error)
	go func() {
		got = make([]byte, len(long)+4)
		_, err := io.ReadFull(r, got)
		read <- err
	}()
	for _, b := range [][]byte{long, []byte("read")} {
		if n, err := u.Write(b); n != len(b) || err != nil {
			t.Fatalf("%d bytes of %d, %v", n, len(b), err)
		}
	}
	if err := <-read; err != nil || !bytes.Equal(got, append(long, "read"...)) {
		t.Fatalf("it reads something else, %v", err)
	}
	type result struct {
		n   int
		err error
	}
	ended := make(chan result, 1)
	more := bytes.Repeat([]byte("x"), 1<<20)
	go func() {
		n, err := u.Write(more)
		ended <- result{n, err}
	}()
	if _, err := io.ReadFull(r, got[:1000]); err != nil || got[0] != 'x' {
		t.Fatalf("%q, %v", got[0], err)
	}
	select {
	case stuck := <-ended:
		t.Fatalf("it did not wait: %v", stuck.err)
	default:
	}
	cancel()
	var stuck result
	select {
	case stuck = <-ended:
	case <-time.After(2 * time.Minute):
		t.Fatal("it waits")
	}
	if !errors.Is(stuck.err, context.Canceled) || stuck.n%patientPiece != 0 {
		t.Errorf("%d bytes, %v", stuck.n, stuck.err)
	}
	// What follows is not written, neither in place of the piece that is stuck.
	for _, b := range [][]byte{bytes.Repeat([]byte("y"), 100), bytes.Repeat([]byte("z"), 2*patientPiece)} {
		if n, err := u.Write(b); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("after that it wrote %d bytes, %v", n, err)
		}
	}
	rest := make([]byte, stuck.n+patientPiece-1000)
	if _, err := io.ReadFull(r, rest); err != nil || strings.Trim(string(rest), "x") != "" {
		t.Errorf("the piece that was stuck is not as it was: %v", err)
	}
	if kept := cap(u.(*patientWriter).own); kept > 2*patientPiece {
		t.Errorf("it keeps %d bytes", kept)
	}
}
