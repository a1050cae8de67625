package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"whet/casebook/ingest/ingesttest"
	"whet/internal/load"
	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/loadresult"
)

// The generator is whet's own, as in whet load, in a closed loop: each
// connection sends its next request when it has the answer to the last, so that
// what it counts is what the service can do and no more than the generator can.
// It says itself when it was the bottleneck, and a server that answers a constant
// shows where it ends, with the loopback and net/http's server.

// drive is what the generator is to do.
type drive struct {
	URLs        []string // in turn
	Body        int      // size of what is posted to them; it is made here. 0: they are got
	Connections int
	Warmup      time.Duration // not counted
	Duration    time.Duration
}

// driven is what it did.
type driven struct {
	Completed int64 // answers within Duration
	PerSecond float64
	Bytes     int64  // of the bodies that were counted
	Failed    int64  // requests within Duration without an answer of 200
	Example   string // of those
	// What the generator says of itself.
	Engine     string
	Share      float64  // of what its processors had to give; negative: unknown
	Bottleneck string   // why the figures are not the service's; "": they are
	Warnings   []string // what else they must be read with
}

// patience bounds the wait for one answer.
const patience = 30 * time.Second

// run drives the service.
func (d *drive) run(ctx context.Context) (driven, error) {
	var body []byte
	if d.Body > 0 {
		body = ingesttest.Body(d.Body)
	}
	var targets []message.Target
	for _, u := range d.URLs {
		targets = append(targets, message.Target{URL: u, Body: body, Literal: true})
	}
	o := load.DefaultOptions()
	var err error
	if o.Messages, err = message.New(targets, message.Options{}); err != nil {
		return driven{}, err
	}
	o.Check = &engine.Check{Status: []engine.Range{{First: http.StatusOK, Last: http.StatusOK}}}
	o.Concurrency, o.Warmup, o.Duration, o.Timeout = d.Connections, d.Warmup, d.Duration, patience
	res, err := load.Run(ctx, o)
	switch {
	case err != nil:
		return driven{}, err
	case res.Interrupted:
		return driven{}, fmt.Errorf("drive %s: %w", d.URLs[0], context.Cause(ctx))
	}
	return told(res), nil
}

// told is what is kept of a result.
func told(res *loadresult.Result) driven {
	did := driven{
		Completed: res.Answered(), PerSecond: res.Throughput(), Bytes: res.Bytes, Failed: res.Failed(),
		Engine: res.Generator.Engine, Share: res.Generator.Share, Bottleneck: res.Invalid, Warnings: res.Warnings,
	}
	if res.Invalid != "" {
		did.Warnings = res.Warnings[1:] // the first is that
	}
	if kind := res.Commonest(); kind != "" {
		did.Example = kind + ": " + res.Examples[kind]
	}
	return did
}
