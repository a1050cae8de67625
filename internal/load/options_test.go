package load

import (
	"context"
	"crypto/tls"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/schedule"
)

func TestValidate(t *testing.T) {
	think, err := message.ParseThink("1ms")
	if err != nil {
		t.Fatal(err)
	}
	if o := options("http://localhost:1/x"); o.Validate() != nil {
		t.Error(o.Validate())
	}
	for _, c := range []struct {
		set  func(*Options)
		want string
	}{
		{func(o *Options) { o.URL = "http://me:secret@[::1" }, `url "…@[::1" cannot be read`},
		{func(o *Options) { o.URL = "localhost:8080" }, "the scheme must be http or https"},
		{func(o *Options) { o.URL = "ftp://me:secret@x" }, `url "ftp://me:xxxxx@x": the scheme`},
		{func(o *Options) { o.URL = "http:///path" }, "names no host"},
		{func(o *Options) { o.URL = "http://:80/" }, "names no host"},
		{func(o *Options) { o.URL = "http://h:65536/" }, "port 65536 is not within 1 to 65535"},
		{func(o *Options) { o.URL = "http://h:0/" }, "port 0 is not within 1 to 65535"},
		{func(o *Options) { o.Method = "GET /" }, `method "GET /"`},
		{func(o *Options) { o.Method = "" }, `method ""`},
		{func(o *Options) { o.Concurrency = 0 }, "concurrency 0: give 1 to 10000"},
		{func(o *Options) { o.Concurrency = 1e6 }, "concurrency 1000000"},
		{func(o *Options) { o.Warmup = -1 }, "warm-up -1ns"},
		{func(o *Options) { o.Duration = 0 }, "duration 0s"},
		{func(o *Options) { o.Duration = 25 * time.Hour }, "at most 24h0m0s"},
		{func(o *Options) { o.Timeout = 0 }, "timeout 0s"},
		{func(o *Options) { o.Timeout = math.MaxInt64 }, "at most 24h0m0s"},
		{func(o *Options) { o.Streams = 2 }, "several requests at a time on one connection need HTTP/2"},
		{func(o *Options) { o.Streams, o.Protocol = 1001, engine.H2C }, "1001 streams: give 1 to 1000"},
		{func(o *Options) { o.Protocol = engine.HTTP2 }, "HTTP/2 without TLS is h2c"},
		{func(o *Options) { o.URL, o.Protocol = "https://localhost/", engine.H2C }, "h2c is HTTP/2 without TLS"},
		{func(o *Options) { o.Requests = -1 }, "-1 requests: give 1 to"},
		{func(o *Options) { o.Schedule, o.Think = schedule.Constant(1), think }, "a think time needs a closed loop"},
		{func(o *Options) { o.MinTLS = 7 }, "TLS version 0x0007: give one of 1.0 to 1.3"},
		{func(o *Options) { o.MinTLS, o.MaxTLS = tls.VersionTLS13, tls.VersionTLS12 }, "at least TLS 1.3 and at most TLS 1.2"},
		{func(o *Options) { o.Certificate = "x.pem" }, "give the files of both the client certificate and its key"},
		{func(o *Options) { o.Socket = "/" + strings.Repeat("s", longestSocket) }, fmt.Sprintf("sss has %d bytes, more than the system's limit of %d", longestSocket+1, longestSocket)},
		{func(o *Options) { o.Engine = "fast" }, `engine "fast": unknown engine: want auto, epoll, io_uring or portable`},
		{func(o *Options) { o.Engine, o.Cookies = Epoll, true }, "engine epoll: an event loop keeps no cookies: give portable, or auto"},
		{func(o *Options) { o.Engine, o.URL, o.Protocol = Epoll, "https://h/", engine.HTTP2 }, "an event loop speaks HTTP/1.1 and not HTTP/2"},
		{func(o *Options) { o.Check = &engine.Check{SHA256: "x"} }, "check sha256"},
		{func(o *Options) { o.Header = http.Header{"a b": nil} }, `header "a b"`},
		{func(o *Options) { o.Header = http.Header{"A": {"b\r\nC: d"}} }, "header A: its value contains a line break"},
	} {
		o := options("http://localhost:1/")
		c.set(&o)
		_, err := Start(context.Background(), o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, want %s", err, c.want)
		}
		if ready := Ready(context.Background(), o, time.Second, nil); ready == nil || ready.Error() != err.Error() {
			t.Errorf("Ready: %v", ready)
		}
	}
}
