package load

import (
	"context"
	"math"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"whet/internal/hist"
	"whet/internal/load/engine"
	"whet/internal/load/portable"
	"whet/internal/loadresult"
)

// judged returns a result with its warnings.
func judged(r *loadresult.Result, check *selfCheck) *loadresult.Result {
	return judgedWith(r, check, new(engine.Report))
}

func judgedWith(r *loadresult.Result, check *selfCheck, report *engine.Report) *loadresult.Result {
	if check == nil {
		check = new(selfCheck)
	}
	w := &warner{res: r, options: new(Options), report: report, check: check, job: &engine.Job{Connections: 8}}
	w.warn()
	return r
}

// open returns an open loop's result, of 1,000 requests with a response time and a
// lateness each, of which so many were late.
func open(response, lateness time.Duration, late int) *loadresult.Result {
	r := &loadresult.Result{Open: true, Requests: 1000, LateSends: int64(late)}
	for i := range 1000 {
		r.Response.Record(int64(response))
		if i < late {
			r.Lateness.Record(int64(lateness))
		} else {
			r.Lateness.Record(0)
		}
	}
	return r
}

func TestInvalid(t *testing.T) {
	closed := func(share float64) *loadresult.Result {
		return &loadresult.Result{Requests: 1000, Generator: loadresult.Generator{Share: share, Processors: 2}}
	}
	still := func(d time.Duration) *loadresult.Result {
		r := closed(0.1)
		r.End, r.Generator.Still = r.Start.Add(10*time.Second), d
		return r
	}
	failed := func(kind string, n int64) *loadresult.Result {
		return &loadresult.Result{Requests: 1000, Errors: map[string]int64{kind: n}}
	}
	for _, c := range []struct {
		name string
		r    *loadresult.Result
		want string // "": valid
	}{
		{"half used", closed(0.5), ""},
		{"just not all used", closed(0.9), ""},
		{"all used", closed(0.97), "the generator was the bottleneck: it used 97.0 % of its 2 processors"},
		{"unknown", closed(-1), ""},
		{"an open loop that is busy and in time", func() *loadresult.Result { r := open(time.Millisecond, 0, 0); r.Generator.Share = 0.99; return r }(), ""},
		{"an open loop that is busy, and whose requests wait for it to take up answers", func() *loadresult.Result {
			r := open(time.Millisecond, 0, 0)
			r.Generator.Share, r.Generator.Processors, r.Waited = 0.99, 1, 900
			return r
		}(), "the generator was the bottleneck: it used 99.0 % of its 1 processor"},
		{"late, and half of the response time", open(40*time.Millisecond, 20*time.Millisecond, 20), "the generator was the bottleneck: it sent 2.0 % of the requests more than 1.00 ms"},
		{"late, and little of the response time", open(400*time.Millisecond, 20*time.Millisecond, 20), ""},
		{"late once", open(40*time.Millisecond, 20*time.Millisecond, 1), ""},
		{"late, and nothing was answered", func() *loadresult.Result {
			r := open(40*time.Millisecond, 20*time.Millisecond, 20)
			r.Response = hist.Histogram{}
			return r
		}(), ""},
		{"stood still for more than a tenth", still(1001 * time.Millisecond), "the generator did not run for 1.00 s"},
		{"stood still for a tenth", still(time.Second), ""},
		{"no ports", failed(loadresult.NoPorts, 10), "the generator ran out of file descriptors or ports: 1.0 % of the requests"},
		{"hardly any without ports", failed(loadresult.NoPorts, 9), ""},
		{"no files", failed(loadresult.NoFiles, 500), "the generator ran out of file descriptors or ports: 50.0 % of the requests"},
		{"refused", failed(loadresult.Refused, 1000), ""},
	} {
		r := judged(c.r, nil)
		if (c.want == "") != (r.Invalid == "") || !strings.HasPrefix(r.Invalid, c.want) || c.want != "" && (len(r.Warnings) == 0 || r.Warnings[0] != r.Invalid) {
			t.Errorf("%s: %q, %q", c.name, r.Invalid, r.Warnings)
		}
	}
}

// A look at the clock that comes 999 ms late is nothing, and 1.2 and 1 s are 2.2 s of
// standing still.
func TestStill(t *testing.T) {
	c := newSelfCheck(nil, 1)
	now := time.Unix(0, 0)
	c.at = now
	for _, late := range []time.Duration{-200, 999, 1200, 1000, 0} {
		now = now.Add((200 + late) * time.Millisecond)
		c.look(now, 200*time.Millisecond)
	}
	if g := c.finish("", 0); g.Still != 2200*time.Millisecond {
		t.Errorf("stood still for %v", g.Still)
	}
	r := &loadresult.Result{End: time.Time{}.Add(time.Minute), Generator: loadresult.Generator{Share: -1, Still: 2200 * time.Millisecond}}
	if got := strings.Join(judged(r, nil).Warnings, "\n"); r.Invalid != "" || !strings.HasPrefix(got, "the generator did not run for 2.20 s") {
		t.Errorf("%q, %q", r.Invalid, got)
	}
}

// A busy engine that finds most requests with the service is not waited for.
func TestKeptUp(t *testing.T) {
	r := &loadresult.Result{Requests: 1000, Generator: loadresult.Generator{Share: 0.97, Processors: 1}}
	if judgedWith(r, nil, &engine.Report{KeptUp: true}); r.Invalid != "" {
		t.Error(r.Invalid)
	}
}

func TestSharing(t *testing.T) {
	set := func(list ...int) (p processors) {
		for _, n := range list {
			p.add(n)
		}
		return p
	}
	for _, c := range []struct {
		name   string
		check  selfCheck
		shared int
		want   string
	}{
		{"apart", selfCheck{target: target{known: true, here: true, ours: set(0), theirs: set(1)}}, 0, ""},
		{"elsewhere", selfCheck{target: target{known: true}}, 0, ""},
		{"unknown", selfCheck{}, -1, ""},
		{"one core", selfCheck{target: target{known: true, here: true, ours: set(3), theirs: set(3)}}, 1, "generator and target share one processor"},
		{"both, with room", selfCheck{target: target{known: true, here: true, ours: set(0, 1), theirs: set(0, 1)}}, 2, ""},
		{"both, used up", selfCheck{scarce: true, target: target{known: true, here: true, ours: set(0, 1), theirs: set(0, 1)}}, 2, "generator and target shared and saturated 2 processors"},
		{"elsewhere, and a busy machine here", selfCheck{others: 0.4, target: target{known: true, ours: set(0, 1)}}, 0, "other programs took 40.0 % of the generator's processors"},
		{"this process", selfCheck{target: target{known: true, here: true, own: true, ours: set(0), theirs: set(0)}}, 1, ""},
	} {
		r := judged(&loadresult.Result{Requests: 1, Generator: loadresult.Generator{Share: -1, Shared: c.shared}}, &c.check)
		if got := strings.Join(r.Warnings, "\n"); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" || r.Invalid != "" {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// Late sends are the generator's doing only where it had the processors, and each fact
// appears once: in the reason for which a result is not valid, or in one warning.
func TestWhoseLateness(t *testing.T) {
	var both processors
	both.add(0)
	both.add(1)
	shared := target{known: true, here: true, ours: both, theirs: both}
	for _, c := range []struct {
		name  string
		check selfCheck
		share float64
		still time.Duration // of 10 s
		want  string        // how the reason begins where the response times are little more than lateness
		warns string        // how the only warning begins where they are much more
	}{
		{"nobody else", selfCheck{}, 0.1, 0, "the generator was the bottleneck: it sent 20.0 %", "the generator could not keep up: it sent 20.0 %"},
		{"other programs", selfCheck{others: 0.96, target: shared}, 0.1, 0, "the machine was too busy to send in time: other programs took 96.0 %", "the machine was busy: other programs took 96.0 %"},
		{"the target", selfCheck{scarce: true, target: shared}, 0.1, 0, "the machine was too busy to send in time: generator and target shared and saturated 2 processors", "the machine was busy: generator and target shared and saturated 2 processors"},
		{"who is unknown", selfCheck{queued: 2 * time.Second, crowd: 0.2}, -1, 0, "the machine was too busy to send in time: the generator's threads waited 2.00 s in all for processors", "the machine was busy: the generator's threads waited"},
		{"hardly any waits", selfCheck{queued: time.Second / 2, crowd: 0.05}, 0.1, 0, "the generator was the bottleneck", "the generator could not keep up"},
		{"busy itself", selfCheck{queued: 2 * time.Second, crowd: 0.2}, 0.8, 0, "the generator was the bottleneck", "the generator could not keep up"},
		{"it stood still", selfCheck{others: 0.96, target: shared}, 0.1, 1001 * time.Millisecond, "the generator did not run for 1.00 s", "the generator did not run for 1.00 s"},
	} {
		for _, response := range []time.Duration{30 * time.Millisecond, 30 * time.Second} {
			r := open(response, 20*time.Millisecond, 200)
			r.End = r.Start.Add(10 * time.Second)
			r.Generator.Share, r.Generator.Processors, r.Generator.Shared, r.Generator.Still = c.share, 2, 2, c.still
			check := c.check
			judged(r, &check)
			want := c.want
			if invalid := response < time.Second || c.still > 0; invalid != (r.Invalid != "") {
				t.Errorf("%s: response times of %v: not valid: %q", c.name, response, r.Invalid)
			} else if !invalid {
				want = c.warns
			}
			most := 1
			if c.still > 0 {
				most = 2 // that others had the processors, too
			}
			if len(r.Warnings) == 0 || len(r.Warnings) > most || !strings.HasPrefix(r.Warnings[0], want) {
				t.Errorf("%s: %q, want one that begins with %q", c.name, r.Warnings, want)
			}
		}
	}
}

// Two pauses between 1 and 2 ms and one between 4 and 8 are 2·1.5 + 6 ms, the
// longest at most 8.
func TestPauses(t *testing.T) {
	buckets := []float64{math.Inf(-1), 0.001, 0.002, 0.004, 0.008, math.Inf(1)}
	before := &metrics.Float64Histogram{Buckets: buckets, Counts: []uint64{5, 1, 0, 7, 0}}
	after := &metrics.Float64Histogram{Buckets: buckets, Counts: []uint64{5, 3, 0, 8, 0}}
	if n, sum, longest := pausesSince(before, after); n != 3 || sum != 9*time.Millisecond || longest != 8*time.Millisecond {
		t.Errorf("%d pauses, %v, at most %v", n, sum, longest)
	}
	after.Counts[4] = 1 // and one longer than any bucket
	if n, _, longest := pausesSince(before, after); n != 4 || longest != 8*time.Millisecond {
		t.Errorf("%d pauses, at most %v", n, longest)
	}
	if n, _, _ := pausesSince(nil, after); n != 0 {
		t.Errorf("%d pauses of none", n)
	}
	r := &loadresult.Result{Start: time.Unix(0, 0), End: time.Unix(1, 0), Generator: loadresult.Generator{Share: -1, Pauses: 3, PauseTime: 60 * time.Millisecond}}
	if got := strings.Join(judged(r, nil).Warnings, "\n"); !strings.HasPrefix(got, "the generator stopped 3 times for garbage collection, 60.0 ms in all") {
		t.Error(got)
	}
}

// What a load uses in a few milliseconds is mostly what its beginning takes.
func TestShortLoad(t *testing.T) {
	c := newSelfCheck(nil, 1)
	c.begin(0)
	if g := c.finish("", int64(leastBusy)-1); g.Share >= 0 || g.CPU < 0 {
		t.Errorf("share %v, CPU %v of a short load", g.Share, g.CPU)
	}
	if g := c.finish("", int64(leastBusy)); g.CPU >= 0 && g.Share < 0 {
		t.Errorf("share %v of a load that is long enough", g.Share)
	}
}

// A connection with many streams may use every processor.
func TestProcessorsOfStreams(t *testing.T) {
	o := Options{Concurrency: 1, Streams: 1000}
	if n := o.processors(portable.Engine{}); n != min(runtime.GOMAXPROCS(0), 1000) {
		t.Errorf("%d processors", n)
	}
}

// An open loop of 1,000/s that is interrupted after 2 s should have sent 2,000.
func TestBacklog(t *testing.T) {
	for sent, want := range map[int64]string{1990: "", 1500: "about 490 due requests were still waiting"} {
		r := &loadresult.Result{Open: true, Interrupted: true, Rate: 1000, Requests: sent, InFlight: 10, Start: time.Unix(0, 0), End: time.Unix(2, 0)}
		got := strings.Join(judged(r, nil).Warnings, "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%d sent: %q", sent, got)
		}
	}
}

func TestOtherWarnings(t *testing.T) {
	waited := open(time.Millisecond, 0, 0)
	waited.Waited = 60
	unsent := open(time.Millisecond, 0, 0)
	unsent.Waited, unsent.Unsent, unsent.Errors = 50, 10, map[string]int64{loadresult.TimedOut: 10}
	if got := strings.Join(judged(unsent, nil).Warnings, "\n"); strings.Contains(got, "service times") || !strings.Contains(got, "6.0 % of requests waited") {
		t.Errorf("%q: what was never sent has no service time", got)
	}
	for want, r := range map[string]*loadresult.Result{
		"1.0 % of the requests were never sent":                       unsent,
		"6.0 % of requests waited for a free connection (all 8 busy)": waited,
		"3 requests failed because file descriptors ran out":          {Requests: 1000, Errors: map[string]int64{loadresult.NoFiles: 3}},
		"5.0 % of the requests failed, most with status 5xx: 503":     {Requests: 1000, Errors: map[string]int64{"status 5xx": 30, "status 4xx": 20}, Examples: map[string]string{"status 5xx": "503"}},
		"3 requests failed because local ports ran out":               {Requests: 1000, Errors: map[string]int64{loadresult.NoPorts: 3}},
	} {
		if got := strings.Join(judged(r, nil).Warnings, "\n"); !strings.Contains(got, want) {
			t.Errorf("%q, want %s", got, want)
		}
	}
}

// An engine that cannot do the load at all leaves a result that is not valid.
func TestEngineFails(t *testing.T) {
	o := options("http://127.0.0.1:1")
	p, err := o.prepare()
	if err != nil {
		t.Fatal(err)
	}
	j := o.job(p, p.dial)
	r := &Running{recorder: j.Recorder, started: make(chan struct{}), done: make(chan struct{})}
	r.drive(t.Context(), &o, p, failing{}, j, newSelfCheck(p.dial, 1))
	<-r.started
	if r.err == nil || r.result.Invalid != "no engine today" || len(r.result.Warnings) != 1 || !r.result.Interrupted {
		t.Errorf("%v, %+v", r.err, r.result.Invalid)
	}
}

type failing struct{}

func (failing) Name() string { return "failing" }

func (failing) Drive(context.Context, *engine.Job) (engine.Report, error) {
	return engine.Report{}, errFailing
}

type constant string

func (c constant) Error() string { return string(c) }

const errFailing = constant("no engine today")
