package ledger

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main is a program under bench: run until it ends, or is interrupted.
func Main(program string, run func(ctx context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench/%s: %v\n", program, err)
		os.Exit(1)
	}
}

// Output is where the samples and the table of a program go, by its flags.
type Output struct {
	Name string // of the table
	Dir  string
	// Kept says that the table is to be made from the kept samples.
	Kept bool
}

// Flags declares them.
func Flags(name string) *Output {
	o := &Output{Name: name}
	flag.BoolVar(&o.Kept, "table", false, "make the table from the kept samples, measure nothing")
	flag.StringVar(&o.Dir, "dir", "bench", "directory with README.md and results")
	return o
}

// Tabulate has samples measured and saved, unless those that are kept are wanted, and
// prints and publishes what render makes of them.
func (o *Output) Tabulate(measure func() error, render func(dir string) (string, error)) error {
	if !o.Kept {
		if err := measure(); err != nil {
			return err
		}
	}
	text, err := render(o.Dir)
	if err != nil {
		return err
	}
	fmt.Println(text)
	return Publish(o.Dir, o.Name, text)
}
