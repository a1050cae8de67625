package review

import (
	"fmt"
	"io"
	"path"
	"strings"

	"whet/internal/finding"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/run"
)

// Bar says which findings fail a check. The zero value is none of them.
type Bar struct {
	on    bool
	least finding.Confidence
}

// ParseBar reads "finding", "finding:medium" or "finding:high": the least
// confidence of what counts.
func ParseBar(s string) (Bar, error) {
	switch s {
	case "finding":
		return Bar{true, finding.Low}, nil
	case "finding:medium":
		return Bar{true, finding.Medium}, nil
	case "finding:high":
		return Bar{true, finding.High}, nil
	}
	return Bar{}, fmt.Errorf("%.60q: give finding, finding:medium or finding:high", s)
}

// counts reports whether a finding fails the check.
func (b Bar) counts(f *finding.Finding) bool {
	rank := map[finding.Confidence]int{finding.Low: 0, finding.Medium: 1, finding.High: 2}
	return b.on && rank[f.Confidence] >= rank[b.least]
}

// Fails counts the findings that fail the check; those below the threshold are
// none.
func (b Bar) Fails(p *run.Page) (n int) {
	for i := range p.Findings {
		if b.counts(&p.Findings[i]) {
			n++
		}
	}
	return n
}

// Options say how a page is written.
type Options struct {
	Bar Bar
	// Prefix is the module's root in the repository, with slashes; "" is that
	// root.
	Prefix string
}

// Levels, as SARIF calls them.
const (
	levelError   = "error"
	levelWarning = "warning"
	levelNote    = "note"
)

func (o *Options) level(f *finding.Finding) string {
	switch {
	case o.Bar.counts(f):
		return levelError
	case f.Confidence == finding.Low:
		return levelNote
	}
	return levelWarning
}

// file returns a finding's file in the repository; ok is false where it lies outside.
func (o *Options) file(f *finding.Finding) (name string, ok bool) {
	name = strings.ReplaceAll(f.File, "\\", "/")
	if name == "" || path.IsAbs(name) || len(name) > 1 && name[1] == ':' || strings.HasPrefix(path.Clean(name), "..") {
		return name, false
	}
	return path.Join(o.Prefix, name), true
}

// shares returns what is known of a finding's cost, with its ceiling.
func shares(f *finding.Finding) string {
	var parts []string
	add := func(name string, share float64, unknown bool) {
		if !unknown && share > 0 {
			parts = append(parts, quantity.Percent(share)+" of "+name)
		}
	}
	add("CPU time", f.CPURatio, f.Unknown.CPU)
	add("allocated bytes", f.AllocBytesRatio, f.Unknown.AllocBytes)
	add("delay", f.DelayRatio, f.Unknown.Delay)
	if f.Leak != nil {
		parts = append(parts, fmt.Sprintf("%s %s leaked", quantity.Count(float64(f.Leak.Count)), f.Leak.Kind))
	} else if most := max(f.CeilingRatio, f.CeilingWithGCRatio); !f.Unknown.CPU && most > 1 {
		parts = append(parts, "about "+quantity.Ratio(most)+" faster")
	}
	return strings.ReplaceAll(strings.Join(parts, ", "), "\u00a0", " ")
}

// message returns a finding in a sentence or two.
func message(f *finding.Finding) string {
	text := strings.TrimSuffix(printable.Line(f.Title), ".")
	if s := shares(f); s != "" {
		text += " (" + s + ")"
	}
	if f.Remedy != "" {
		text += ". " + printable.Line(f.Remedy)
	}
	return text
}

// Formats returns the formats that Write knows.
func Formats() []string { return []string{"github", "sarif", "markdown"} }

// Write writes a page in one of the formats.
func Write(w io.Writer, format string, p *run.Page, o Options) error {
	switch format {
	case "github":
		return WriteGitHub(w, p, o)
	case "sarif":
		return WriteSARIF(w, p, o)
	}
	return WriteMarkdown(w, p, o)
}
