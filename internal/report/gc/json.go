package gc

import (
	"io"
	"strconv"

	"whet/internal/analyze/gc"
	"whet/internal/document"
	"whet/internal/format/gctrace"
)

// WriteJSON writes the document whet/gc/1. Its cycles are a line each, since there may
// be millions.
func WriteJSON(w io.Writer, p *Page) error {
	r := p.Result
	lines := document.Object{}
	processes := []document.Object{}
	if t := p.Trace; t != nil {
		n := &t.Counts
		lines = document.Object{"all", n.Lines, "cycles", n.Cycles, "inits", n.Inits, "scheduler", n.Scheduler, "pacer", n.Pacer,
			"scavenger", n.Scavenger, "ancient", n.Ancient, "cut", n.Cut, "others", n.Others}
		for _, one := range t.Processes {
			processes = append(processes, document.Object{"process", one.Number, "first_line", one.FirstLine, "cycles", one.Cycles.Len(), "missing_cycles", one.Missing, "inits", len(one.Inits), "shown", one == p.Process})
		}
	}
	head := document.Object{document.Begin(document.GC, p.Warnings),
		"name", p.Name, "source", p.What, "lines", lines, "processes", processes,
		"summary", summary(r),
		"conclusions", document.Each(p.conclusions(), conclusion),
		"inits", document.Each(r.Inits, initialization),
		"command", command(p.Command), "grown", grownJSON(p.Grown),
	}
	d := document.NewStream(w, head)
	d.List("cycles")
	if p.Trace != nil {
		var line []byte
		for _, one := range p.Trace.Processes {
			for _, c := range one.Cycles.All() {
				line = appendCycle(line[:0], one.Number, c)
				d.JSON(line)
			}
		}
	}
	d.List("samples")
	for i := range p.Rows {
		d.Item(&p.Rows[i])
	}
	return d.Close()
}

func summary(r *gc.Result) document.Object {
	ratio := func(v float64) document.Number { return document.Number(v) }
	return document.Object{
		"cycles", r.Cycles, "forced_cycles", r.Forced, "missing_cycles", r.Missing,
		"from_ns", r.FromNs, "to_ns", r.ToNs, "gomaxprocs", positive(int64(r.Procs)),
		"cycles_per_s", ratio(r.RatePerS()), "allocated_bytes", r.AllocatedBytes, "allocated_bytes_per_s", ratio(r.AllocatedPerS()),
		"live_bytes", sizes(r.Alive), "last_live_bytes", r.AliveNow, "object_bytes", sizes(r.Objects), "goal_bytes", sizes(r.Goal), "peak_bytes", r.PeakBytes, "peak_at_ns", r.PeakAtNs,
		"limit_bytes", positive(r.LimitBytes), "over_goal_cycles", r.OverGoal,
		"pauses", document.Object{"count", r.Pauses.Count(), "total_ns", r.PausedNs, "p50_ns", r.Pauses.Quantile(0.5), "p99_ns", r.Pauses.Quantile(0.99),
			"max_ns", r.LongestNs, "max_at_ns", r.LongestAt, "ratio", ratio(r.PausedRatio())},
		"cpu", document.Object{"taken_ns", r.CPU.Taken(), "stops_ns", r.CPU.Stops, "background_ns", r.CPU.Background, "assist_ns", r.CPU.Assist, "idle_ns", r.CPU.Idle,
			"taken_ratio", ratio(r.Share(r.CPU.Taken())), "stops_ratio", ratio(r.Share(r.CPU.Stops)), "background_ratio", ratio(r.Share(r.CPU.Background)),
			"assist_ratio", ratio(r.Share(r.CPU.Assist)), "idle_ratio", ratio(r.Share(r.CPU.Idle))},
		"startup", document.Object{"packages", len(r.Inits), "total_ns", r.InitNs, "bytes", r.InitBytes, "allocs", r.InitAllocs},
	}
}

// positive returns a number that is unknown where it is 0.
func positive(v int64) any {
	if v <= 0 {
		return nil
	}
	return v
}

func sizes(r gc.Range) document.Object {
	return document.Object{"min", r.Least, "median", r.Median, "max", r.Most}
}

func conclusion(c *gc.Conclusion) document.Object {
	return document.Object{"kind", c.Kind, "text", c.Text, "evidence", document.Items(c.Evidence), "remedy", c.Remedy, "from_ns", c.FromNs, "to_ns", c.ToNs}
}

func initialization(i *gctrace.Init) document.Object {
	return document.Object{"package", i.Package, "at_ns", int64(i.At), "wall_ns", int64(i.Wall), "bytes", i.Bytes, "allocs", i.Allocs}
}

// appendCycle appends a cycle as JSON: by hand, since there may be millions, and an
// object takes ten times as long.
func appendCycle(b []byte, process int, c *gctrace.Cycle) []byte {
	number := func(key string, v int64) { b = strconv.AppendInt(append(b, key...), v, 10) }
	known := func(key string, v int64) {
		if v < 0 || v == gctrace.NoGoal {
			b = append(append(b, key...), "null"...)
			return
		}
		number(key, v)
	}
	number(`{"process":`, int64(process))
	number(`,"n":`, c.N)
	number(`,"at_ns":`, int64(c.At))
	b = strconv.AppendBool(append(b, `,"forced":`...), c.Forced)
	b = strconv.AppendFloat(append(b, `,"since_start_ratio":`...), float64(c.CPUPercent)/100, 'g', -1, 64)
	number(`,"sweep_term_ns":`, int64(c.SweepTerm))
	number(`,"mark_ns":`, int64(c.Mark))
	number(`,"mark_term_ns":`, int64(c.MarkTerm))
	number(`,"sweep_term_cpu_ns":`, int64(c.SweepTermCPU))
	number(`,"assist_cpu_ns":`, int64(c.AssistCPU))
	number(`,"background_cpu_ns":`, int64(c.BackgroundCPU))
	number(`,"idle_cpu_ns":`, int64(c.IdleCPU))
	number(`,"mark_term_cpu_ns":`, int64(c.MarkTermCPU))
	number(`,"start_bytes":`, c.StartBytes)
	number(`,"end_bytes":`, c.EndBytes)
	number(`,"live_bytes":`, c.LiveBytes)
	known(`,"goal_bytes":`, c.GoalBytes)
	known(`,"stack_bytes":`, c.StackBytes)
	known(`,"global_bytes":`, c.GlobalBytes)
	number(`,"gomaxprocs":`, int64(c.Procs))
	return append(b, '}')
}

func command(c *Command) any {
	if c == nil {
		return nil
	}
	return document.Object{"line", c.Line, "status", c.Status, "exit_code", c.ExitCode, "wall_ns", c.WallNs, "cpu_ns", c.CPUNs, "peak_bytes", positive(c.Peak)}
}

func grownJSON(g *Grown) any {
	if g == nil {
		return nil
	}
	return document.Object{"from_ns", g.FromNs, "to_ns", g.ToNs, "before_bytes", g.BeforeBytes, "after_bytes", g.AfterBytes, "other_bytes", g.OtherBytes, "period_bytes", g.PeriodBytes,
		"places", document.Each(g.Places, func(l *GrownPlace) document.Object {
			return document.Object{"function", l.Function, "file", l.File, "line", l.Line, "before_bytes", l.BeforeBytes, "after_bytes", l.AfterBytes, "callers", document.Items(l.Callers), "owner", ownerJSON(l.Owner)}
		})}
}

func ownerJSON(c *Caller) any {
	if c == nil {
		return nil
	}
	return document.Object{"function", c.Function, "file", c.File, "line", c.Line}
}
