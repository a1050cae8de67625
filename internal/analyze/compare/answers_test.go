package compare

import "testing"

// Sides that answer differently are no candidates, whatever the times say; a
// failure or an interrupt says that even this is not known.
func TestAnswersDecide(t *testing.T) {
	faster := []Row{{Metric: P50Ns, Gates: true, Verdict: Faster, Ratio: 2}}
	differing := &OutputComparison{Requests: 3, Differing: 2, Differences: []Difference{{Request: "GET /a", Where: "status", Old: "200", New: "500"}}}
	same := &OutputComparison{Requests: 1}
	for name, c := range map[string]struct {
		r    Result
		code int
		kind string
		text string
	}{
		"differ, only":        {Result{Answers: differing}, 1, AnswersDiffer, "answers differ: to 2 of 3 requests; GET /a: status: old 200, new 500"},
		"differ, yet faster":  {Result{Answers: differing, Benchmarks: faster}, 1, AnswersDiffer, "answers differ: to 2 of 3 requests; GET /a: status: old 200, new 500; response time p50: faster (2.00x)"},
		"same, only":          {Result{Answers: &OutputComparison{Requests: 1, Only: true}}, 0, "same answers", "the same answers to 1 request"},
		"same, nothing else":  {Result{Answers: same}, 3, "failed", "the same answers to 1 request; nothing was compared"},
		"same, faster":        {Result{Answers: same, Benchmarks: faster}, 0, "faster", "the same answers to 1 request; response time p50: faster (2.00x)"},
		"differ, interrupted": {Result{Answers: differing, Interrupted: true}, 130, "interrupted", "interrupted: answers differ: to 2 of 3 requests; GET /a: status: old 200, new 500"},
		"same, failed":        {Result{Answers: same, Failures: []Failure{{"x", "new", "died"}}}, 3, "failed", "the same answers to 1 request; nothing was compared; 1 benchmark failed: x of new: died"},
	} {
		c.r.Summarize()
		if c.r.ExitCode() != c.code || c.r.Verdict.Kind != c.kind || c.r.Verdict.Text != c.text {
			t.Errorf("%s: exit %d, %q, %q; want %d, %q, %q", name, c.r.ExitCode(), c.r.Verdict.Kind, c.r.Verdict.Text, c.code, c.kind, c.text)
		}
	}
}
