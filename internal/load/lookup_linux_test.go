package load

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"whet/internal/loadresult"
)

// A name is looked up before the load's clock runs: not while its plan does.
func TestLookedUpBefore(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a load")
	}
	before := net.DefaultResolver
	defer func() { net.DefaultResolver = before }()
	var asked atomic.Pointer[time.Time]
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		now := time.Now()
		asked.CompareAndSwap(nil, &now)
		return nil, errors.New("no name server")
	}}
	o := options("http://name.example/")
	o.Requests, o.Duration = 3, time.Hour
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if at := asked.Load(); at == nil || !at.Before(r.Began) {
		t.Errorf("asked at %v, the load began at %v", at, r.Began)
	}
	if r.Requests != 3 || r.Failed() != 3 || r.Errors[loadresult.TimedOut] != 0 {
		t.Errorf("%d requests, errors %v", r.Requests, r.Errors)
	}
}
