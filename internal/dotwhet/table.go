package dotwhet

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"whet/internal/document"
	"whet/internal/lazyregexp"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// row is a recording in the list.
type row struct {
	Operand   string  `json:"operand"` // @, @2, …
	Name      string  `json:"name"`
	Recording string  `json:"recording"`
	Report    *string `json:"report"`
	Recorded  string  `json:"recorded"`
	Kind      string  `json:"kind"`
	Target    string  `json:"target"`
	Package   string  `json:"package"`
	Outcome   *string `json:"outcome"`
	Partial   string  `json:"partial"`
	Bytes     int64   `json:"recording_bytes"`
	Unnamed   bool    `json:"unnamed"`

	subject string // what was measured
}

type table struct {
	document.Head
	Recordings []row `json:"recordings"`
}

// rows look at each recording.
func (p Dir) rows() ([]row, error) {
	list, err := p.List()
	rows := make([]row, 0, len(list))
	for i, e := range list {
		m := &e.Manifest
		r := row{
			Operand: fmt.Sprintf("@%d", i+1), Name: e.Name, Recording: e.Path, Recorded: m.Origin.UTC().Format("2006-01-02T15:04:05Z"),
			Kind: m.Kind, Target: m.Target, Package: m.Build.Package, subject: m.Subject(), Outcome: e.outcome(), Partial: m.Partial, Bytes: size(filepath.Join(e.dir, e.file)), Unnamed: e.unnamed(),
		}
		if i == 0 {
			r.Operand = "@"
		}
		if st, err := os.Lstat(filepath.Join(e.dir, e.Name+".html")); err == nil && st.Mode().IsRegular() {
			page := strings.TrimSuffix(e.Path, Suffix) + ".html"
			r.Report = &page
		}
		rows = append(rows, r)
	}
	return rows, err
}

// outcome returns what the findings of the recording said when it was made; nil where
// it holds none.
func (e *Entry) outcome() *string {
	rec, err := recording.Open(filepath.Join(e.dir, e.file))
	if err != nil {
		return nil
	}
	defer rec.Close()
	for _, a := range rec.Find(recording.KindFindings, "") {
		var stored struct {
			Verdict struct {
				Outcome string `json:"outcome"`
			} `json:"verdict"`
			Findings []struct{} `json:"findings"`
		}
		data, err := rec.Read(a)
		if err != nil || json.Unmarshal(data, &stored) != nil || stored.Verdict.Outcome == "" {
			continue
		}
		if n := len(stored.Findings); stored.Verdict.Outcome == "findings" && n > 0 {
			stored.Verdict.Outcome = quantity.Plural(n, "finding")
		}
		return &stored.Verdict.Outcome
	}
	return nil
}

// size returns what the files of a directory take.
func size(dir string) int64 {
	var total int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if st, err := d.Info(); err == nil {
				total += st.Size()
			}
		}
		return nil // what cannot be looked at is not counted
	})
	return total
}

// plainName is a name that no shell takes for anything else.
var plainName = lazyregexp.Pattern{Text: `^[A-Za-z0-9._-]+$`}

// PrintOperands writes the short names of recordings, one per line: @, @2 and so on,
// then names. A name that a shell may interpret is left out.
func (p Dir) PrintOperands(w io.Writer) error {
	list, err := p.List()
	var words, names []string
	for i, e := range list {
		word := "@"
		if i > 0 {
			word = fmt.Sprintf("@%d", i+1)
		}
		words = append(words, word)
		for _, name := range []string{e.base(), e.Name} {
			if plainName.Regexp().MatchString(name) && !slices.Contains(names, "@"+name) {
				names = append(names, "@"+name)
			}
		}
	}
	for _, word := range append(words, names...) {
		if _, err := fmt.Fprintln(w, word); err != nil {
			return fmt.Errorf("print the recordings: %w", err)
		}
	}
	return err
}

// None is the message without a recording.
const None = "no recording here yet: whet tune makes one"

// brief cuts the reason why a recording is partial, which can be a whole sentence.
func brief(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Print writes the list of the recordings as text, or as one JSON document.
func (p Dir) Print(w io.Writer, asJSON bool) error {
	_, _ = p.adopt() // as in Resolve
	rows, err := p.rows()
	if err != nil {
		return err
	}
	if asJSON {
		return document.Write(w, &table{document.New(document.Recordings, nil), rows})
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(w, None)
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tname\trecorded (UTC)\tsize\ttarget\toutcome")
	for _, r := range rows {
		outcome := ""
		switch {
		case r.Partial != "":
			outcome = "partial: " + r.Partial
		case r.Outcome != nil:
			outcome = *r.Outcome
		}
		when := strings.TrimSuffix(strings.Replace(r.Recorded, "T", " ", 1), "Z")
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Operand, printable.Message(r.Name), when, quantity.Bytes(float64(r.Bytes)),
			printable.Message(r.Kind+" "+r.subject), brief(printable.Message(outcome)))
	}
	return t.Flush()
}
