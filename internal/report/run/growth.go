package run

import (
	"fmt"
	"math"
	"strings"

	"whet/internal/analyze/scaling"
	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// Processors is the speedup of a parallel benchmark with processors.
type Processors struct {
	Benchmark string
	*scaling.Processors
	Answer scaling.Verdict
	Text   string // a clause: "1.94 times as fast …"
}

// processors prints how parallel benchmarks grow with processors.
func (t *writer) processors(p *Page) {
	if len(p.Processors) == 0 {
		return
	}
	t.Heading("Growth with processors", "alternating runs on one processor and on all, with 95 % intervals")
	for i := range p.Processors {
		b := &p.Processors[i]
		t.Line("  ", t.Paint(page.Bold, printable.Line(b.Benchmark)), t.Paint(page.Dim, "  "+b.pairs()))
		t.Hang(4, "", 0, printable.Line(b.Text))
	}
}

// pairs returns the times of an operation, and how often they were measured.
func (b *Processors) pairs() string {
	return fmt.Sprintf("%s on 1, %s on %d; %s of runs", quantity.Nanoseconds(b.OneNs), quantity.Nanoseconds(b.Ns), b.Processors.Processors, quantity.Plural(b.Pairs, "pair"))
}

func jsonProcessors(b *Processors) document.Object {
	return document.Object{"benchmark", b.Benchmark, "processors", b.Processors.Processors, "pairs", b.Pairs,
		"one_ns_per_op", document.Known(&b.OneNs), "ns_per_op", document.Known(&b.Ns),
		"speedup_ratio", document.Known(&b.Speedup.Center), "speedup_ratio_low", document.Known(&b.Speedup.Low), "speedup_ratio_high", document.Known(&b.Speedup.High),
		"cpu_per_op_ratio", document.Known(&b.CPURatio), "one_busy_processors", document.Known(&b.OneBusy), "busy_processors", document.Known(&b.Busy),
		"answer", string(b.Answer), "text", b.Text}
}

// growth prints how the costs of benchmarks of several sizes grow.
func (t *writer) growth(p *Page) {
	if len(p.Growth) == 0 {
		return
	}
	t.Heading("Growth with size", "the power of the number in the name, with its interval at 95 %")
	for i := range p.Growth {
		f := &p.Growth[i]
		t.Line("  ", t.Paint(page.Bold, printable.Line(f.Name)), t.Paint(page.Dim, "  "+sizes(f)))
		t.Hang(4, "", 0, growthText(f))
	}
}

// sizes returns the smallest and the largest of a family, and how many there are.
func sizes(f *scaling.Family) string {
	n := len(f.Points)
	return fmt.Sprintf("%s from %s to %s, %d sizes", printable.Line(f.Parameter), quantity.Count(f.Points[0].Size), quantity.Count(f.Points[n-1].Size), n)
}

// growthText says how each cost of a family grows.
func growthText(f *scaling.Family) string {
	var parts []string
	for _, of := range []struct {
		what, grow, fall, stay string
		by                     *scaling.Growth
	}{
		{"time", "grows", "falls", "does not grow", f.Time},
		{"bytes", "grow", "fall", "do not grow", f.Bytes},
		{"allocations", "grow", "fall", "do not grow", f.Allocs},
	} {
		switch {
		case of.by == nil:
		case of.by.Flat():
			parts = append(parts, of.what+" "+of.stay)
		case !of.by.Sure():
			parts = append(parts, fmt.Sprintf("how %s %s is unclear: %s", of.what, of.grow, power(f, of.by)))
		case of.by.High < 0:
			parts = append(parts, of.what+" "+of.fall+" with "+power(f, of.by))
		default:
			parts = append(parts, of.what+" "+of.grow+" with "+power(f, of.by))
		}
	}
	return strings.Join(parts, "; ")
}

// power returns the power of a family's number with which one of its costs grows.
func power(f *scaling.Family, g *scaling.Growth) (text string) {
	n := printable.Line(f.Parameter)
	switch {
	case g.High-g.Low < 0.01:
		text = fmt.Sprintf("%s^%.2f", n, g.Exponent)
	default:
		text = fmt.Sprintf("%s^%.2f (%.2f to %.2f)", n, g.Exponent, g.Low, g.High)
	}
	if g.Bends() && !math.IsNaN(g.Last) {
		text += fmt.Sprintf(", with %s^%.2f between the two largest", n, g.Last)
	}
	return text
}

// jsonFamily returns a family as documents have it.
func jsonFamily(f *scaling.Family) document.Object {
	points := make([]document.Object, len(f.Points))
	for i, p := range f.Points {
		points[i] = document.Object{"benchmark", p.Name, "size", document.Known(&p.Size),
			"ns_per_op", document.Known(&p.Ns), "bytes_per_op", document.Known(&p.Bytes), "allocs_per_op", document.Known(&p.Allocs)}
	}
	return document.Object{"name", f.Name, "parameter", f.Parameter, "points", points,
		"time", jsonGrowth(f.Time), "bytes", jsonGrowth(f.Bytes), "allocs", jsonGrowth(f.Allocs)}
}

func jsonGrowth(g *scaling.Growth) any {
	if g == nil {
		return nil
	}
	return document.Object{"exponent", document.Known(&g.Exponent), "exponent_low", document.Known(&g.Low), "exponent_high", document.Known(&g.High), "last_exponent", document.Known(&g.Last)}
}
