package compare

import (
	"fmt"

	"whet/internal/quantity"
)

// OutputComparison reports whether both sides give the same output: services for the
// same requests, commands for the same arguments.
type OutputComparison struct {
	Requests  int `json:"requests"`  // that both sides were asked
	Differing int `json:"differing"` // of them answered differently
	// Differences are the first ones.
	Differences []Difference `json:"differences"`
	// Only reports that nothing else was compared.
	Only bool `json:"only"`
}

// Difference is a difference between two outputs. Its texts come from the sides;
// they are bounded, and quoted if they contain unprintable characters.
type Difference struct {
	Request string `json:"request"` // "GET /items?id=7"
	Where   string `json:"where"`   // "status", "header Content-Type", "body.items.0.price", "body at byte 17", "output"
	Old     string `json:"old"`
	New     string `json:"new"`
	// Unsteady: the old side, asked again, differs there from itself.
	Unsteady bool `json:"unsteady"`
}

// AnswersDiffer is the kind of a verdict on sides that give different responses: their
// speeds are then not comparable.
const AnswersDiffer = "answers differ"

func (a *OutputComparison) differ() bool { return a != nil && a.Differing > 0 }

// describe returns the verdict on answers.
func (a *OutputComparison) describe() string {
	if !a.differ() {
		return fmt.Sprintf("the same answers to %s", quantity.Plural(a.Requests, "request"))
	}
	text := fmt.Sprintf("answers differ: to %d of %s", a.Differing, quantity.Plural(a.Requests, "request"))
	if len(a.Differences) > 0 {
		d := a.Differences[0]
		text += fmt.Sprintf("; %s: %s: old %s, new %s", d.Request, d.Where, d.Old, d.New)
		if d.Unsteady {
			text += " (the old side also differs from itself there)"
		}
	}
	return text
}
