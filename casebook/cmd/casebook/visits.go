package main

import (
	"io"
	"net/http"

	"whet/casebook/visits"
	"whet/casebook/visits/appended"
	"whet/casebook/visits/best"
	"whet/casebook/visits/final"
	"whet/casebook/visits/fprintf"
	"whet/casebook/visits/logbuf"
	"whet/casebook/visits/original"
	"whet/casebook/visits/pool"
	"whet/casebook/visits/zerolog"
)

func visitsStudy() study {
	return study{
		name:  "visits",
		paths: []string{visits.Path},
		stages: []stage{
			{name: "original", serve: counting(func(w io.Writer) visits.Counter { return original.New(w) })},
			{name: "fprintf", serve: counting(func(w io.Writer) visits.Counter { return fprintf.New(w) })},
			{name: "pool", serve: counting(func(w io.Writer) visits.Counter { return pool.New(w) })},
			{name: "logbuf", serve: counting(func(w io.Writer) visits.Counter { return logbuf.New(w) })},
			{name: "zerolog", serve: counting(func(w io.Writer) visits.Counter { return zerolog.New(w) })},
			{name: "appended", serve: counting(func(w io.Writer) visits.Counter { return appended.New(w) })},
			{name: "final", serve: counting(func(w io.Writer) visits.Counter { return final.New(w) })},
			{name: "best", serve: counting(func(w io.Writer) visits.Counter { return best.New(w) })},
		},
	}
}

// counting serves a counter that needs nothing but its log.
func counting(make func(io.Writer) visits.Counter) func(environment) (http.Handler, io.Closer, error) {
	return func(e environment) (http.Handler, io.Closer, error) { return make(e.log), nil, nil }
}
