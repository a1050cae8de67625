package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"time"

	"whet/casebook/ingest/ingesttest"
	"whet/internal/prove/rounds"
)

// posts measures the peak memory of a server that takes bodies in. A stage is
// named with the size of its bodies, as "best, 20 MB".
type posts struct {
	name    string
	program string
}

// bodySizes are those that a stage may be named with.
var bodySizes = map[string]int{"100 KB": ingesttest.Size100KB, "20 MB": ingesttest.Size20MB}

const (
	// A slice is this many requests, two at a time: what a server keeps between
	// requests shows, and so does what two of them need at once.
	postsPerSlice = 8
	postsAtOnce   = 2
	// postsTake is what a slice takes, about: with it rounds are planned.
	postsTake = 500 * time.Millisecond
	// postLimit bounds a request: the case's own bound is half of it.
	postLimit = time.Minute
)

func (l *posts) shares() bool { return true }

func (l *posts) had(string) rounds.Slice { return nil }

func (l *posts) warnings() []string { return nil }

func (l *posts) takes(*measure, string) time.Duration { return postsTake }

func (l *posts) ready(context.Context, *group, time.Duration) error { return nil }

func (l *posts) slice(ctx context.Context, _ *measure, named string) (_ rounds.Slice, err error) {
	stage, text, _ := strings.Cut(named, ", ")
	size, ok := bodySizes[text]
	if !ok {
		return nil, fmt.Errorf("%q names no size of bodies", named)
	}
	s, err := startServer(stageCommand(ctx, l.program, l.name, stage), (*exec.Cmd).Start)
	if err != nil {
		return nil, fmt.Errorf("start stage %s: %w", stage, err)
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := playApart(ctx, postRole, postOrders{s.address.String(), size}, new(struct{}), (*exec.Cmd).Start); err != nil {
		return nil, fmt.Errorf("post to stage %s: %w", stage, err)
	}
	peak, err := peakOf(s.cmd.Process.Pid)
	if errors.Is(err, errors.ErrUnsupported) {
		return rounds.Slice{}, nil // this system does not tell
	}
	if err != nil {
		return nil, err
	}
	return rounds.Slice{peakBytes: float64(peak)}, nil
}

// postOrders are what the program is told that makes the bodies and sends them.
type postOrders struct {
	URL  string
	Size int
}

// postAll sends a slice's requests.
func postAll(ctx context.Context, o postOrders) error {
	body := ingesttest.Body(o.Size)
	transport := &http.Transport{MaxIdleConnsPerHost: postsAtOnce}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: postLimit}
	errs := make([]error, postsAtOnce)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for range postsPerSlice / postsAtOnce {
				if errs[i] = post(ctx, client, o.URL, body); errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func post(ctx context.Context, client *http.Client, url string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it was answered %s", answer.Status)
	}
	return nil
}
