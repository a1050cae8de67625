package listing

import (
	"fmt"
	"strings"

	"whet/internal/analyze/lines"
	"whet/internal/quantity"
)

// value prints a value with its unit.
func value(k lines.Kind, v int64) string { return quantity.Value(float64(v), k.Unit()) }

// Phrases say what a line or function costs, a kind each: "12.3 % of CPU time (1.2
// s, its own 3.1 %)". Kinds of which it has none are left out.
func Phrases(m *lines.Model, c *lines.Costs) []string {
	var out []string
	for k := range lines.Kind(lines.NumKinds) {
		if c[k].Cum == 0 {
			continue
		}
		var beside []string
		switch k {
		case lines.AllocObjects, lines.InUseObjects:
			if m.Share(k, c) <= 2*m.Share(k-1, c) {
				continue // said beside the bytes
			}
			beside = append(beside, value(k, c[k].Cum))
		case lines.CPU:
			beside = append(beside, value(k, c[k].Cum))
			if own := c[k].Flat; own > 0 && own < c[k].Cum {
				beside = append(beside, "its own "+quantity.Percent(float64(own)/float64(m.Accounts[k].Total)))
			}
		case lines.AllocBytes, lines.InUseBytes:
			text := value(k, c[k].Cum)
			if n := c[k+1].Cum; n > 0 {
				text += " in " + objects(n)
			}
			beside = append(beside, text)
		default:
			beside = append(beside, value(k, c[k].Cum))
		}
		out = append(out, fmt.Sprintf("%s of %s (%s)", quantity.Percent(m.Share(k, c)), k.Title(), strings.Join(beside, ", ")))
	}
	return out
}

func objects(n int64) string {
	if n == 1 {
		return "1 object"
	}
	return quantity.Count(float64(n)) + " objects"
}

// Decisions returns the compiler's decisions about a line.
func Decisions(l *lines.Line) []string {
	var out []string
	for i := range l.Decisions {
		out = append(out, lines.Said(&l.Decisions[i]))
	}
	return out
}

// Message returns a line in one sentence: what it costs, and what the compiler decided.
func Message(m *lines.Model, l *lines.Line) string {
	text := strings.Join(append(Phrases(m, &l.Costs), Decisions(l)...), "; ")
	return strings.ReplaceAll(text, "\u00a0", " ")
}
