package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"whet/casebook/avatar/constant"
	"whet/casebook/ingest/ingesttest"
	"whet/internal/analyze/compare"
)

// services measures a case whose stages answer over loopback (drive.go). A stage
// that takes bodies in is named with their size, as "best, 20 MB".
type services struct {
	name    string
	program string
	workload

	// server and generator have a processor each, none where there are no two.
	server, other []int
	siblings      bool // the two are one core's

	span  time.Duration         // of a slice
	sizes map[string][2]float64 // bytes and number of the answers of each stage

	// What the generator said of itself.
	engine    string
	runs      int
	slowed    saying // by it, in its own view
	disturbed saying // by something else
}

// workload is what a case is driven with.
type workload struct {
	urls          func(address *url.URL) []string
	connections   int
	warmUp, least time.Duration // of the span
}

var (
	// pictures are asked for by as many connections as were published; threads are
	// the generator's own affair. The warm-up fills caches.
	pictures = workload{urls: pictureURLs, connections: 400, warmUp: 400 * time.Millisecond, least: 300 * time.Millisecond}
	// bodies are sent two at a time: what a server keeps between requests shows,
	// and so does what two of them need at once.
	bodies = workload{urls: oneURL, connections: 2, least: 500 * time.Millisecond}
	// bodySizes are those that a stage may be named with.
	bodySizes = map[string]int{"100 KB": ingesttest.Size100KB, "20 MB": ingesttest.Size20MB}
)

const (
	longestSpan = 2 * time.Second
	mostSpan    = 4 * longestSpan
	// standing is what a server takes to stand, and to end.
	standing = 150 * time.Millisecond
	// constantStage answers one picture to all: it stands beside the stages, as
	// the ceiling of the generator, the loopback and net/http together.
	constantStage = "constant"
	// alike is how much the sizes of the constant's and of best's answers may
	// differ.
	alike = 0.05
)

func newServices(g *group, program string) *services {
	l := &services{name: g.name, program: program, workload: pictures, sizes: make(map[string][2]float64)}
	if g.kind == uploads {
		l.workload = bodies
	}
	l.span = l.least
	l.server, l.other, l.siblings = twoProcessors()
	return l
}

func (l *services) warnings() []string {
	var said []string
	with := fmt.Sprintf("%d connections in a closed loop", l.connections)
	if l.engine != "" {
		with += " over " + l.engine
	}
	switch {
	case l.server == nil:
		said = append(said, with+"; server and generator share their processors: this system does not pin, or there is one processor; the ratios hold what the two take from each other")
	case l.siblings:
		said = append(said, with+fmt.Sprintf("; server and generator are pinned to processors %v and %v, which share a core: each slows the other down", l.server, l.other))
	default:
		said = append(said, with+fmt.Sprintf("; the server is pinned to processor %d, the generator to processor %d", l.server[0], l.other[0]))
	}
	if s := l.slowed; s.times > 0 {
		said = append(said, fmt.Sprintf("the generator was the bottleneck in %d of %d runs, first in one of %s", s.times, l.runs, s.first))
	}
	if s := l.disturbed; s.times > 0 {
		said = append(said, fmt.Sprintf("the generator warned in %d of %d runs, first in one of %s", s.times, l.runs, s.first))
	}
	constant, one := l.size(constantStage)
	best, other := l.size("best")
	if !one || !other {
		return said
	}
	said[0] += "; what the constant answer reaches is the ceiling of the generator, the loopback and net/http together"
	if d := constant/best - 1; d > alike || d < -alike {
		said = append(said, fmt.Sprintf("the constant answer has %.0f bytes and those of best %.0f on average: what best is of what the constant reaches holds that too", constant, best))
	}
	return said
}

// size is the mean size of a stage's answers.
func (l *services) size(stage string) (mean float64, ok bool) {
	s := l.sizes[stage]
	return s[0] / s[1], s[1] > 0
}

func (l *services) takes(target) time.Duration { return l.span + l.warmUp + standing }

// ready chooses the span of a slice.
func (l *services) ready(_ context.Context, g *group, within time.Duration) (map[target]compare.Slice, error) {
	l.span = sliceOf(within, len(g.targets()), l.warmUp+standing, l.least, longestSpan)
	return nil, nil
}

// slice drives a stage for the span. Where a busy machine lets it answer nothing
// in that time it gets longer.
func (l *services) slice(ctx context.Context, r target) (compare.Slice, error) {
	span := l.span
	got, peak, err := l.drive(ctx, r.stage, l.warmUp, span)
	for errors.Is(err, errNone) && span < mostSpan {
		span *= 2
		got, peak, err = l.drive(ctx, r.stage, l.warmUp, span)
	}
	if err != nil {
		return nil, err
	}
	before := l.sizes[r.stage]
	l.sizes[r.stage] = [2]float64{before[0] + float64(got.Bytes), before[1] + float64(got.Completed)}
	s := l.shown(r.stage, &got)
	if peak > 0 {
		s[peakBytes] = float64(peak)
	}
	return s, nil
}

// shown is what a run showed, with what the generator said of itself, which is
// kept too.
func (l *services) shown(stage string, got *driven) compare.Slice {
	s := compare.Slice{perSecond: got.PerSecond, bottleneck: 0}
	l.engine = got.Engine
	l.runs++
	if got.Share >= 0 {
		s[generatorShare] = got.Share
	}
	if got.Bottleneck != "" {
		s[bottleneck] = 1
		l.slowed.add(stage, got.Bottleneck)
	}
	if len(got.Warnings) > 0 {
		l.disturbed.add(stage, got.Warnings[0])
	}
	return s
}

// saying is something that was said of several runs, in other words each time.
type saying struct {
	times int
	first string
}

func (s *saying) add(stage, text string) {
	if s.times++; s.times == 1 {
		s.first = stage + ": " + text
	}
}

var errNone = errors.New("no answer")

// drive starts a server and the generator, and ends both. The peak is the
// server's memory, 0 where the system does not tell.
func (l *services) drive(ctx context.Context, named string, warmUp, span time.Duration) (got driven, peak int64, err error) {
	stage, text, sized := strings.Cut(named, ", ")
	body := bodySizes[text]
	if sized && body == 0 {
		return got, 0, fmt.Errorf("%q names no size of bodies", named)
	}
	s, err := startServer(ctx, l.program, l.name, stage, l.server)
	if err != nil {
		return got, 0, fmt.Errorf("start stage %s: %w", stage, err)
	}
	defer func() {
		if e := s.stop(); e != nil {
			err = errors.Join(err, fmt.Errorf("stop stage %s: %w", stage, e))
		}
	}()
	orders := drive{
		URLs: l.urls(s.address), Body: body, Connections: l.connections, Warmup: warmUp, Duration: span,
	}
	if got, err = orders.apart(ctx, l.other); err != nil {
		return got, 0, fmt.Errorf("drive stage %s: %w", named, err)
	}
	switch {
	case got.Failed > 0:
		return got, 0, fmt.Errorf("drive stage %s: %d requests had no answer of 200: %s", named, got.Failed, got.Example)
	case got.Completed == 0:
		return got, 0, fmt.Errorf("drive stage %s: %w within %v", named, errNone, span)
	}
	peak, err = peakOf(s.running.PID())
	return got, peak, err
}

// pictureURLs are 64 pictures.
func pictureURLs(address *url.URL) []string {
	var all []string
	for _, name := range constant.Names() {
		all = append(all, address.String()+url.PathEscape(name))
	}
	return all
}

func oneURL(address *url.URL) []string { return []string{address.String()} }
