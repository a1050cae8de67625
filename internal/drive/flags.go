package drive

import (
	"context"
	"flag"
	"slices"
	"strings"
	"time"

	"whet/internal/cli"
	"whet/internal/knee"
	"whet/internal/load"
	"whet/internal/read"
	"whet/internal/recording"
)

const loadName = "load"

// Command returns the verb.
func Command() *cli.Command {
	return &cli.Command{
		Name:       loadName,
		Operands:   "URL [-- COMMAND…] | RECORDING… | merge LOG…",
		Recordings: 1,
		Short:      "drive HTTP load: throughput, service and response times, errors",
		Long: `
Load sends requests to a service and reports throughput, times and errors.

A closed loop (-c 64) keeps 64 requests in flight, each on its own connection: as many requests a
second as the service completes. An open loop (-rate 5000/s) sends each request when it is due,
whether or not earlier ones ended, as users do: at a constant rate, along a ramp (100/s..20000/s
over the time of -d) or in steps (100/s:10s,200/s:20s), evenly spaced or at random (-poisson).

Service time runs from the send of a request to the end of its answer, response time from the
moment it was due. A request that times out counts with the timeout.

Load sends one URL, or the targets of a file: vegeta's http and JSON formats, or a HAR file.
URLs, headers and bodies may contain templates such as {{int 1 1000}}, {{uuid}} or {{csv.name}}.

With -knee it searches for the best throughput over the number of connections, and with -slo for
the highest rate within the bounds; with -pprof it names the functions whose cost grows towards
the knee.

With -- and a command it starts the server first and stops it afterwards.

Load compares recordings (made with -o NAME.whet) on one page. "whet load merge" adds
up the histograms of several generators: interval logs (-hdr) or recordings.

Exit code 0: done; 1: a bound of -slo is broken or an answer differs from -expect; 2: wrong
usage; 3: the generator was the bottleneck, or no request was answered; 130: interrupted, with the
results so far.`,
		Examples: []string{
			"whet load http://localhost:8080/hello",
			"whet load -c 256 -d 30s http://localhost:8080/hello",
			"whet load -rate 5000/s -slo 'p99<50ms,errors<0.1%' http://localhost:8080/hello",
			"whet load -rate 100/s..20000/s -d 60s -poisson -o ramp.whet http://localhost:8080/hello",
			"whet load -m POST -H 'Content-Type: application/json' -body @order.json http://localhost:8080/orders",
			"whet load 'http://localhost:8080/users/{{int 1 1000}}' -expect status=200 -expect json:active=true",
			"whet load -targets targets.txt -rate 300/m -stream",
			"whet load -http2 -streams 16 -c 8 -insecure https://localhost:8443/",
			"whet load -knee -slo 'p99<50ms,errors<0.1%' -pprof http://localhost:6060 -o knee.html http://localhost:8080/hello",
			"whet load http://localhost:8080/hello -- ./server -addr localhost:8080",
			"whet load before.whet after.whet -o both.html",
			"whet load merge one.hlog two.hlog -o all.hlog",
		},
		Glued: "cdnt", Words: words, Choices: loadChoices,
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			l := newLoadFlags(fs)
			return func(ctx context.Context, e *cli.Env, operands []string) error { return l.run(ctx, e, operands) }
		},
	}
}

// loadFlags are those of whet load.
type loadFlags struct {
	fs      *flag.FlagSet
	options load.Options

	rate           string
	poisson        bool
	targets        string
	table          string
	headers        cli.HeaderList
	body           string
	think          string
	expect         cli.StringList
	close          bool
	http2, h2c     bool
	tlsMin, tlsMax string
	noResumption   bool

	slo    string
	knee   bool
	pprof  string
	budget time.Duration

	warnings []string // about what was read

	out, csvOut, hgrm, hdr string
	stream, asJSON, open   bool
}

// loadWarmup is what comes before what is measured: connections are made, and
// the service's caches and its collector settle.
const loadWarmup = time.Second

func newLoadFlags(fs *flag.FlagSet) *loadFlags {
	l := &loadFlags{fs: fs, options: load.DefaultOptions(), headers: cli.HeaderList{}}
	o := &l.options
	o.Duration, o.Warmup, o.Seed, l.budget = 10*time.Second, loadWarmup, 1, knee.Closed().Budget
	fs.IntVar(&o.Concurrency, "c", o.Concurrency, "number of `connections`: each sends one request at a time in a closed loop; the maximum in an open loop")
	fs.Bool("latency", false, "accepted for compatibility with wrk: quantiles are always shown")
	fs.Var(cli.DurationFlag{Time: &o.Duration, Hint: "; for a body use -body"}, "d", "measure this `time` under load")
	fs.Int64Var(&o.Requests, "n", 0, "send this `number` of requests, on at most as many connections, with no time limit unless -d is given")
	fs.IntVar(&o.Loops, "t", 0, "number of event loops, as wrk's `threads` (default: one per processor)")
	fs.StringVar(&l.rate, "rate", "", "an open loop at this `rate`: 5000/s, 300/m, 100/s..20000/s (a ramp over -d), 100/s:10s,200/s:20s (steps)")
	fs.BoolVar(&l.poisson, "poisson", false, "with -rate: random (Poisson) arrivals, like those of independent users")
	cli.Duration(fs, &o.Warmup, "warmup", "warm up this `time` before measuring (with -n default 0s)")
	cli.Duration(fs, &o.Timeout, "timeout", "abandon a request after this `time`")
	fs.StringVar(&l.think, "think", "", "in a closed loop, wait this `time` after an answer before the next request: 100ms, exp:100ms")

	fs.Var(&l.headers, "H", "send a `header`, as in 'Authorization: Bearer x'; may be given several times")
	fs.StringVar(&o.Method, "m", o.Method, "the request's `method`; with a body the default is POST")
	fs.StringVar(&l.body, "body", "", "the request's body: `text|@file`")
	fs.StringVar(&l.targets, "targets", "", "send the requests in this `file`, - is stdin: vegeta's http or JSON format, or HAR")
	fs.StringVar(&l.table, "csv", "", "`file` with the values of {{csv.NAME}}; its first row names the columns")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "draw templates, think times and Poisson arrivals from this `seed`")
	fs.BoolVar(&o.Cookies, "cookies", false, "each connection keeps the cookies it receives")
	fs.Var(&l.expect, "expect", "expected `answers`: status=200-299, header:Content-Type=text/plain, size=12, sha256=HEX, json:user.id=5 (a dot in a name is \\.); may be given several times")

	fs.BoolVar(&l.close, "close", false, "open a connection for each request (no keep-alive)")
	fs.BoolVar(&l.http2, "http2", false, "use HTTP/2 (over TLS)")
	fs.BoolVar(&l.h2c, "h2c", false, "use HTTP/2 without TLS")
	fs.IntVar(&o.Streams, "streams", o.Streams, "with HTTP/2: `requests` at a time on each connection")
	fs.StringVar(&o.Socket, "unix", "", "connect to the Unix socket at this `path`")
	fs.BoolVar(&o.Insecure, "insecure", false, "accept any certificate")
	fs.StringVar(&o.CAFile, "cacert", "", "also trust the certificates in this PEM `file`")
	fs.StringVar(&o.Certificate, "cert", "", "PEM `file` of the client certificate")
	fs.StringVar(&o.Key, "key", "", "PEM `file` of the client certificate's key")
	fs.StringVar(&l.tlsMin, "tls-min", "", "use at least this `version` of TLS: 1.0 to 1.3")
	fs.StringVar(&l.tlsMax, "tls-max", "", "use at most this `version` of TLS")
	fs.BoolVar(&l.noResumption, "no-resumption", false, "do a full handshake on each TLS connection")

	fs.StringVar(&l.slo, "slo", "", "exit 1 when these `bounds` are broken: p99<50ms,errors<0.1%,throughput>1000/s")
	fs.BoolVar(&l.knee, "knee", false, "search for the best throughput over connections, and with -slo for the highest rate within the bounds")
	fs.StringVar(&l.pprof, "pprof", "", "with -knee: base `URL` of the service's profiles, to name the functions that grow towards the knee")
	cli.Duration(fs, &l.budget, "budget", "with -knee: `time` for all searches together; profiles come on top")
	fs.StringVar(&l.out, "o", "", "write a recording `NAME.whet` and its report NAME.html; for recordings the HTML page, with -knee either, for merge the log")
	fs.BoolVar(&l.open, "open", false, "open the HTML report in the browser")
	fs.StringVar(&l.hdr, "hdr", "", "write the times of each second as an HdrHistogram interval log to `file`")
	fs.StringVar(&l.hgrm, "hgrm", "", "write the percentiles of all times to `file` (.hgrm)")
	fs.StringVar(&l.csvOut, "csv-out", "", "write a row for each second to `file`")
	fs.BoolVar(&l.stream, "stream", false, "print a line of JSON each second, and the whole document as the last")
	fs.BoolVar(&l.asJSON, "json", false, "print one JSON document")
	fs.StringVar(&o.Engine, "engine", "auto", "`name` of the engine: auto, epoll, io_uring or portable")
	return l
}

// loadChoices returns the values of flags that are a fixed list.
func loadChoices() map[string][]string {
	return map[string][]string{
		"engine":  {"auto", "epoll", "io_uring", "portable"},
		"tls-min": {"1.0", "1.1", "1.2", "1.3"},
		"tls-max": {"1.0", "1.1", "1.2", "1.3"},
	}
}

// mergeFlags and showFlags are those that mean something where no load is
// driven.
var (
	mergeFlags = []string{"o", "hgrm", "json"}
	showFlags  = []string{"o", "open", "json", "slo", "hgrm", "csv-out"}
)

func (l *loadFlags) run(ctx context.Context, e *cli.Env, operands []string) error {
	if err := l.noneEmpty(); err != nil {
		return err
	}
	switch {
	case l.open && l.out == "":
		return cli.UsageError("load: -open needs an HTML report: name it with -o")
	case l.stream && l.asJSON:
		return cli.UsageError("load: choose -stream or -json: -stream prints the document of -json last")
	case len(operands) > 0 && operands[0] == "merge":
		if err := l.only("load merge", mergeFlags); err != nil {
			return err
		}
		return cli.Abandonable(ctx, func() error { return l.merge(ctx, e, operands[1:]) })
	case len(operands) > 0 && !slices.ContainsFunc(operands, func(name string) bool { return !isRecording(name) }):
		if err := l.only("load RECORDING", showFlags); err != nil {
			return err
		}
		return cli.Abandonable(ctx, func() error { return l.show(ctx, e, operands, read.OpenLoad) })
	}
	var plan *loadPlan
	// What is read may be a pipe that nobody writes to.
	if err := cli.Abandonable(ctx, func() (err error) {
		plan, err = l.plan(e, operands)
		return err
	}); err != nil {
		return err
	}
	stop, err := plan.startServer(ctx)
	if err != nil {
		return cli.MeasuringError(err, "interrupted")
	}
	defer stop()
	if l.knee {
		return l.search(ctx, e, plan)
	}
	return l.drive(ctx, e, plan)
}

// isRecording reports whether an operand means a recording: it is one, or is
// called like one.
func isRecording(name string) bool {
	return !strings.Contains(name, "://") && (strings.HasSuffix(strings.TrimRight(name, "/"), ".whet") || recording.Is(name))
}

// only refuses flags that say nothing about what is done.
func (l *loadFlags) only(what string, names []string) error {
	var err error
	l.fs.Visit(func(f *flag.Flag) {
		if err == nil && !slices.Contains(names, f.Name) {
			err = cli.UsageError("%s: -%s is for driving a load; the flags for recordings are -%s", what, f.Name, strings.Join(names, ", -"))
		}
	})
	return err
}

// noneEmpty refuses texts that are empty, as those of a shell's variables that
// nobody set: a load without its bounds or its rate would be another one. A body
// may be empty.
func (l *loadFlags) noneEmpty() error {
	var err error
	l.fs.Visit(func(f *flag.Flag) {
		g, ok := f.Value.(flag.Getter)
		if ok && g.Get() == "" && f.Name != "body" && err == nil {
			err = cli.UsageError("load: -%s is empty: give it a value, or omit it", f.Name)
		}
	})
	return err
}
