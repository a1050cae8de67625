package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"whet/bench/ledger"
	"whet/internal/quantity"
)

// score counts what was right.
type score struct {
	Cases, First, Three, Clean, Unanswered int
	ScriptFirst, ScriptThree               int
	Tuned, Remedies                        int
}

func (s *score) add(c *Case, r *Row) {
	if c.Kind == kindTuned {
		s.Tuned++
		if len(r.remedies()) > 0 {
			s.Remedies++
		}
		return
	}
	s.Cases++
	count := func(rank int, first, three *int) {
		if rank == 1 {
			*first++
		}
		if rank >= 1 && rank <= 3 {
			*three++
		}
	}
	count(c.rank(r.Places), &s.First, &s.Three)
	count(c.scriptRank(r.Script), &s.ScriptFirst, &s.ScriptThree)
	if clean(r.Outcome) {
		s.Clean++
	}
	if r.unanswered() {
		s.Unanswered++
	}
}

// titles are what the table calls the parts of the corpus.
var titles = map[string]string{halfOpen: "open half", halfAside: "half set aside", halfSecond: "second look", halfThird: "third look", halfFourth: "fourth look", halfFifth: "fifth look"}

// columnsOf returns the parts of the corpus of which a row is kept: only these have a column.
func columnsOf(all []Case, rows map[string]Row) []string {
	var out []string
	for _, h := range halves {
		if slices.ContainsFunc(all, func(c Case) bool { _, ok := rows[c.Name]; return ok && c.half() == h }) {
			out = append(out, h)
		}
	}
	return out
}

// render makes the text of the README from the kept rows, and counts what spoke rightly.
func render(dir string) (text string, spoke Spoke, err error) {
	all, err := cases()
	if err != nil {
		return "", spoke, err
	}
	rows, err := readRows(dir)
	if err != nil {
		return "", spoke, err
	}
	judged, err := judgements(all)
	if err != nil {
		return "", spoke, err
	}
	scores, claims := make(map[string]*score), make(map[*score]*causeScore)
	causes, told := make(map[string]*causeScore), make(map[string]*sentenceScore)
	for _, h := range halves {
		scores[h] = new(score)
		causes[h], told[h] = new(causeScore), new(sentenceScore)
		claims[scores[h]] = causes[h]
	}
	t := ledger.Table{Head: []string{"case", "half", "what was slow", "cause", "right place", "outcome", "first place, worth", "script", "judged by hand"}}
	tuned := ledger.Table{Head: []string{"well-tuned package", "half", "outcome", "first place, worth", "remedies", "judged by hand"}}
	var at []Row
	for _, c := range all {
		r, ok := rows[c.Name]
		if !ok {
			continue
		}
		at = append(at, r)
		scores[c.half()].add(&c, &r)
		claims[scores[c.half()]].add(&c, &r, judged)
		outcome := r.Outcome
		if r.Failure != "" {
			outcome = "failed: " + r.Failure
		}
		if c.Kind == kindTuned {
			tuned.Rows = append(tuned.Rows, []string{version(&c), c.half(), outcome, head(&r), said(r.remedies()), c.Judged})
			continue
		}
		told[c.half()].add(&c, &r, judged)
		t.Rows = append(t.Rows, []string{version(&c) + ", " + c.Commit, c.half(), c.Change, c.Cause, place(c.rank(r.Places)), outcome, head(&r), place(c.scriptRank(r.Script)), c.Judged})
	}
	if len(at) == 0 {
		return "Nothing was measured yet.\n", spoke, nil
	}
	columns := columnsOf(all, rows)
	sum := ledger.Table{Head: []string{""}}
	for _, h := range columns {
		sum.Head = append(sum.Head, titles[h]+": whet", "script")
	}
	sum.Head = append(sum.Head, "asked for")
	row := func(label, asked string, values func(s *score) (whet, script string)) {
		cells := []string{label}
		for _, h := range columns {
			whet, script := values(scores[h])
			cells = append(cells, whet, script)
		}
		sum.Rows = append(sum.Rows, append(cells, asked))
	}
	row("right place first", "78 %", func(s *score) (string, string) { return share(s.First, s.Cases), share(s.ScriptFirst, s.Cases) })
	row("right place among three", "92 %", func(s *score) (string, string) { return share(s.Three, s.Cases), share(s.ScriptThree, s.Cases) })
	row("outcome `floor` or `spread` over a fault", "at most 2 %", func(s *score) (string, string) { return share(s.Clean, s.Cases), "–" })
	row("too few samples or not valid", "–", func(s *score) (string, string) { return share(s.Unanswered, s.Cases), "–" })
	row("a remedy claimed of a well-tuned package", "none", func(s *score) (string, string) { return share(s.Remedies, s.Tuned), "–" })
	row("right cause among three claims", "65 %", func(s *score) (string, string) { return share(claims[s].Cause, s.Cases), "–" })
	row("right remedy among three claims", "50 %", func(s *score) (string, string) { return share(claims[s].Remedy, s.Cases), "–" })
	row("claims that are false or not worth doing, a case", "0.08", func(s *score) (string, string) { return each(claims[s].Unwanted, s.Cases+s.Tuned), "–" })
	row("claims nobody judged yet", "none", func(s *score) (string, string) { return fmt.Sprint(claims[s].Unjudged), "–" })
	spoke = spokeOf(slices.Collect(maps.Values(claims))...)
	tables := []ledger.Table{sum, calibration(columns, causes), sentences(columns, told, scores), byPrinciple(all, rows, judged), t, tuned}
	for _, t := range tables {
		text += t.Markdown() + "\n"
	}
	return text + caption(at) + "\n" + spoke.String(), spoke, nil
}

func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d (%s)", n, of, quantity.Percent(float64(n)/float64(of)))
}

func each(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(n)/float64(of))
}

func version(c *Case) string {
	return path.Join(c.Module, c.Package) + " " + c.Before
}

func place(rank int) string {
	if rank == 0 {
		return "**no**"
	}
	return fmt.Sprint(rank)
}

func head(r *Row) string {
	if len(r.Places) == 0 {
		return "–"
	}
	p := r.Places[0]
	return fmt.Sprintf("%s:%d, %s", p.File, p.Line, quantity.Percent(p.WorthRatio))
}

func said(claims []Claim) string {
	if len(claims) == 0 {
		return "none"
	}
	var out []string
	for _, c := range claims {
		out = append(out, fmt.Sprintf("`%s` at %s:%d", c.Rule, c.File, c.Line))
	}
	return strings.Join(out, "; ")
}

// caption says where and when the rows are from.
func caption(rows []Row) string {
	byDate := slices.SortedFunc(slices.Values(rows), func(a, b Row) int { return a.Date.Compare(b.Date) })
	first, last := byDate[0], byDate[len(byDate)-1]
	commits := make(map[string]bool)
	for _, r := range rows {
		commit := r.Commit[:min(len(r.Commit), 12)]
		if r.Dirty {
			commit += " with changes"
		}
		commits[commit] = true
	}
	dates := first.Date.Format("2006-01-02")
	if d := last.Date.Format("2006-01-02"); d != dates {
		dates += " to " + d
	}
	var names []string
	for c := range commits {
		names = append(names, c)
	}
	slices.Sort(names)
	return fmt.Sprintf("Recorded %s, %s, %d cores, %s; diagnosed by commit %s.", dates, last.CPU, last.Cores, last.System, strings.Join(names, ", "))
}
