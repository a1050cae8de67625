package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

const (
	healthPath = "/healthz"
	pprofPath  = "/debug/pprof/"
	// stopLimit bounds the wait for requests, long profiles among them, that
	// are being answered when the program is told to stop.
	stopLimit = 40 * time.Second
)

// listenAndServe serves the handler at its paths, and the profiles, until ctx is done or a
// signal comes, and then until the requests that came before are answered. A
// second signal ends the program at once.
func listenAndServe(ctx context.Context, o options, paths []string, h http.Handler, stdout io.Writer) error {
	service, err := listen("-addr", o.addr)
	if err != nil {
		return err
	}
	defer service.Close()
	mux := http.NewServeMux()
	for _, path := range paths {
		mux.Handle(path, h)
	}
	mux.HandleFunc(healthPath, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok\n") })
	servers := []*http.Server{newServer(mux)}
	listeners := []net.Listener{service}
	lines := fmt.Sprintf("serving http://%s%s\n", service.Addr(), paths[0])

	if o.pprofAddr != "" {
		profiles, err := listen("-pprof-addr", o.pprofAddr)
		if err != nil {
			return err
		}
		defer profiles.Close()
		runtime.SetBlockProfileRate(int(o.blockRate))
		runtime.SetMutexProfileFraction(o.mutexFraction)
		servers = append(servers, newProfileServer())
		listeners = append(listeners, profiles)
		lines += fmt.Sprintf("profiles http://%s%s\n", profiles.Addr(), pprofPath)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if _, err := io.WriteString(stdout, lines); err != nil {
		return fmt.Errorf("print the addresses: %w", err)
	}

	ended := make(chan error, len(servers))
	for i, s := range servers {
		go func() { ended <- s.Serve(listeners[i]) }()
	}
	var failure error
	running := len(servers)
	select {
	case <-ctx.Done():
	case failure = <-ended:
		running--
	}
	stop() // before anybody can see that the listeners are closed
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	for _, s := range servers {
		if err := s.Shutdown(limit); err != nil {
			s.Close()
			failure = errors.Join(failure, fmt.Errorf("stop: requests are still being answered after %v", stopLimit))
		}
	}
	for range running {
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			failure = errors.Join(failure, err)
		}
	}
	return failure
}

// newServer serves a case, and bounds what a client may take over each thing it
// does. A stage may have less patience.
func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,     // header and body
		WriteTimeout:      2 * time.Minute, // from the header's end to the answer's
		IdleTimeout:       2 * time.Minute,
	}
}

// newProfileServer serves profiles, which take as long as they are asked to.
func newProfileServer() *http.Server {
	return &http.Server{Handler: profileMux(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
}

// profileMux serves what net/http/pprof serves, away from the case's mux.
func profileMux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc(pprofPath, pprof.Index)
	mux.HandleFunc(pprofPath+"cmdline", pprof.Cmdline)
	mux.HandleFunc(pprofPath+"profile", pprof.Profile)
	mux.HandleFunc(pprofPath+"symbol", pprof.Symbol)
	mux.HandleFunc(pprofPath+"trace", pprof.Trace)
	return mux
}

// listen opens an address; without a host it is on the loopback.
func listen(option, addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%s %s: want host:port or :port: %w", option, addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: choose another address, or port 0 for a free one", option, err)
	}
	return l, nil
}
