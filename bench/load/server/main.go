// Command server is the net/http server that bench/load drives: it answers
// every request with the same few bytes until its input ends.
//
// It prints its address once it listens.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench/load/server:", err)
		os.Exit(1)
	}
}

func run(stdin io.Reader, stdout io.Writer) error {
	cert := flag.String("cert", "", "PEM `file` of a certificate: speak TLS")
	key := flag.String("key", "", "PEM `file` of its key")
	answer := flag.String("answer", "", "body of every answer")
	flag.Parse()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	body := []byte(*answer)
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(body) }),
		// Beside nginx and wrk, which speak nothing newer.
		Protocols: http1(),
		ErrorLog:  log.New(io.Discard, "", 0), // wrk tries a connection and drops it
	}
	defer server.Close()
	failed := make(chan error, 1)
	go func() {
		if *cert != "" {
			failed <- server.ServeTLS(l, *cert, *key)
		} else {
			failed <- server.Serve(l)
		}
	}()
	scheme := "http"
	if *cert != "" {
		scheme = "https"
	}
	fmt.Fprintf(stdout, "%s://%s/\n", scheme, l.Addr())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		io.Copy(io.Discard, stdin)
	}()
	select {
	case err := <-failed:
		return err
	case <-ended:
		return nil
	}
}

func http1() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}
