package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"whet/internal/capture/process"
)

// Run is a generator process against one target, from start to exit.
type Run struct {
	WallNs      int64 `json:"wall_ns"`
	CPUNs       int64 `json:"cpu_ns"`        // of the generator, all it used
	TargetCPUNs int64 `json:"target_cpu_ns"` // of the target meanwhile
	// Requests are those that the generator counts, and PerSecond is what it says.
	Requests  int64   `json:"requests"`
	PerSecond float64 `json:"per_second"`
	Failed    int64   `json:"failed"`
	P50Ns     int64   `json:"p50_ns"` // of service time
	P99Ns     int64   `json:"p99_ns"`
	Engine    string  `json:"engine,omitempty"` // of whet
	// Invalid: whet says that the generator was the bottleneck.
	Invalid bool `json:"invalid,omitempty"`
}

func (r Run) cpuPerRequest() float64 { return float64(r.CPUNs) / float64(r.Requests) }

// share returns how much of its processor somebody used.
func (r Run) share(cpuNs int64) float64 { return float64(cpuNs) / float64(r.WallNs) }

// drive runs a generator beside a target and notes what both used. Exit status
// accepted is no failure either.
func (b *bench) drive(ctx context.Context, t *target, accepted int, path string, args ...string) (Run, []byte, error) {
	fail := func(err error) (Run, []byte, error) {
		return Run{}, nil, fmt.Errorf("%s %s: %w", filepath.Base(path), strings.Join(args, " "), err)
	}
	var out, errs bytes.Buffer
	before, err := t.cpu()
	if err != nil {
		return fail(err)
	}
	res, err := process.Run(ctx, process.Command{
		Path: path, Args: args, Processors: b.generator, Stdout: &out, Stderr: &errs, Started: b.started,
		Timeout: 3*b.length + 2*time.Minute,
	})
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return fail(err)
	}
	after, err := t.cpu()
	if err != nil {
		return fail(err)
	}
	if !res.OK() && !(res.Ending == process.Exited && res.Signal == "" && res.ExitCode == accepted) {
		return fail(fmt.Errorf("%s: %s", res.Status(), bytes.TrimSpace(errs.Bytes())))
	}
	return Run{
		WallNs: int64(res.End.Sub(res.Start)), CPUNs: int64(res.UserCPU + res.SystemCPU), TargetCPUNs: int64(after - before),
	}, out.Bytes(), nil
}

func (b *bench) seconds() string {
	return strconv.Itoa(int(math.Ceil(b.length.Seconds()))) + "s"
}

// wrk drives by wrk with one thread.
func (b *bench) wrk(ctx context.Context, t *target, connections int) (Run, error) {
	r, out, err := b.drive(ctx, t, 0, "wrk", "-t1", "-c", strconv.Itoa(connections), "-d", b.seconds(), "--timeout", "10s", "--latency", t.url)
	if err == nil {
		err = readWrk(&r, string(out))
	}
	return r, err
}

var (
	wrkRequests = regexp.MustCompile(`(?m)^\s*(\d+) requests in `)
	wrkRate     = regexp.MustCompile(`(?m)^Requests/sec:\s*([\d.]+)`)
	wrkQuantile = regexp.MustCompile(`(?m)^\s*(50|99)%\s+([\d.]+)(us|ms|s|m|h)\s*$`)
	wrkSockets  = regexp.MustCompile(`(?m)^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
	wrkStatus   = regexp.MustCompile(`(?m)^\s*Non-2xx or 3xx responses: (\d+)`)
)

// readWrk reads what wrk prints. It rounds times down to whole microseconds.
func readWrk(r *Run, text string) error {
	var err error
	if r.Requests, err = whole(wrkRequests, text); err != nil {
		return fmt.Errorf("read what wrk printed: %w", err)
	}
	if r.PerSecond, err = decimal(wrkRate, text); err != nil {
		return fmt.Errorf("read what wrk printed: %w", err)
	}
	for _, m := range wrkQuantile.FindAllStringSubmatch(text, -1) {
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return fmt.Errorf("read what wrk printed: %w", err)
		}
		unit := map[string]float64{"us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9}[m[3]]
		if m[1] == "50" {
			r.P50Ns = int64(math.Round(v * unit))
		} else {
			r.P99Ns = int64(math.Round(v * unit))
		}
	}
	if r.P50Ns == 0 {
		return fmt.Errorf("read what wrk printed: no median")
	}
	if m := wrkSockets.FindStringSubmatch(text); m != nil {
		for _, digits := range m[1:] {
			n, _ := strconv.ParseInt(digits, 10, 64)
			r.Failed += n
		}
	}
	if m := wrkStatus.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		r.Failed += n
	}
	return nil
}

// hey drives by hey on one processor.
func (b *bench) hey(ctx context.Context, t *target, connections int) (Run, error) {
	r, out, err := b.drive(ctx, t, 0, "hey", "-cpus", "1", "-c", strconv.Itoa(connections), "-z", b.seconds(), t.url)
	if err == nil {
		err = readHey(&r, string(out))
	}
	return r, err
}

var (
	heyRate     = regexp.MustCompile(`(?m)^\s*Requests/sec:\s*([\d.]+)`)
	heyStatus   = regexp.MustCompile(`(?m)^\s*\[(\d{3})\]\s+(\d+) responses`)
	heyError    = regexp.MustCompile(`(?m)^\s*\[(\d+)\]\s+(?:Get|Post|context)`)
	heyQuantile = regexp.MustCompile(`(?m)^\s*(50|99)%+ in ([\d.]+) secs`)
)

// readHey reads what hey prints. It rounds times to tenths of a millisecond.
func readHey(r *Run, text string) error {
	var err error
	if r.PerSecond, err = decimal(heyRate, text); err != nil {
		return fmt.Errorf("read what hey printed: %w", err)
	}
	for _, m := range heyStatus.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseInt(m[2], 10, 64)
		r.Requests += n
		if m[1] != "200" {
			r.Failed += n
		}
	}
	for _, m := range heyError.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		r.Failed += n
	}
	for _, m := range heyQuantile.FindAllStringSubmatch(text, -1) {
		v, _ := strconv.ParseFloat(m[2], 64)
		if m[1] == "50" {
			r.P50Ns = int64(math.Round(v * 1e9))
		} else {
			r.P99Ns = int64(math.Round(v * 1e9))
		}
	}
	if r.Requests == 0 {
		return fmt.Errorf("read what hey printed: no answer is counted")
	}
	return nil
}

// h2load drives HTTP/2 without TLS by h2load with one thread. It prints no quantiles.
func (b *bench) h2load(ctx context.Context, t *target, connections, streams int) (Run, error) {
	r, out, err := b.drive(ctx, t, 0, "h2load", "-t", "1", "-c", strconv.Itoa(connections), "-m", strconv.Itoa(streams), "-D", strings.TrimSuffix(b.seconds(), "s"), t.url)
	if err == nil {
		err = readH2load(&r, string(out))
	}
	return r, err
}

var (
	h2loadRate     = regexp.MustCompile(`(?m)^finished in .*, ([\d.]+) req/s`)
	h2loadRequests = regexp.MustCompile(`(?m)^requests: .* (\d+) succeeded, (\d+) failed`)
)

// readH2load reads what h2load prints.
func readH2load(r *Run, text string) error {
	var err error
	if r.PerSecond, err = decimal(h2loadRate, text); err != nil {
		return fmt.Errorf("read what h2load printed: %w", err)
	}
	m := h2loadRequests.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("read what h2load printed: no line of requests in it: %q", text)
	}
	r.Requests, _ = strconv.ParseInt(m[1], 10, 64)
	r.Failed, _ = strconv.ParseInt(m[2], 10, 64)
	return nil
}

func whole(what *regexp.Regexp, text string) (int64, error) {
	m := what.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%s is not in it: %q", what, text)
	}
	return strconv.ParseInt(m[1], 10, 64)
}

func decimal(what *regexp.Regexp, text string) (float64, error) {
	m := what.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%s is not in it: %q", what, text)
	}
	return strconv.ParseFloat(m[1], 64)
}

// said is what of whet's JSON is needed here.
type said struct {
	Requests    int64            `json:"requests"`
	PerSecond   float64          `json:"throughput_per_s"`
	Errors      map[string]int64 `json:"errors"`
	ServiceTime struct {
		P50 int64 `json:"p50"`
		P99 int64 `json:"p99"`
	} `json:"service_time_ns"`
	Generator struct {
		Valid  *bool  `json:"valid"`
		Engine string `json:"engine"`
	} `json:"generator"`
	Lateness struct {
		P50  int64 `json:"p50"`
		P99  int64 `json:"p99"`
		P999 int64 `json:"p999"`
		Max  int64 `json:"max"`
	} `json:"lateness_ns"`
	Seconds []second `json:"seconds"`
	Made    int64    `json:"connections_made"`
	// Mallocs are those of the generator between two moments of its run, and
	// MallocsOver the requests that ended between them. Only this program says
	// them, of package load.
	Mallocs     uint64 `json:"mallocs"`
	MallocsOver int64  `json:"mallocs_over"`
}

// second is a second's plan, and what of it was sent in it.
type second struct {
	Due    int64 `json:"due"`
	InTime int64 `json:"in_time"`
}

// exitInvalid is whet's exit status where the measurement is not valid.
const exitInvalid = 3

// command is whet, as its users run it, or this program where it drives by
// package load.
func (b *bench) command(viaLoad bool, args []string) (string, []string, error) {
	if !viaLoad {
		return b.whet, append([]string{"load", "-json"}, args...), nil
	}
	self, err := os.Executable()
	return self, append([]string{"-generate"}, args...), err
}

// ours drives by whet.
func (b *bench) ours(ctx context.Context, t *target, connections int, args ...string) (Run, *said, error) {
	return b.whetLoad(ctx, t, b.viaLoad, connections, args...)
}

func (b *bench) whetLoad(ctx context.Context, t *target, viaLoad bool, connections int, args ...string) (Run, *said, error) {
	args = append([]string{"-c", strconv.Itoa(connections), "-d", b.seconds(), "-warmup", "0s", "-insecure"}, args...)
	path, args, err := b.command(viaLoad, append(args, t.url))
	if err != nil {
		return Run{}, nil, err
	}
	r, out, err := b.drive(ctx, t, exitInvalid, path, args...)
	if err != nil {
		return r, nil, err
	}
	s := new(said)
	if err := json.Unmarshal(out, s); err != nil {
		return r, nil, fmt.Errorf("read what whet load printed: %w", err)
	}
	r.Requests, r.PerSecond, r.P50Ns, r.P99Ns = s.Requests, s.PerSecond, s.ServiceTime.P50, s.ServiceTime.P99
	for _, n := range s.Errors {
		r.Failed += n
	}
	r.Engine = s.Generator.Engine
	r.Invalid = s.Generator.Valid != nil && !*s.Generator.Valid
	if r.Requests == 0 {
		return r, s, fmt.Errorf("whet load made no request: %s", out)
	}
	return r, s, nil
}

// hasVerb reports whether the built whet can drive a load.
func (b *bench) hasVerb(ctx context.Context) bool {
	out, err := exec.CommandContext(ctx, b.whet, "help").CombinedOutput()
	return err == nil && regexp.MustCompile(`(?m)^\s*(whet )?load\b`).Match(out)
}
