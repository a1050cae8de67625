package load

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
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
		{func(o *Options) { o.URL = "http://h:65536/" }, "there is no port 65536"},
		{func(o *Options) { o.URL = "http://h:0/" }, "there is no port 0"},
		{func(o *Options) { o.Method = "GET /" }, `method "GET /"`},
		{func(o *Options) { o.Method = "" }, `method ""`},
		{func(o *Options) { o.Concurrency = 0 }, "concurrency 0: give 1 to 10000"},
		{func(o *Options) { o.Concurrency = 1e6 }, "concurrency 1000000"},
		{func(o *Options) { o.Warmup = -1 }, "warm-up -1ns"},
		{func(o *Options) { o.Duration = 0 }, "duration 0s"},
		{func(o *Options) { o.Duration = 25 * time.Hour }, "at most 24h0m0s"},
		{func(o *Options) { o.Timeout = 0 }, "timeout 0s"},
		{func(o *Options) { o.Header = http.Header{"a b": nil} }, `header "a b"`},
		{func(o *Options) { o.Header = http.Header{"A": {"b\r\nC: d"}} }, "header A: its value holds a line break"},
	} {
		o := options("http://localhost:1/")
		c.set(&o)
		_, err := Start(context.Background(), o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, want %s", err, c.want)
		}
		if ready := Ready(context.Background(), o, time.Second); ready == nil || ready.Error() != err.Error() {
			t.Errorf("Ready: %v", ready)
		}
	}
}
