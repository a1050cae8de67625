package logging

import (
	"cmp"
	"fmt"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/quantity"
)

// offSamples is how many CPU samples of a statement must show no rendering and
// no write before its level is taken to be off.
const offSamples = 20

func (f *finder) claim(st *statement) (diagnose.Claim, bool) {
	s := f.s
	off := !st.emitted && s.CPUSamples(st.cpu.cost.Keep()) >= offSamples
	if off {
		// Nothing that was done for this record was of use.
		st.cpu.avoidable, st.allocs.avoidable = st.cpu.cost, st.allocs.cost
	}
	if st.cpu.avoidable.Len() == 0 && st.allocs.avoidable.Len() == 0 {
		return diagnose.Claim{}, false
	}
	st.logger = st.through()
	c := diagnose.Claim{
		Place:      st.Place(st.function),
		Cost:       diagnose.Samples{CPU: st.cpu.cost.Keep(), Allocs: st.allocs.cost.Keep()},
		Avoidable:  diagnose.Samples{CPU: st.cpu.avoidable.Keep(), Allocs: st.allocs.avoidable.Keep()},
		Confidence: finding.High,
	}
	pkg := diagnose.PackageOf(st.logger)
	name := short(st.logger)
	if off {
		c.Confidence = finding.Medium
		c.Why = fmt.Sprintf("No sample shows a record of %s being rendered or written, so its level is off, yet its arguments are built for every call.", name)
		c.Remedy = offRemedy(pkg)
	} else {
		c.Why = fmt.Sprintf("Every call of %s renders a record: formatting, reflection and allocation that typed fields appended to a reused buffer do without.", name)
		c.Remedy = onRemedy(pkg, st.logger) + " Or log a sample of the records, or move the record out of the hot path."
	}
	c.Evidence = f.evidence(st)
	return c, true
}

func (f *finder) evidence(st *statement) []finding.Evidence {
	s := f.s
	var out []finding.Evidence
	if keep := st.cpu.cost.Keep(); keep != nil {
		text := fmt.Sprintf("%d of %d base samples pass through the statement; %s of the base's CPU time is avoidable",
			s.CPUSamples(keep), s.BaseCPUSamples(), quantity.Percent(s.CPUShare(st.cpu.avoidable.Keep())))
		var parts []string
		for _, p := range []struct {
			set  *diagnose.Set
			name string
		}{{&st.cpu.alloc, "allocating"}, {&st.cpu.format, "formatting and reflection"}} {
			if share := s.CPUShare(p.set.Keep()); share > 0 {
				parts = append(parts, fmt.Sprintf("%s %s", p.name, quantity.Percent(share)))
			}
		}
		if len(parts) > 0 {
			text += " (" + strings.Join(parts, ", ") + ")"
		}
		out = append(out, finding.Evidence{Kind: "cpu", Text: text})
	}
	if keep := st.allocs.cost.Keep(); s.AllocShare(keep) > 0 {
		bytes, perOp := s.AllocBytes(keep)
		text := fmt.Sprintf("it allocates %d bytes", bytes)
		if perOp > 0 {
			text = fmt.Sprintf("it allocates %.0f bytes per iteration", perOp)
		}
		text += fmt.Sprintf(", %s of the base's", quantity.Percent(s.AllocShare(keep)))
		out = append(out, finding.Evidence{Kind: "allocs", Text: text})
	}
	if keep := st.cpu.arguments.Keep(); keep != nil {
		out = append(out, finding.Evidence{Kind: "source", Text: fmt.Sprintf("arguments built before %s is called take %s of the base's CPU time",
			short(st.logger), quantity.Percent(s.CPUShare(keep)))})
	}
	return out
}

// through names the function that most of the statement's cost goes through.
func (st *statement) through() string {
	best := ""
	for fn, w := range st.weight {
		switch c := cmp.Compare(w, st.weight[best]); {
		case best == "", c > 0, c == 0 && fn < best:
			best = fn
		}
	}
	return best
}

// short drops the path of a linker name: "logrus.(*Entry).Info".
func short(fn string) string {
	if i := strings.LastIndexByte(fn, '/'); i >= 0 && !strings.Contains(fn[:i], "[") {
		return fn[i+1:]
	}
	return fn
}

func onRemedy(pkg, fn string) string {
	sym := diagnose.ParseSymbol(fn)
	switch {
	case strings.HasPrefix(pkg, "github.com/sirupsen/logrus"):
		return "Replace logrus here by a logger that appends typed fields to a reused buffer (zerolog, or zap or slog with typed attributes)."
	case strings.HasPrefix(pkg, "go.uber.org/zap") && sym.Receiver == "SugaredLogger":
		return "Call Desugar once and log with zap's typed fields (zap.Int, zap.String) instead of the sugared logger."
	case strings.HasPrefix(pkg, "go.uber.org/zap"):
		return "Use zap's typed fields only (no Any, Reflect or Stringer), and Check with Write where the field slice itself counts."
	case strings.HasPrefix(pkg, "github.com/rs/zerolog"):
		return "Use zerolog's typed methods (Str, Int, Msg) instead of Interface, Fields, Any, Msgf or Print, and no ConsoleWriter."
	case pkg == "log/slog":
		return "Call LogAttrs with typed attributes (slog.Int, slog.String) instead of loose key-value pairs, and give slog.Any no value that needs reflection."
	case pkg == "log":
		return "Append the record with strconv.AppendInt and the like to a reused buffer, or use a logger with typed fields (slog.LogAttrs, zerolog)."
	}
	return "Let the logger take typed values and append them to a reused buffer with strconv.AppendInt and the like, or use one that does (slog.LogAttrs, zerolog)."
}

func offRemedy(pkg string) string {
	const tail = " Until then nothing is gained by a faster logger."
	switch {
	case strings.HasPrefix(pkg, "github.com/sirupsen/logrus"):
		return "Ask logger.IsLevelEnabled(level) before the statement." + tail
	case strings.HasPrefix(pkg, "go.uber.org/zap"):
		return "Ask logger.Check(level, message) first and build the fields only if it is not nil." + tail
	case strings.HasPrefix(pkg, "github.com/rs/zerolog"):
		return "Ask Enabled on the event, or build the costly field in Func, which runs only when the level is on." + tail
	case pkg == "log/slog":
		return "Ask logger.Enabled(ctx, level) first, or use LogAttrs with typed attributes and a LogValuer for what is costly." + tail
	}
	return "Check the level before the arguments are built, or hand the logger a function or a value that it renders only when the level is on." + tail
}
