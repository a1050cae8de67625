package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"whet/internal/callstack"
	"whet/internal/format/profile"
)

// stackcollapse-go.pl reads samples of two values, as CPU profiles have them,
// and no others: of a heap profile, whose samples have four, it makes an empty
// picture. So what both ways draw is a profile cut to two values.

// cutFile returns where a process of its own writes a profile of two values: a
// process starts with the peak memory of the one that starts it, so that this
// one must not read profiles before it measures.
func cutFile(ctx context.Context, file, out string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	w, err := os.Create(out)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-cut", file)
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	if err := errors.Join(cmd.Run(), w.Close()); err != nil {
		return fmt.Errorf("cut %s to two values: %w", filepath.Base(file), err)
	}
	return nil
}

// cut writes the profile with its first two values, under the names that CPU
// profiles have for theirs.
func cut(w io.Writer, file string) error {
	p, err := read(file)
	if err != nil {
		return err
	}
	return profile.Write(w, twoValues(p))
}

func read(file string) (*callstack.Profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p, err := profile.Read(f, info.Size(), profile.DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return p, nil
}

// drawnType is the sample type that both draw, as cut calls it.
const drawnType = "samples"

// twoValues returns a profile with the first two values of p, or twice its only one,
// as CPU profiles name them.
func twoValues(p *callstack.Profile) *callstack.Profile {
	out := p.WithColumns(0, min(1, len(p.Types)-1))
	out.Types[0] = callstack.ValueType{Type: drawnType, Unit: "count"}
	out.Types[1] = callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}
	out.DefaultType, out.DefaultNamed = 1, false
	out.PeriodType = out.Types[1]
	return out
}
