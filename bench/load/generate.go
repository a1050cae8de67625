package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"runtime"
	"time"

	"whet/internal/load"
	"whet/internal/schedule"
)

// generate drives a load by package load in this process, and prints what of
// whet's JSON this program reads, with the allocations of a stretch in the
// middle: only the process itself can count those. Its arguments are those of
// whet load.
func generate(ctx context.Context, args []string, stdout io.Writer) error {
	o := load.DefaultOptions()
	f := flag.NewFlagSet("generate", flag.ContinueOnError)
	f.IntVar(&o.Concurrency, "c", o.Concurrency, "connections")
	f.DurationVar(&o.Duration, "d", o.Duration, "duration")
	f.DurationVar(&o.Warmup, "warmup", o.Warmup, "warm-up")
	f.BoolVar(&o.Insecure, "insecure", false, "accept any certificate")
	f.StringVar(&o.Engine, "engine", "auto", "what drives the connections: auto, epoll, io_uring, portable")
	rate := f.String("rate", "", "requests per second; none: a closed loop")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.URL = f.Arg(0)
	if *rate != "" {
		var err error
		if o.Schedule, err = schedule.Parse(*rate, o.Duration); err != nil {
			return err
		}
	}
	running, err := load.Start(ctx, o)
	if err != nil {
		return err
	}
	<-running.Started()
	var s said
	var before, after runtime.MemStats
	third := time.NewTimer(o.Duration / 3)
	defer third.Stop()
	<-third.C
	runtime.ReadMemStats(&before)
	requests := running.Completed()
	third.Reset(o.Duration / 3)
	<-third.C
	s.MallocsOver = running.Completed() - requests
	runtime.ReadMemStats(&after)
	s.Mallocs = after.Mallocs - before.Mallocs
	r := running.Wait()
	s.Requests, s.PerSecond, s.Errors = r.Requests, r.Throughput(), r.Errors
	s.ServiceTime.P50, s.ServiceTime.P99 = r.Service.Quantile(0.5), r.Service.Quantile(0.99)
	s.Lateness.P50, s.Lateness.P99, s.Lateness.P999, s.Lateness.Max = r.Lateness.Quantile(0.5), r.Lateness.Quantile(0.99), r.Lateness.Quantile(0.999), r.Lateness.Max()
	for i := range r.Seconds {
		s.Seconds = append(s.Seconds, second{r.Seconds[i].Due, r.Seconds[i].InTime})
	}
	valid := r.Invalid == ""
	s.Generator.Valid, s.Generator.Engine = &valid, r.Generator.Engine
	return json.NewEncoder(stdout).Encode(s)
}
