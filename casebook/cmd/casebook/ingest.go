package main

import (
	"fmt"
	"io"
	"net/http"

	"whet/casebook/ingest"
	"whet/casebook/ingest/best"
	"whet/casebook/ingest/leaky"
	"whet/casebook/ingest/original"
	"whet/casebook/ingest/presize"
)

func ingestStudy() study {
	return study{
		name:  "ingest",
		paths: []string{ingest.Path},
		stages: []stage{
			{name: "original", serve: passingOn(func(s ingest.Sink) ingest.Intake { return original.New(s) })},
			{name: "presize", serve: passingOn(func(s ingest.Sink) ingest.Intake { return presize.New(s) })},
			{name: "leaky", serve: passingOn(func(s ingest.Sink) ingest.Intake { return leaky.New(s) })},
			{name: "best", serve: passingOn(func(s ingest.Sink) ingest.Intake { return best.New(s) })},
		},
	}
}

// passingOn serves an intake in front of the sink that -sink names, or of one
// that checks what it gets and drops it.
func passingOn(make func(ingest.Sink) ingest.Intake) func(environment) (http.Handler, io.Closer, error) {
	return func(e environment) (http.Handler, io.Closer, error) {
		if e.sink == "" {
			return make(new(ingest.Check)), nil, nil
		}
		sink, err := ingest.NewRemote(e.sink)
		if err != nil {
			return nil, nil, fmt.Errorf("-sink: %w", err)
		}
		return make(sink), sink, nil
	}
}
