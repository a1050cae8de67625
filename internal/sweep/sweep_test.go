package sweep

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

const mib = 1 << 20

// model returns a program of which 40 MiB are alive: a cycle costs 10 ms, 4 GiB are allocated,
// and each cycle takes as much as the room above what is alive.
func model(s Setting) (time.Duration, int64) {
	room := math.Inf(1)
	if s.Percent != Off {
		room = 40 * mib * float64(s.Percent) / 100
	}
	if s.LimitBytes != Off {
		room = max(min(room, float64(s.LimitBytes-40*mib)), mib)
	}
	return time.Second + time.Duration(4096*mib/room*10*float64(time.Millisecond)), int64(40*mib + room)
}

func options() Options {
	return Options{Percents: []int{50, 100, 200, 400, 800}, Limits: []int64{Off}, Rounds: 3, Budget: time.Hour, Random: rand.New(rand.NewPCG(1, 2))}
}

func find(t *testing.T, o Options, noise float64) (*Result, []Setting) {
	t.Helper()
	var order []Setting
	rnd := rand.New(rand.NewPCG(5, 6))
	r, err := Find(context.Background(), o, func(_ context.Context, s Setting) (Run, error) {
		order = append(order, s)
		d, peak := model(s)
		d = time.Duration(float64(d) * (1 + noise*rnd.NormFloat64()))
		return Run{Time: d, PeakBytes: peak, Took: d}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, order
}

// Without noise the estimates are the model's, every setting is on the front, as more
// memory means less time, and new ones lie beside the bend.
func TestModel(t *testing.T) {
	r, order := find(t, options(), 0)
	if !r.Complete || r.NoiseRatio != 0 || r.Drift != 0 || len(r.Warnings) > 0 {
		t.Errorf("%+v", r)
	}
	runs := 0
	refined := 0
	for _, p := range r.Points {
		d, peak := model(p.Setting)
		if (p.Time-d).Abs() > time.Microsecond || p.PeakBytes != peak || !p.Front || !p.Choice {
			t.Errorf("%+v, the model has %v and %d", p, d, peak)
		}
		runs += len(p.Runs)
		if p.Refined {
			refined++
		}
	}
	if runs != len(order) || refined == 0 || refined > mostRefined {
		t.Errorf("%d runs, %d measured, %d settings added", runs, len(order), refined)
	}
	// Time over memory bends near 200 %: what is added lies beside it.
	for _, p := range r.Points {
		if p.Refined && (p.Percent <= 50 || p.Percent >= 800) {
			t.Errorf("added GOGC=%d", p.Percent)
		}
	}
	// Each round has each setting once, and they come in different orders.
	var rounds [3][]Setting
	for i := range rounds {
		rounds[i] = order[5*i : 5*i+5]
		for _, p := range options().Percents {
			if !slices.Contains(rounds[i], Setting{p, Off}) {
				t.Errorf("round %d lacks GOGC=%d", i, p)
			}
		}
	}
	if slices.Equal(rounds[0], rounds[1]) && slices.Equal(rounds[1], rounds[2]) {
		t.Error("the rounds are in one order")
	}
	if _, again := find(t, options(), 0); !slices.Equal(order, again) {
		t.Error("the same seed draws another order")
	}
}

// The front is that of a comparison of all with all; a setting that is slower and larger
// than another one is not on it, and settings that noise does not tell apart are one
// choice.
func TestFrontAndChoices(t *testing.T) {
	o := options()
	o.Limits = []int64{Off, 45 * mib, 60 * mib, 120 * mib}
	o.Percents = append(o.Percents, Off)
	r, _ := find(t, o, 0.01)
	if !(r.NoiseRatio > 0.004 && r.NoiseRatio < 0.02) {
		t.Errorf("noise %v, it is 0.01", r.NoiseRatio)
	}
	choices := 0
	for i, p := range r.Points {
		beaten := false
		for j, q := range r.Points {
			beaten = beaten || i != j && q.Time <= p.Time && q.PeakBytes <= p.PeakBytes && (q.Time < p.Time || q.PeakBytes < p.PeakBytes)
		}
		if beaten == p.Front || p.Choice && !p.Front {
			t.Errorf("%+v: beaten %v", p, beaten)
		}
		if p.Choice {
			choices++
		}
	}
	if f := front(r.Points); choices < 3 || choices > len(f) || !r.Points[f[0]].Choice {
		t.Errorf("%d choices of %d on the front", choices, len(f))
	}
	// With much noise the fast ones are not told apart.
	rough, _ := find(t, options(), 0.3)
	chosen := 0
	for _, p := range rough.Points {
		if p.Choice {
			chosen++
		}
	}
	if f := front(rough.Points); chosen >= len(rough.Points) || chosen < 1 {
		t.Errorf("%d choices of %d points, %d on the front", chosen, len(rough.Points), len(f))
	}
}

// A budget, an interruption and an error each leave what was measured.
func TestEnds(t *testing.T) {
	o := options()
	o.Budget = 7 * time.Second
	r, order := find(t, o, 0)
	if r.Complete || len(order) >= 15 || r.Spent > o.Budget+4*time.Second || !slices.ContainsFunc(r.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "the budget ran out") && strings.HasSuffix(w, "; raise -budget")
	}) {
		t.Errorf("budget: %d runs, %+v", len(order), r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	broken := errors.New("broken")
	for _, stop := range []bool{true, false} {
		n = 0
		r, err := Find(ctx, options(), func(_ context.Context, s Setting) (Run, error) {
			if n++; n == 4 {
				if !stop {
					return Run{}, broken
				}
				cancel()
			}
			return Run{Time: time.Second, PeakBytes: 1, Took: time.Second}, nil
		})
		if stop && (err != nil || !r.Interrupted || len(r.Points) != 3) {
			t.Errorf("interrupted: %v, %+v", err, r)
		}
		if !stop && (!errors.Is(err, broken) || r.Complete) {
			t.Errorf("error: %v, %+v", err, r)
		}
		ctx = context.Background()
	}
}

// A memory that is unknown puts nothing on the front; settings that cannot be are refused.
func TestOptions(t *testing.T) {
	r, err := Find(context.Background(), options(), func(context.Context, Setting) (Run, error) {
		return Run{Time: time.Second, Took: time.Second}, nil
	})
	if err != nil || len(front(r.Points)) != 0 {
		t.Errorf("%v %+v", err, r)
	}
	for _, change := range []func(*Options){
		func(o *Options) { o.Percents = nil },
		func(o *Options) { o.Percents = []int{0} },
		func(o *Options) { o.Limits = []int64{0} },
		func(o *Options) { o.Percents = []int{Off} },
		func(o *Options) { o.Rounds = 0 },
		func(o *Options) {
			o.Percents = make([]int, 300)
			for i := range o.Percents {
				o.Percents[i] = i + 1
			}
		},
	} {
		o := options()
		change(&o)
		if o.Validate() == nil {
			t.Errorf("taken: %+v", o)
		}
	}
}
