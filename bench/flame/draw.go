package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"whet/bench/ledger"
	"whet/internal/quantity"
)

// draw makes the flame graph of each profile in both ways, in turns.
func draw(ctx context.Context, files []string, scripts string, turns int, subjects []Profile) error {
	if turns < 6 {
		return fmt.Errorf("-turns %d: 6 are the fewest with a 95 %% interval", turns)
	}
	collapse, paint := filepath.Join(scripts, "stackcollapse-go.pl"), filepath.Join(scripts, "flamegraph.pl")
	for _, script := range []string{collapse, paint} {
		if _, err := os.Stat(script); err != nil {
			return fmt.Errorf("-scripts: %w: get it from https://github.com/brendangregg/FlameGraph", err)
		}
	}
	tmp, err := os.MkdirTemp("", "whet-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	whet, pprof, err := ledger.Programs(ctx, tmp)
	if err != nil {
		return err
	}
	input, page, picture := filepath.Join(tmp, "input.pb.gz"), filepath.Join(tmp, "flame.html"), filepath.Join(tmp, "flame.svg")
	// The names are arguments of the shell, so that none is read as a command.
	const pipeline = `"$0" -raw "$1" | perl "$2" | perl "$3" >"$4"`
	for i, file := range files {
		s := &subjects[i]
		if err := cutFile(ctx, file, input); err != nil {
			return err
		}
		info, err := os.Stat(input)
		if err != nil {
			return err
		}
		s.InputBytes = info.Size()
		err = ledger.Turns(ctx, turns,
			ledger.Tool{
				Path: whet, Args: []string{"flame", "-sample_index=" + drawnType, "-o", page, input},
				Check: wrote(page, "</html>", &s.WhetBytes), Runs: &s.Whet,
			},
			ledger.Tool{
				Path: "sh", Args: []string{"-c", pipeline, pprof, input, collapse, paint, picture},
				Check: wrote(picture, "</svg>", &s.ClassicBytes), Runs: &s.Classic,
			})
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: %d turns\n", filepath.Base(file), turns)
	}
	return nil
}

// wrote demands that a file is whole, notes its size and removes it, so that
// the next turn has to write it again.
func wrote(name, end string, size *int64) func([]byte) error {
	return func([]byte) error {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !bytes.HasSuffix(bytes.TrimSpace(data), []byte(end)) {
			return errors.New("the file it wrote does not end with " + end)
		}
		// A page has one, and every frame of a picture: flamegraph.pl draws its
		// complaint that there is nothing to draw, too.
		if !bytes.Contains(data, []byte("<title>")) {
			return errors.New("the picture it wrote has no frames")
		}
		*size = int64(len(data))
		return os.Remove(name)
	}
}

// drawn returns the table of how soon the flame graphs were there; empty where that
// was not measured.
func drawn(subjects []Profile) string {
	t := ledger.Table{Head: []string{"profile", "sample type", "samples", "whet flame", "pprof -raw and the scripts", "scripts/whet, time", "95 % interval", "whet CPU", "scripts CPU", "whet memory", "scripts memory", "whet's file", "scripts' file", "turns"}}
	for _, s := range subjects {
		if len(s.Whet) == 0 {
			continue
		}
		ratio, interval := s.Classic.Times(s.Whet)
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%s (%s)", s.Name, quantity.Bytes(float64(s.InputBytes))), s.Type, quantity.Count(float64(s.Samples)),
			s.Whet.Wall(), s.Classic.Wall(), ratio, interval, s.Whet.CPU(), s.Classic.CPU(), s.Whet.Memory(), s.Classic.Memory(),
			quantity.Bytes(float64(s.WhetBytes)), quantity.Bytes(float64(s.ClassicBytes)), quantity.Count(float64(len(s.Whet))),
		})
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return t.Markdown() + "\n"
}
