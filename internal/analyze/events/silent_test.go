package events

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"whet/internal/format/gctrace"
	"whet/internal/format/metrics"
)

func TestSilent(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many courses")
	}
	type input = func(r *rand.Rand) Input
	over := func(at func(r *rand.Rand, s float64) float64) input {
		return func(r *rand.Rand) Input {
			return Input{Rows: goroutines(20*sec, func(s float64) float64 { return at(r, s) })}
		}
	}
	served := func(rate func(s float64) float64) input {
		return func(r *rand.Rand) Input {
			return load(Input{Answers: answers(20*sec, r.Uint64(), rate)}, 20*sec)
		}
	}
	binned := func(bins []int32) input {
		return func(*rand.Rand) Input { return load(Input{Answers: bins}, 20*sec) }
	}
	burned := func(cores func(s float64) float64) input {
		return func(*rand.Rand) Input { return Input{Rows: burning(20*sec, cores)} }
	}
	live := func(at func(r *rand.Rand, s float64) float64) input {
		return func(r *rand.Rand) Input {
			return Input{Cycles: cycles(200, 100*time.Millisecond, func(c *gctrace.Cycle, i int) {
				c.LiveBytes = int64(at(r, float64(i)/10)) >> 20 << 20
			})}
		}
	}
	// every makes bins with so many answers each period, all at once.
	every := func(period int, batch int32) []int32 {
		bins := make([]int32, 2000)
		for i := 0; i < len(bins); i += period {
			bins[i] = batch
		}
		return bins
	}

	for name, in := range map[string]input{
		"nothing":                    func(*rand.Rand) Input { return Input{} },
		"one row":                    func(*rand.Rand) Input { return Input{Rows: goroutines(0, constant(5))} },
		"steady goroutines":          over(func(_ *rand.Rand, _ float64) float64 { return 70 }),
		"noisy goroutines":           over(func(r *rand.Rand, _ float64) float64 { return 40 + float64(r.IntN(65)) }),
		"bursts of goroutines":       over(func(r *rand.Rand, _ float64) float64 { return 40 + 5000*math.Pow(r.Float64(), 20) }),
		"warm-up of 3 s":             over(func(r *rand.Rand, s float64) float64 { return 20*min(s, 3) + float64(r.IntN(5)) }),
		"warm-up of 12 s":            over(func(r *rand.Rand, s float64) float64 { return 20*min(s, 12) + float64(r.IntN(5)) }),
		"warm-up, slower and slower": over(func(r *rand.Rand, s float64) float64 { return 500 * (1 - math.Exp(-s/5)) }),
		"one step up":                over(func(r *rand.Rand, s float64) float64 { return 40 + 400*math.Floor(s/10) + float64(r.IntN(5)) }),
		"a step at the end":          over(func(r *rand.Rand, s float64) float64 { return 40 + 400*math.Floor(s/17) + float64(r.IntN(5)) }),
		"falling goroutines":         over(func(_ *rand.Rand, s float64) float64 { return 400 - 10*s }),
		"a wave of goroutines":       over(func(_ *rand.Rand, s float64) float64 { return 400 + 300*math.Sin(s) }),
		"half a wave":                over(func(_ *rand.Rand, s float64) float64 { return 400 - 300*math.Cos(s/20*2*math.Pi) }),
		"nine more in 20 s":          over(func(_ *rand.Rand, s float64) float64 { return 100 + 9*s/20 }),
		"growth of 4 s": func(*rand.Rand) Input {
			return Input{Rows: goroutines(4*sec, func(s float64) float64 { return 100 * s })}
		},
		"unknown goroutines": func(*rand.Rand) Input { return Input{Rows: rows(20*sec, func(*metrics.Row, float64) {})} },

		"steady heap":              live(func(r *rand.Rand, _ float64) float64 { return (100 + 4*r.Float64()) * mib }),
		"cache that fills for 8 s": live(func(r *rand.Rand, s float64) float64 { return (50 + 20*min(s, 8) + 4*r.Float64()) * mib }),
		"heap that grows by 5 %":   live(func(_ *rand.Rand, s float64) float64 { return (1000 + 50*s/20) * mib }),
		"sawtooth between collections": func(*rand.Rand) Input {
			return Input{Rows: rows(20*sec, func(r *metrics.Row, s float64) {
				step := r.TimeNs / (100 * ms)
				r.GCCycles, r.HeapLiveBytes = n(step/50), n((50+step%50)*mib)
			})}
		},

		"steady answers":             served(constant(1000)),
		"few answers":                served(constant(20)),
		"very few answers":           served(constant(2)),
		"rate that halves":           served(func(s float64) float64 { return 2000 / (1 + math.Floor(s/10)) }),
		"slow start":                 served(func(s float64) float64 { return 1000 * min(1, math.Floor(s/3)) }),
		"one client, 500 ms each":    binned(every(50, 1)),
		"64 clients in step, 150 ms": binned(every(15, 64)),
		"64 clients in step, 250 ms": binned(every(25, 64)),
		"a gap of 150 ms": served(func(s float64) float64 {
			if s > 5 && s < 5.15 {
				return 0
			}
			return 1000
		}),
		"no answer at all": binned(make([]int32, 2000)),

		"busy process": burned(constant(1.5)),
		"little to do, and nothing for a second": burned(func(s float64) float64 {
			if s > 10 && s < 11 {
				return 0
			}
			return 0.1
		}),
		"idle process":        burned(constant(0.01)),
		"sleeps between":      burned(func(s float64) float64 { return math.Floor(math.Mod(s, 1) + 0.3) }),
		"idle at both ends":   burned(func(s float64) float64 { return math.Floor(1.5 - math.Abs(s-10)/14) }),
		"busy, less at times": burned(func(s float64) float64 { return 1 + 0.8*math.Sin(3*s) }),
		"idle under a load that is answered": func(r *rand.Rand) Input {
			in := served(constant(1000))(r)
			in.Rows = burning(20*sec, func(s float64) float64 { return math.Floor(2 - min(1.5, math.Abs(s-10))) })
			return in
		},

		"whet's own heap profiles": func(*rand.Rand) Input {
			return Input{
				Cycles: cycles(20, time.Second, func(c *gctrace.Cycle, i int) { c.Forced = i == 2 || i == 15 }),
				OwnGC:  []Span{{2*sec - 15*ms, 2*sec + 30*ms}, {15 * sec, 15*sec + 30*ms}},
			}
		},
		"pauses of 4 ms": func(*rand.Rand) Input {
			return Input{Cycles: cycles(20, time.Second, func(c *gctrace.Cycle, i int) { c.MarkTerm = 4 * time.Millisecond })}
		},
		"3 ms of throttling": func(*rand.Rand) Input {
			return Input{Rows: rows(20*sec, func(r *metrics.Row, s float64) { r.ThrottledNs = n(int64(s/10) * 3 * ms) })}
		},
		"not throttled": func(*rand.Rand) Input {
			return Input{Rows: rows(20*sec, func(r *metrics.Row, _ float64) { r.ThrottledNs = n(5 * sec) })}
		},
		"no failures":         func(*rand.Rand) Input { return Input{Seconds: seconds(1000, 0, 0, 0, 0, 0, 0)} },
		"one in 100 fails":    func(*rand.Rand) Input { return Input{Seconds: seconds(1000, 10, 12, 9, 7, 11, 14, 5, 10)} },
		"all fail all along":  func(*rand.Rand) Input { return Input{Seconds: seconds(1000, 1000, 1000, 1000, 1000, 1000)} },
		"four fail":           func(*rand.Rand) Input { return Input{Seconds: seconds(10, 0, 0, 4, 0, 0)} },
		"a tenth fails":       func(*rand.Rand) Input { return Input{Seconds: seconds(20, 2, 0, 5, 1, 3, 2, 6, 0, 2)} },
		"seconds without any": func(*rand.Rand) Input { return Input{Seconds: seconds(0, 0, 0, 0)} },
		"counts that cannot be": func(*rand.Rand) Input {
			return Input{Seconds: []Second{{0, sec, 5, 50}, {sec, sec, -5, 50}, {math.MaxInt64, sec, 50, 50}, {sec, math.MaxInt64, 1 << 40, 1 << 40}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				if got := Find(in(r)); len(got) != 0 {
					t.Fatalf("%+v", got)
				}
			}
		})
	}
}

// What doc.go says of random walks: steps of ±1 each 100 ms for 10 s.
func TestRandomWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many courses")
	}
	const runs = 2000
	r := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range runs {
		level := 1000.0
		in := Input{Rows: goroutines(10*sec, func(float64) float64 {
			level += float64(2*r.IntN(2) - 1)
			return level
		})}
		found += len(Find(in))
	}
	t.Logf("%d of %d", found, runs)
	if share := float64(found) / runs; share > 0.03 || share < 0.005 {
		t.Errorf("%v of random walks look like growth", share)
	}
}
