package main

import (
	"io"
	"net/http"

	"whet/casebook/stats"
	"whet/casebook/stats/best"
	"whet/casebook/stats/buffer"
	"whet/casebook/stats/byteloop"
	"whet/casebook/stats/original"
	"whet/casebook/stats/pool"
	"whet/casebook/stats/prealloc"
)

func statsStudy() study {
	return study{
		name:  "stats",
		paths: []string{stats.AdvancePath, stats.AdvancePath + "/", stats.SimplePath},
		stages: []stage{
			{name: "original", serve: inLedger(func(l *stats.Ledger) stats.Service { return original.New(l) })},
			{name: "byteloop", serve: inLedger(func(l *stats.Ledger) stats.Service { return byteloop.New(l) })},
			{name: "prealloc", serve: inLedger(func(l *stats.Ledger) stats.Service { return prealloc.New(l) })},
			{name: "buffer", serve: inLedger(func(l *stats.Ledger) stats.Service { return buffer.New(l) })},
			{name: "pool", serve: inLedger(func(l *stats.Ledger) stats.Service { return pool.New(l) })},
			{name: "best", serve: inLedger(func(l *stats.Ledger) stats.Service { return best.New(l) })},
		},
	}
}

// inLedger serves a stage that counts in a ledger of its own.
func inLedger(make func(*stats.Ledger) stats.Service) func(environment) (http.Handler, io.Closer, error) {
	return func(e environment) (http.Handler, io.Closer, error) {
		var options stats.Options
		if e.printStats {
			options.Print = e.stdout
		}
		return make(stats.NewLedger(options)), nil, nil
	}
}
