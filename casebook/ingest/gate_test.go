package ingest

import (
	"io"
	"strings"
	"testing"
)

// waiting is a reader whose Read waits to be let go.
type waiting struct {
	entered, leave chan struct{}
	finished       bool
}

func (w *waiting) Read([]byte) (int, error) {
	close(w.entered)
	<-w.leave
	w.finished = true
	return 1, nil
}

// A gate that is shut waits for the Read under way: the memory behind the
// reader is somebody else's from then on.
func TestGateWaits(t *testing.T) {
	w := &waiting{entered: make(chan struct{}), leave: make(chan struct{})}
	g := &gate{r: w}
	go g.Read(make([]byte, 1))
	<-w.entered
	go close(w.leave)
	if g.shut() {
		t.Error("the gate saw an end")
	}
	if !w.finished {
		t.Error("the gate was shut while the reader was read")
	}
	if n, err := g.Read(make([]byte, 1)); n != 0 || err == nil || err == io.EOF { // a second Read of w would panic
		t.Errorf("a gate that is shut gives %d bytes, %v", n, err)
	}
}

func TestGateSeesTheEnd(t *testing.T) {
	g := &gate{r: strings.NewReader("x")}
	for _, want := range []bool{false, true} {
		g.Read(make([]byte, 1))
		if g.end != want {
			t.Errorf("end is %t, want %t", g.end, want)
		}
	}
	for range 2 {
		if !g.shut() {
			t.Error("the gate does not tell of the end")
		}
	}
}
