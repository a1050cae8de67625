package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"whet/internal/capture/process"
)

// The generator is this program again, in a process of its own: so it can have
// a processor to itself, its memory and collector do not disturb what judges
// the figures, and this process stays small, which is how small the peak of
// memory of a command can be and still be told.

// roleVariable makes this program the generator.
const roleVariable = "CASEBOOK_TABLE_ROLE"

// playGenerator reads its orders from in, writes what it did to out, and ends.
func playGenerator(ctx context.Context, in io.Reader, out, stderr io.Writer) int {
	var d drive
	var did driven
	err := json.NewDecoder(in).Decode(&d)
	if err == nil {
		did, err = d.run(ctx)
	}
	if err == nil {
		err = json.NewEncoder(out).Encode(did)
	}
	if err != nil {
		fmt.Fprintln(stderr, "load:", oneLine(err))
		return failed
	}
	return done
}

// apart drives a service from a process of its own, on some processors.
func (d *drive) apart(ctx context.Context, processors []int) (did driven, err error) {
	orders, err := json.Marshal(d)
	if err != nil {
		return did, err
	}
	path, err := os.Executable()
	if err != nil {
		return did, fmt.Errorf("find this program: %w", err)
	}
	var stdout, stderr bytes.Buffer
	res, err := process.Run(ctx, process.Command{
		Path: path, Env: append(os.Environ(), roleVariable+"=drive"), Processors: processors,
		Stdin: bytes.NewReader(orders), Stdout: &stdout, Stderr: &stderr, MaxOutput: maxOutput,
		Timeout: d.Warmup + d.Duration + 2*patience,
	})
	switch {
	case err != nil:
		return did, fmt.Errorf("start the generator: %w", err)
	case !res.OK():
		return did, fmt.Errorf("%s: %s", ending(res), lastLines(stderr.String(), 5))
	}
	return did, json.Unmarshal(stdout.Bytes(), &did)
}
