package load

import (
	"runtime"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/fast"
	"whet/internal/load/message"
	"whet/internal/schedule"
)

// TestChoice: io_uring where it was measured to win and the kernel has it, the
// event loop over epoll otherwise, and net/http for what a loop does not do.
func TestChoice(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere there is one engine")
	}
	quickest := IOUring
	if _, err := fast.IOUring(); err != nil {
		quickest = Epoll
	}
	pauses, err := message.ParseThink("1ms")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		set  func(*Options)
		want string
	}{
		{"many connections", func(*Options) {}, quickest},
		{"by name", func(o *Options) { o.Engine = Auto }, quickest},
		{"few connections", func(o *Options) { o.Concurrency = fewestRinged*2 - 1 }, Epoll},
		{"the most", func(o *Options) { o.Concurrency = mostRinged * 2 }, IOUring},
		{"many connections", func(o *Options) { o.Concurrency = mostRinged*2 + 1 }, Epoll},
		{"open", func(o *Options) { o.Schedule = schedule.Constant(100) }, Epoll},
		{"pauses", func(o *Options) { o.Think = pauses }, Epoll},
		{"connections that are not kept", func(o *Options) { o.KeepAlive = false }, Epoll},
		{"TLS", func(o *Options) { o.URL = "https://h/" }, Epoll},
		{"a Unix socket", func(o *Options) { o.Socket = "/s" }, Epoll},
		{"epoll asked for", func(o *Options) { o.Engine = Epoll }, Epoll},
		{"net/http asked for", func(o *Options) { o.Engine = Portable }, "portable"},
		{"cookies", func(o *Options) { o.Cookies = true }, "portable"},
		{"HTTP/2", func(o *Options) { o.URL, o.Protocol = "https://h/", engine.HTTP2 }, "portable"},
	} {
		o := DefaultOptions()
		o.URL, o.Loops, o.Concurrency, o.Duration = "http://h/", 2, fewestRinged*2, time.Second
		c.set(&o)
		p, err := o.prepare()
		if err != nil {
			t.Fatal(err)
		}
		e, err := o.engine(p)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if e.Name() != c.want {
			t.Errorf("%s: %s drives, want %s", c.name, e.Name(), c.want)
		}
	}
}
