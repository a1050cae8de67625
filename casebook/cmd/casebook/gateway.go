package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"whet/casebook/gateway"
	"whet/casebook/gateway/best"
	"whet/casebook/gateway/noescape"
	"whet/casebook/gateway/nohealth"
	"whet/casebook/gateway/original"
	"whet/casebook/gateway/randbits"
	"whet/casebook/gateway/rawmessage"
)

func gatewayStudy() study {
	return study{
		name:  "gateway",
		paths: []string{gateway.Path, gateway.HealthPath},
		stages: []stage{
			{name: "original", serve: calling(func(d gateway.Downstream, w io.Writer) gateway.Gateway { return original.New(d, w, gateway.Global{}) })},
			{name: "nohealth", serve: calling(func(d gateway.Downstream, w io.Writer) gateway.Gateway { return nohealth.New(d, w, gateway.Global{}) })},
			{name: "rawmessage", serve: calling(func(d gateway.Downstream, w io.Writer) gateway.Gateway { return rawmessage.New(d, w, gateway.Global{}) })},
			{name: "noescape", serve: calling(func(d gateway.Downstream, w io.Writer) gateway.Gateway { return noescape.New(d, w, gateway.Global{}) })},
			{name: "randbits", serve: calling(func(d gateway.Downstream, w io.Writer) gateway.Gateway { return randbits.New(d, w, gateway.Global{}) })},
			{name: "best", serve: calling(func(d gateway.Downstream, w io.Writer) gateway.Gateway { return best.New(d, w, gateway.Global{}) })},
		},
	}
}

// calling serves a gateway in front of the service that -downstream names, or
// of one in this program. What that one costs is in the program's profile then.
func calling(make func(gateway.Downstream, io.Writer) gateway.Gateway) func(environment) (http.Handler, io.Closer, error) {
	return func(e environment) (http.Handler, io.Closer, error) {
		address := e.downstream
		var service *loopback
		if address == "" {
			var err error
			if service, err = startLoopback(gateway.Service()); err != nil {
				return nil, nil, err
			}
			address = service.url
		}
		down, err := gateway.NewClient(address, gateway.Patience)
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("-downstream: %w", err), service.Close())
		}
		return gateway.Mux(make(down, e.log)), both{down, service}, nil
	}
}

// loopback is a service on a free port of this machine alone. A nil one is
// closed already.
type loopback struct {
	url    string
	server *http.Server
	ended  chan struct{}
	err    error // what it ended with
}

func startLoopback(h http.Handler) (*loopback, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the service behind the gateway: %w", err)
	}
	s := &loopback{url: "http://" + l.Addr().String() + "/", server: newServer(h), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		s.err = s.server.Serve(l)
	}()
	return s, nil
}

// Close ends the service: by then nobody is left who calls it.
func (s *loopback) Close() error {
	if s == nil {
		return nil
	}
	err := s.server.Close()
	<-s.ended
	if !errors.Is(s.err, http.ErrServerClosed) {
		err = errors.Join(err, s.err)
	}
	return err
}

// both closes the client before the service that it calls.
type both struct {
	client  *gateway.Client
	service *loopback
}

func (b both) Close() error { return errors.Join(b.client.Close(), b.service.Close()) }
