package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/pprof/driver"
	"github.com/google/pprof/profile"
)

// query hands over the profiles of a fixture, or asks for a view of them.
type query struct {
	Subject        int
	Measured, Base []byte
	Args           []string
}

// reply is the output of a query.
type reply struct {
	Out   []byte
	Error string
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pprof:", err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer) error {
	subjects := make(map[int]profiles)
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var r query
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read request: %w", err)
		}
		if r.Args == nil {
			p := make(profiles)
			for name, data := range map[string][]byte{"measured": r.Measured, "base": r.Base} {
				var err error
				if p[name], err = profile.ParseData(data); err != nil {
					return fmt.Errorf("read profile: %w", err)
				}
			}
			subjects[r.Subject] = p
			continue
		}
		var a reply
		var err error
		if a.Out, err = view(subjects[r.Subject], r.Args); err != nil {
			a.Error = err.Error()
		}
		if err := answers.Encode(&a); err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
	}
}

// view runs pprof once.
func view(p profiles, args []string) ([]byte, error) {
	out := &memory{}
	set := &flags{FlagSet: flag.NewFlagSet("pprof", flag.ContinueOnError), args: args}
	set.SetOutput(io.Discard)
	err := driver.PProf(&driver.Options{Flagset: set, Fetch: p, Writer: out, UI: quiet{}, Obj: noTools{}})
	return out.Bytes(), err
}

type memory struct{ bytes.Buffer }

func (m *memory) Open(string) (io.WriteCloser, error) { return m, nil }
func (m *memory) Close() error                        { return nil }

// profiles are the profiles of a subject, by the names that command lines give them.
type profiles map[string]*profile.Profile

func (p profiles) Fetch(name string, _, _ time.Duration) (*profile.Profile, string, error) {
	one, ok := p[name]
	if !ok {
		return nil, "", fmt.Errorf("no profile %s", name)
	}
	return one.Copy(), "", nil // pprof changes what it is given
}

type flags struct {
	*flag.FlagSet
	args []string
}

func (f *flags) ExtraUsage() string   { return "" }
func (f *flags) AddExtraUsage(string) {}
func (f *flags) StringList(name, def, usage string) *[]*string {
	list := &[]*string{}
	f.Func(name, usage, func(s string) error {
		*list = append(*list, &s)
		return nil
	})
	return list
}
func (f *flags) Parse(func()) []string {
	if err := f.FlagSet.Parse(f.args); err != nil {
		panic(err) // the test named a flag that pprof does not have
	}
	return f.Args()
}

type quiet struct{}

func (quiet) ReadLine(string) (string, error)     { return "", io.EOF }
func (quiet) Print(...any)                        {}
func (quiet) PrintErr(...any)                     {}
func (quiet) IsTerminal() bool                    { return false }
func (quiet) WantBrowser() bool                   { return false }
func (quiet) SetAutoComplete(func(string) string) {}

// noTools spares pprof the search for objdump and the like.
type noTools struct{}

func (noTools) Open(string, uint64, uint64, uint64, string) (driver.ObjFile, error) {
	return nil, io.EOF
}
func (noTools) Disasm(string, uint64, uint64, bool) ([]driver.Inst, error) { return nil, io.EOF }
