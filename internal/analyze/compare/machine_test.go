package compare

import (
	"math"
	"math/rand/v2"
)

// A machine as machines are. Base drifts over the rounds; each side's binary
// has a layout in each round; slices have noise, a long right tail among it,
// are now and then hit hard, and the first of a round is a little slower.
type machine struct {
	rng    *rand.Rand
	noise  func(*rand.Rand) float64 // of the logarithm of one slice
	drift  float64                  // step of a random walk of the base, a round
	layout float64                  // sigma of the logarithm, of each side's layout in a round
	hit    float64                  // share of slices that take half as long again
	first  float64                  // what the first slice of a turn takes more
	turns  int                      // of a round; 0: 1
}

func normal(sigma float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return sigma * rng.NormFloat64() }
}

// lognormal has a long right tail: of its values, one in a hundred is ten times
// as far from the mode as the middle one.
func lognormal(sigma float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return sigma * math.Exp(1.2*rng.NormFloat64()) }
}

func newMachine(seed uint64) *machine {
	return &machine{rng: rand.New(rand.NewPCG(seed, 77)), noise: lognormal(0.004), drift: 0.02, layout: 0.004, hit: 0.05, first: 0.01}
}

// round draws order and doubled side by lot, as the engine does. ratio is the
// truth, old's time over new's.
func (m *machine) round(base, ratio float64) Round {
	var layouts [2]float64
	for w := range layouts {
		layouts[w] = m.layout * m.rng.NormFloat64()
	}
	doubled := Side(m.rng.IntN(2))
	r := Round{Turn: m.turn(base, ratio, layouts, doubled)}
	for k := 1; k < m.turns; k++ {
		r.More = append(r.More, m.turn(base, ratio, layouts, (doubled+Side(k))%Sides))
	}
	return r
}

func (m *machine) turn(base, ratio float64, layouts [2]float64, doubled Side) Turn {
	sides := [3]Side{Old, New, doubled}
	var got [3]Slice
	for position, slot := range m.rng.Perm(3) {
		log := layouts[sides[slot]] + m.noise(m.rng)
		if position == 0 {
			log += m.first
		}
		if m.rng.Float64() < m.hit {
			log += math.Log(1.5)
		}
		ns := base * math.Exp(log)
		if sides[slot] == New {
			ns /= ratio
		}
		got[slot] = Slice{NsPerOp: ns, BytesPerOp: 4096, AllocsPerOp: 60}
	}
	return Turn{Old: got[0], New: got[1], Again: got[2], AgainOf: doubled}
}

func (m *machine) rounds(n int, ratio float64) []Round {
	base := 1000.0
	out := make([]Round, n)
	for i := range out {
		base *= math.Exp(m.drift * m.rng.NormFloat64())
		out[i] = m.round(base, ratio)
	}
	return out
}

// question is a plan and the things that it compares.
type question struct {
	o       Options
	planned int
	ratios  []float64 // the truth of each benchmark
	counts  bool      // their counts are compared, too, which are equal
	earlier [][]Round
	run     int
}

// ask measures as the engine does: at every look the decided benchmarks stop.
// It returns the final verdict and the number of rounds.
func (m *machine) ask(q question) ([]Row, [][]Round) {
	o := q.o
	o.Hypotheses = max(o.Hypotheses, len(q.ratios))
	if q.counts {
		o.Hypotheses = 3 * len(q.ratios)
	}
	o.Looks = Looks(q.planned, o.Hypotheses, o.Alpha)
	series := make([]Series, len(q.ratios))
	all := make([][]Round, len(q.ratios))
	for i, ratio := range q.ratios {
		series[i] = Series{Name: string(rune('A' + i)), Metrics: []Metric{MetricOf(NsPerOp)}, Run: max(q.run, 1)}
		if q.counts {
			series[i].Metrics = append(series[i].Metrics, MetricOf(BytesPerOp), MetricOf(AllocsPerOp))
		}
		all[i] = m.rounds(q.planned, ratio)
		if q.earlier != nil {
			series[i].Rounds, series[i].Earlier = q.earlier[i], len(q.earlier[i])
			all[i] = append(append([]Round(nil), q.earlier[i]...), all[i]...)
		}
	}
	var rows []Row
	stopped := make([]bool, len(series))
	for _, look := range o.Looks {
		for i := range series {
			if !stopped[i] {
				series[i].Rounds = all[i][:series[i].Earlier+look]
			}
		}
		rows = Judge(series, o)
		for i := range series {
			stopped[i] = stopped[i] || Decided(rows, "", series[i].Name)
		}
	}
	for i := range all {
		all[i] = series[i].Rounds
	}
	return rows, all
}
