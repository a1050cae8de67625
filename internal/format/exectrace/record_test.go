package exectrace

import (
	"bytes"
	"io"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"testing"
)

// record runs a little of everything under the tracer: channels, locks, a
// loopback connection, files, allocation and goroutines that end.
var record = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	parked := make(chan bool)
	go func() { <-parked }()
	if err := trace.Start(&out); err != nil {
		panic(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		c, err := l.Accept()
		if err == nil {
			io.Copy(c, c)
			c.Close()
		}
	})
	all.Go(func() {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			panic(err)
		}
		buf := make([]byte, 1)
		for range 100 {
			c.Write(buf)
			c.Read(buf)
		}
		c.Close()
	})
	var mu sync.Mutex
	count, ping, never := 0, make(chan int), make(chan int)
	for i := range 4 {
		all.Go(func() {
			for range 50 {
				mu.Lock()
				count++
				runtime.Gosched()
				mu.Unlock()
				if i%2 == 0 {
					ping <- i
					continue
				}
				select {
				case <-ping:
				case <-never:
				}
			}
		})
	}
	all.Go(func() {
		f, err := os.Open(os.Args[0])
		if err != nil {
			panic(err)
		}
		defer f.Close()
		for range 50 {
			io.CopyN(io.Discard, f, 4096)
		}
	})
	all.Wait()
	runtime.GC()
	trace.Stop()
	close(parked)
	return out.Bytes()
})

// describedEvent is an event with its numbers resolved.
type describedEvent struct {
	Event
	Stack, ActorStack *Stack
	Name, Text        string
}

// read collects all events.
func read(t testing.TB, data []byte, limits Limits) ([]describedEvent, Summary, error) {
	t.Helper()
	var events []describedEvent
	summary, err := Read(bytes.NewReader(data), limits, collect(&events))
	return events, summary, err
}

func collect(events *[]describedEvent) func(*Batch) error {
	return func(b *Batch) error {
		for i := range b.Events {
			e := &b.Events[i]
			*events = append(*events, describedEvent{*e, b.Stack(e.Stack), b.Stack(e.ActorStack), b.String(e.Name), b.Text(e)})
		}
		return nil
	}
}

// recordLittle runs hardly anything, so that a fuzzer finds its way.
func recordLittle(t testing.TB) []byte {
	record() // one tracer at a time
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() { done <- true }()
	<-done
	trace.Stop()
	return out.Bytes()
}
