package drive

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/cli"
	"whet/internal/format/target"
	"whet/internal/load"
	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/load/slo"
	"whet/internal/loadresult"
	"whet/internal/recording"
	"whet/internal/schedule"
)

// loadPlan is a load that can be driven.
type loadPlan struct {
	options load.Options
	bounds  slo.Bounds
	expects bool     // -expect was given
	server  []string // the command after --; none: the service runs
	name    string   // as people call what it is driven at
	told    loadresult.Plan
}

// longestLoad is how long -n may take where -d says nothing.
const longestLoad = 24 * time.Hour

// plan reads flags and operands. Its error is one of usage.
func (l *loadFlags) plan(e *cli.Env, operands []string) (*loadPlan, error) {
	p, err := l.read(e, operands)
	if err != nil {
		return nil, asUsage(err)
	}
	return p, nil
}

// asUsage makes an error one of usage, unless it is one.
func asUsage(err error) error {
	if ee, ok := errors.AsType[*cli.ExitError](err); ok {
		return &cli.ExitError{Code: ee.Code, Err: err}
	}
	return &cli.ExitError{Code: cli.ExitUsage, Err: fmt.Errorf("load: %w", err)}
}

func (l *loadFlags) read(e *cli.Env, operands []string) (*loadPlan, error) {
	o := l.options
	p := new(loadPlan)
	if i := slices.Index(operands, "--"); i >= 0 {
		if p.server = operands[i+1:]; len(p.server) == 0 || p.server[0] == "" {
			return nil, errors.New("name the command that starts the server after --")
		}
		operands = operands[:i]
	}
	targets, err := l.messages(e, operands)
	if err != nil {
		return nil, err
	}
	var table *message.Table
	if l.table != "" {
		f, err := os.Open(l.table)
		if err != nil {
			return nil, fmt.Errorf("-csv: %w", err)
		}
		defer f.Close()
		if table, err = message.ReadTable(l.table, f); err != nil {
			return nil, fmt.Errorf("-csv: %w", err)
		}
	}
	if o.Messages, err = message.New(targets, message.Options{Seed: o.Seed, Table: table}); err != nil {
		return nil, err
	}
	if table != nil && !o.Messages.UsesTable() {
		return nil, fmt.Errorf("-csv %s: no request uses a column: write {{csv.%s}} in one, or omit -csv", l.table, table.Columns()[0])
	}
	if err := l.checkKnee(); err != nil {
		return nil, err
	}
	if err := l.loop(&o); err != nil {
		return nil, err
	}
	if err := l.connection(&o); err != nil {
		return nil, err
	}
	if o.Check, err = parseExpect(l.expect); err != nil {
		return nil, err
	}
	if err := o.Check.Validate(); err != nil {
		return nil, fmt.Errorf("-expect: %w", err)
	}
	p.expects = len(l.expect) > 0
	if l.slo != "" {
		if p.bounds, err = slo.Parse(l.slo); err != nil {
			return nil, fmt.Errorf("-slo: %w", err)
		}
		for _, b := range p.bounds {
			if b.Metric.Times == slo.Response && !o.Schedule.Open() && !l.knee {
				return nil, fmt.Errorf("-slo %s: a closed loop has no response times: give -rate, or bound service times", b)
			}
		}
	}
	if err := l.outputs(); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := o.ValidateFiles(); err != nil {
		return nil, err
	}
	first := targets[0]
	p.options = o
	p.told = o.Plan()
	p.told.URL, p.told.Targets, p.told.Method = recording.Redacted(first.URL), len(targets), method(first)
	p.told.Rate, p.told.Poisson, p.told.Think = l.rate, l.poisson, l.think
	if len(targets) > 1 {
		for i := range targets[:min(len(targets), loadresult.PlanNames)] {
			t := &targets[i]
			p.told.TargetNames = append(p.told.TargetNames, method(*t)+" "+recording.Redacted(t.URL))
		}
	}
	p.name = p.told.URL
	if l.targets != "" {
		p.told.TargetsFrom, p.name = l.targets, l.targets
		if l.targets == "-" {
			p.told.TargetsFrom, p.name = "stdin", "the targets from stdin"
		}
	}
	return p, nil
}

func method(t message.Target) string {
	switch {
	case t.Method != "":
		return t.Method
	case len(t.Body) > 0:
		return http.MethodPost
	}
	return http.MethodGet
}

// messages returns what is sent: the URL, or the targets of a file.
func (l *loadFlags) messages(e *cli.Env, operands []string) ([]message.Target, error) {
	var fields []message.Field
	for name, values := range l.headers {
		for _, v := range values {
			fields = append(fields, message.Field{Name: name, Value: v})
		}
	}
	slices.SortStableFunc(fields, func(a, b message.Field) int { return strings.Compare(a.Name, b.Name) })
	body, err := message.ReadBody(l.body)
	if err != nil {
		return nil, err
	}
	if w := bodyWarning(l.body); w != "" {
		l.warnings = append(l.warnings, w)
	}
	url := ""
	if l.targets == "" || len(operands) > 0 {
		if url, err = cli.OneOperand("load", "URL", operands); err != nil {
			if len(operands) > 1 && strings.Contains(operands[0], "{{") {
				err = fmt.Errorf("%w: put an address with a template in quotes", err)
			}
			return nil, err
		}
		if url == "" {
			return nil, errors.New("the URL is empty: give one like http://localhost:8080/path")
		}
		whole, ok := cli.AsURL(url)
		if !ok {
			return nil, fmt.Errorf("the URL of a service begins with http:// or https://, unlike %s", url)
		}
		url = whole
	}
	if l.targets == "" {
		t := message.Target{URL: url, Header: fields, Body: body}
		if cli.IsSet(l.fs, "m") {
			t.Method = l.options.Method
		}
		return []message.Target{t}, nil
	}
	switch {
	case url != "":
		return nil, fmt.Errorf("-targets gives the URLs: leave out %s", recording.Redacted(url))
	case cli.IsSet(l.fs, "m") || l.body != "":
		return nil, fmt.Errorf("-targets gives methods and bodies: leave out -m and -body")
	}
	return l.readTargets(e, fields)
}

// readTargets reads a file of targets; the headers of -H are added to each that
// has none of that name.
func (l *loadFlags) readTargets(e *cli.Env, fields []message.Field) ([]message.Target, error) {
	name, in := l.targets, e.Stdin
	if name == "-" {
		name = "stdin"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("-targets: %w", err)
		}
		defer f.Close()
		in = f
	}
	listed, warnings, err := target.ReadAll(in, target.Options{Name: name, File: bodyFiles(l.targets)})
	if err != nil {
		return nil, err
	}
	l.warnings = warnings
	var out []message.Target
	for _, t := range listed {
		m := message.Target{Method: t.Method, URL: t.URL, Body: t.Body, Weight: t.Weight, Literal: t.Recorded, From: fmt.Sprintf("%s:%d", name, t.Line)}
		for _, f := range t.Header {
			m.Header = append(m.Header, message.Field(f))
		}
		for _, f := range fields {
			if !slices.ContainsFunc(t.Header, func(have target.Field) bool { return strings.EqualFold(have.Name, f.Name) }) {
				m.Header = append(m.Header, f)
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// loop decides what is sent when.
func (l *loadFlags) loop(o *load.Options) error {
	var err error
	if cli.IsSet(l.fs, "n") {
		if o.Requests < 1 {
			return fmt.Errorf("-n %d: give at least 1", o.Requests)
		}
		if !cli.IsSet(l.fs, "d") {
			o.Duration = longestLoad
		}
		if !cli.IsSet(l.fs, "warmup") {
			o.Warmup = 0
		}
		// A warm-up has requests of its own.
		if o.Warmup == 0 && o.Requests < int64(o.Concurrency) {
			if cli.IsSet(l.fs, "c") {
				l.warnings = append(l.warnings, fmt.Sprintf("-c %d: more connections than requests (-n %d)", o.Concurrency, o.Requests))
			}
			o.Concurrency = int(o.Requests)
		}
	}
	switch {
	case l.rate != "":
		over := l.options.Duration // a ramp with -n alone goes over what -d is by default
		if o.Schedule, err = schedule.Parse(l.rate, over); err != nil {
			return fmt.Errorf("-rate: %w", err)
		}
		if over != o.Duration && o.Schedule.Span() > 0 {
			l.rate = o.Schedule.String() // which includes the period: readers know only that of the load
		}
		if l.poisson {
			o.Schedule = o.Schedule.Poisson(o.Seed)
		}
	case l.poisson && !l.knee:
		return fmt.Errorf("-poisson needs an open loop: give -rate too")
	}
	if l.think != "" {
		if o.Think, err = message.ParseThink(l.think); err != nil {
			return fmt.Errorf("-think: %w", err)
		}
	}
	return nil
}

// connection decides what is spoken.
func (l *loadFlags) connection(o *load.Options) error {
	switch {
	case l.http2 && l.h2c:
		return fmt.Errorf("choose -http2 (over TLS) or -h2c (without TLS)")
	case l.http2:
		o.Protocol = engine.HTTP2
	case l.h2c:
		o.Protocol = engine.H2C
	}
	if cli.IsSet(l.fs, "streams") && o.Streams < 1 {
		return fmt.Errorf("-streams %d: give at least 1", o.Streams)
	}
	o.KeepAlive, o.Resume = !l.close, !l.noResumption
	var err error
	if o.MinTLS, err = tlsVersion("-tls-min", l.tlsMin); err != nil {
		return err
	}
	o.MaxTLS, err = tlsVersion("-tls-max", l.tlsMax)
	return err
}

func tlsVersion(name, text string) (uint16, error) {
	v, ok := map[string]uint16{"": 0, "1.0": tls.VersionTLS10, "1.1": tls.VersionTLS11, "1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}[text]
	if !ok {
		return 0, fmt.Errorf("%s %q: want 1.0, 1.1, 1.2 or 1.3", name, text)
	}
	return v, nil
}

// parseExpect reads what answers have to be. Several statuses are alternatives,
// all else has to hold together.
func parseExpect(texts []string) (*engine.Check, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	c := new(engine.Check)
	for _, text := range texts {
		what, value, ok := strings.Cut(text, "=")
		kind, name, named := strings.Cut(strings.TrimSpace(what), ":")
		value = strings.TrimSpace(value)
		bad := func(example string) error { return fmt.Errorf("-expect %q: write it like %s", text, example) }
		switch {
		case kind == "status" && ok && !named:
			for part := range strings.SplitSeq(value, ",") {
				r, err := parseRange(statusClass(strings.TrimSpace(part)))
				if err != nil || r.First < 100 || r.Last > 999 {
					return nil, bad("status=200, status=200-299 or status=2xx,304")
				}
				c.Status = append(c.Status, r)
			}
		case kind == "header" && ok && named && name != "":
			c.Header = append(c.Header, engine.Field{Name: strings.TrimSpace(name), Value: value})
		case kind == "size" && ok && !named:
			r, err := parseRange(value)
			if err != nil || c.Bytes != nil {
				return nil, bad("size=1024 or size=1-65536, once")
			}
			c.Bytes = &r
		case kind == "sha256" && ok && !named:
			if len(value) != 64 || strings.Trim(strings.ToLower(value), "0123456789abcdef") != "" || c.SHA256 != "" {
				return nil, bad("sha256= and the 64 digits printed by sha256sum, once")
			}
			c.SHA256 = strings.ToLower(value)
		case kind == "json" && ok && named && name != "":
			c.JSON = append(c.JSON, engine.Field{Name: strings.TrimSpace(name), Value: value})
		default:
			return nil, bad("status=200, header:Content-Type=text/plain, size=12, sha256=HEX or json:user.id=5")
		}
	}
	return c, nil
}

// statusClass writes 2xx as 200-299.
func statusClass(s string) string {
	if len(s) == 3 && strings.EqualFold(s[1:], "xx") {
		return s[:1] + "00-" + s[:1] + "99"
	}
	return s
}

func parseRange(s string) (engine.Range, error) {
	from, to, ranged := strings.Cut(s, "-")
	if !ranged {
		to = from
	}
	first, err := strconv.ParseInt(strings.TrimSpace(from), 10, 64)
	last, err2 := strconv.ParseInt(strings.TrimSpace(to), 10, 64)
	if err != nil || err2 != nil || first < 0 || last < first {
		return engine.Range{}, fmt.Errorf("%q is neither a number nor a range", s)
	}
	return engine.Range{First: first, Last: last}, nil
}
