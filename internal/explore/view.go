package explore

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"whet/internal/analyze/selection"
	"whet/internal/cli"
	"whet/internal/document"
	"whet/internal/format/profile"
	"whet/internal/profiles"
)

const profileOperands = "[BINARY] PROFILE..."

const profileLong = `
PROFILE is a pprof file, a URL of net/http/pprof, or a recording; whet merges several. The
numbers are those of go tool pprof.`

// profileVerb is one way to look at a profile: a verb, and words of the prompt.
type profileVerb struct {
	name string
	// param is what chooses the functions of a view that is of some only: "RE".
	param    string
	short    string
	long     string
	examples []string
	takes    group
	// reads is all that the view needs of a single profile if all samples are selected,
	// and fits, unless it is nil, says of which profiles.
	reads profile.Part
	fits  func(*viewRequest, *profile.Want)
	// adds: the view needs only the sum of the profiles.
	adds bool
	// words make it in the prompt.
	words []promptWord
	// flags are switches that say what a word would, beside those of words.
	flags []promptWord
	// selects is what the view selects, whatever was asked for; nil: just that.
	selects func(selection.Options) selection.Options
	make    func(q *viewRequest, sel *selection.Selection) (product, error)
	// whole makes a view of the profile itself, in place of make.
	whole func(ctx context.Context, q *viewRequest) (product, error)
	// recording makes the view of a whole recording where that is another than
	// that of its profiles; ok is false where it is not. nil: it never is.
	recording func(ctx context.Context, q *viewRequest, f *profiles.Options, operands []string) (p product, ok bool, err error)
}

// promptWord is one of them.
type promptWord struct {
	name, help string
	set        func(*settings) // what it says besides; may be nil
	suffix     string          // of the file it goes to; "" for text
}

// viewRequest is a request for a view.
type viewRequest struct {
	*profiles.Set
	s   settings
	arg *regexp.Regexp // nil where the view takes none
	// base is the first profile that another is compared with; "" without one.
	base string
}

// product is a view in the form that was asked for.
type product struct {
	write    func(io.Writer) error
	warnings []string // that its form has no place for
	suffix   string   // of the file that it goes to unless one is named; "" for text
	// summary is what -json prints of a file that is no JSON itself; nil where
	// write writes the document.
	summary func(output string) document.Document
}

// command makes a verb of a view.
func (v *profileVerb) command() *cli.Command {
	operands, first := profileOperands, 1
	if v.param != "" {
		operands, first = v.param+" "+operands, 2
	}
	return &cli.Command{
		Name: v.name, ReadsOnly: true, Recordings: first, Choices: optionChoices, Operands: operands, Short: v.short, Long: v.long, Examples: v.examples,
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			s, f := defaultSettings(), profiles.Options{}
			s.declare(fs, v.takes|ofColumn|ofOutput)
			f.Declare(fs)
			f.DeclareBases(fs)
			for _, w := range slices.Concat(v.words, v.flags) {
				if w.set != nil {
					fs.BoolFunc(w.name, w.help, func(text string) error {
						on, err := cli.ParseSwitch(text)
						if err == nil && on {
							w.set(&s)
						}
						return err
					})
				}
			}
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				return v.run(ctx, e, s, &f, operands)
			}
		},
	}
}

func (v *profileVerb) run(ctx context.Context, e *cli.Env, s settings, f *profiles.Options, operands []string) error {
	q := &viewRequest{s: s}
	if v.param != "" {
		if len(operands) < 2 {
			return cli.UsageError("%s: name a regular expression and a profile: whet help %s has examples", v.name, v.name)
		}
		var err error
		if q.arg, err = regexp.Compile(operands[0]); err != nil {
			return cli.UsageError("%s: %v", v.name, err)
		}
		operands = operands[1:]
	}
	p, made, err := product{}, false, error(nil)
	if v.recording != nil {
		p, made, err = v.recording(ctx, q, f, operands)
	}
	if !made {
		tuneCollector(slices.Concat(operands, f.Base, f.DiffBase))
		f.Want, f.Sum = v.wanted(q), v.adds && !s.sel.Normalize
		if q.Set, err = f.Open(ctx, operands, e.Stdin, e.Status().Show); err != nil {
			return err
		}
		defer q.Close()
		if bases := slices.Concat(f.Base, f.DiffBase); len(bases) > 0 {
			q.base = profiles.Shown(bases[0])
		}
		p, err = v.product(ctx, q)
	}
	if err != nil {
		return err
	}
	out := q.s.output
	switch {
	case out == "" && (p.suffix != "" || p.summary != nil):
		out = outputName(q.Name, v.name, cmp.Or(p.suffix, "txt"))
	case out == "-" && p.summary != nil:
		return cli.UsageError("%s: -json writes to the standard output too: name a file with -o", v.name)
	}
	opens := q.s.open && p.suffix != ""
	if opens && out == "-" {
		return cli.UsageError("%s: -open needs a file: name one with -o", v.name)
	}
	if err := q.Spare(out); err != nil {
		return err
	}
	if p.summary == nil {
		e.Warn(p.warnings)
	}
	write := func() error { return e.Emit(ctx, out, p.write) }
	if p.summary != nil {
		write = func() error {
			if err := cli.WriteFile(ctx, out, p.write); err != nil {
				return err
			}
			return document.Write(e.Stdout, p.summary(out))
		}
	}
	if err := write(); err != nil {
		return err
	}
	if opens {
		e.Browse(out)
	}
	return nil
}

// A large profile in memory is a few large pieces that the collector needs not look
// into: collecting at a fifth more than what is in use costs little. A small one fits
// many times, and to collect its strings costs a quarter of the time of tags.
const (
	largeBytes, largeGC = 4 << 20, 20 // of files
	smallBytes, smallGC = 2 << 20, 400
)

// tuneCollector makes the collector run as often as suits the size of the files, unless
// the user has said how often.
func tuneCollector(files []string) {
	var size int64
	for _, file := range files {
		st, err := os.Stat(file)
		if err != nil || !st.Mode().IsRegular() {
			return // its size is not known
		}
		size += st.Size()
	}
	switch {
	case os.Getenv("GOGC") != "":
	case size > largeBytes:
		debug.SetGCPercent(largeGC)
	case size < smallBytes:
		debug.SetGCPercent(smallGC)
	}
}

// wanted returns what is to be read of a profile.
func (v *profileVerb) wanted(q *viewRequest) profile.Want {
	sel := &q.s.sel
	if !sel.AllSamples() || sel.Normalize {
		return profile.Want{}
	}
	w := profile.Want{Only: v.reads, Column: sel.SampleIndex, Mean: sel.Mean}
	if v.fits != nil {
		v.fits(q, &w)
	}
	return w
}

// product makes the view that a request asks for.
func (v *profileVerb) product(ctx context.Context, q *viewRequest) (product, error) {
	if v.whole != nil {
		return v.whole(ctx, q)
	}
	o := q.s.sel
	if v.selects != nil {
		o = v.selects(o)
	}
	sel, err := q.selected(v.name, o)
	if err != nil {
		return product{}, err
	}
	p, err := v.make(q, sel)
	if err != nil && v.param != "" {
		err = fmt.Errorf("%s %s of %s: %w", v.name, q.arg, q.Name, err)
	}
	return p, err
}

// outputName returns the default output beside the current directory's files.
func outputName(operand, view, suffix string) string {
	base := filepath.Base(operand)
	if operand == "-" || strings.Contains(operand, "://") {
		base = "profile"
	}
	for _, s := range []string{".whet", ".gz", ".pb", ".pprof", ".prof"} {
		base = strings.TrimSuffix(base, s)
	}
	return base + "." + view + "." + suffix
}

// freeName returns the first name that is free, as pprof numbers its files.
func freeName(suffix string) (string, error) {
	for i := 1; i < 10_000; i++ {
		name := fmt.Sprintf("profile%03d.%s", i, suffix)
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
	}
	return "", fmt.Errorf("profile001 to 9999.%s all exist: name a file with >", suffix)
}
