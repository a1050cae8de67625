// Command load measures whet's load generator beside wrk, hey and h2load.
//
// It answers how many requests a second each gets out of a server, and what it
// takes of the processor for one: of nginx, which returns a constant from its
// configuration, and of a small net/http server (bench/load/server). The
// generator is confined to one processor and the target to another, by
// sched_setaffinity of the thread that starts the process. In each round a
// target is started anew and driven by both, in an order drawn by lot; ratios
// are medians of the ratios within a round. CPU time is what the system
// charged the whole process from start to exit, so whet's start-up and the
// making of connections are in it.
//
// It misleads about other machines: both processes share caches, memory and the
// loopback's work, which the kernel does for either on either's processor. A
// target that has no processor time left bounds the throughput of every
// generator: then CPU per request is the telling measure. wrk rounds times down
// to microseconds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"whet/bench/ledger"
)

// Samples are all rounds.
type Samples struct {
	LengthNs    int64         `json:"length_ns"` // of one run
	Verb        bool          `json:"verb"`      // driven by whet load, as users run it
	Versions    []string      `json:"versions"`
	Pairs       []Pair        `json:"pairs"`
	Opens       []Open        `json:"open"`
	Memory      []Memory      `json:"memory"` // at many connections
	Course      []Memory      `json:"course"` // of a long run
	Allocations []Allocations `json:"allocations"`
}

func main() { ledger.Main("load", run) }

func run(ctx context.Context) error {
	if len(os.Args) > 1 && os.Args[1] == "-generate" {
		return generate(ctx, os.Args[2:], os.Stdout)
	}
	rounds := flag.Int("rounds", 5, "rounds of each comparison")
	length := flag.Duration("for", 5*time.Second, "how long one generator drives, in whole `seconds`")
	long := flag.Duration("long", time.Minute, "length of the run whose memory is followed")
	only := flag.String("only", "", "only what has this `part` in its name, such as nginx/64, tls, open/nginx, memory, course, allocations; nothing is kept")
	quick := flag.Bool("quick", false, "one short round; nothing is kept")
	library := flag.Bool("library", false, "drive by package load in this program instead of the built whet; nothing is kept")
	out := ledger.Flags("load")
	flag.Parse()
	if out.Kept {
		return out.Tabulate(nil, kept)
	}
	if *quick {
		*rounds, *length, *long = 1, 2*time.Second, 10*time.Second
	}
	b, err := newBench(ctx, *length, ledger.Cores(), *library)
	if err != nil {
		return err
	}
	defer b.close()
	if !b.viaLoad && !b.hasVerb(ctx) {
		return errors.New("this whet has no verb load: -library drives by package load instead")
	}
	e := ledger.Begin[Samples]("bench/load")
	err = b.measure(ctx, *rounds, *long, func(id string) bool { return *only == "" || strings.Contains("/"+id+"/", "/"+*only+"/") }, &e.Samples)
	if err != nil {
		return err
	}
	if *quick || *only != "" || *library {
		fmt.Println(render(&e.Samples))
		return nil
	}
	return out.Tabulate(func() error { return e.Save(out.Dir, "load") }, kept)
}

// kept returns the README's text about the kept samples, none where there are none
// yet.
func kept(dir string) (string, error) {
	e, err := ledger.Load[Samples](dir, "load")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return render(&e.Samples) + "\n" + e.Caption() + ".\n", nil
}

// measure takes round after round through all that is wanted.
func (b *bench) measure(ctx context.Context, rounds int, long time.Duration, wanted func(id string) bool, s *Samples) error {
	s.LengthNs, s.Verb, s.Versions = int64(b.length), !b.viaLoad, versions(ctx)
	missing, err := b.missing(ctx)
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(works), func(w work) bool { return !wanted(w.id) || slices.Contains(missing, w.engine) })
	for _, w := range chosen {
		s.Pairs = append(s.Pairs, Pair{ID: w.id})
	}
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		for i := range chosen {
			if err := b.round(ctx, &chosen[i], &s.Pairs[i]); err != nil {
				return err
			}
		}
		for _, name := range targets {
			if wanted("open/" + name) {
				o, err := b.open(ctx, name)
				if err != nil {
					return err
				}
				s.Opens = append(s.Opens, o)
			}
			if wanted("memory/" + name) {
				for _, generator := range []string{"whet", "wrk"} {
					m, err := b.memory(ctx, name, generator, manyConnections)
					if err != nil {
						return err
					}
					m.Course = nil // a row a tenth of a second says no more than the peak here
					s.Memory = append(s.Memory, m)
				}
			}
		}
	}
	for _, engine := range engines {
		if !wanted("allocations/"+engine) || slices.Contains(missing, engine) {
			continue
		}
		a, err := b.allocations(ctx, "nginx", engine)
		if err != nil {
			return err
		}
		s.Allocations = append(s.Allocations, a)
	}
	if wanted("course") {
		b.length = long
		m, err := b.memory(ctx, "nginx", "whet", 64)
		if err != nil {
			return err
		}
		s.Course = append(s.Course, m)
	}
	return nil
}

var targets = []string{"nginx", "net/http"}

// manyConnections is how many the demand on memory is about.
const manyConnections = 10_000
