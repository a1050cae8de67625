package app

import (
	"context"
	"errors"
	"fmt"

	"whet/internal/cli"
	"whet/internal/printable"
	"whet/internal/recording"
	"whet/internal/report/run"
)

// runRecord records and says what there is.
func runRecord(ctx context.Context, e *cli.Env, record recordFunc, asJSON bool) error {
	outcome, err := record(ctx)
	if outcome.Path == "" {
		return cli.MeasuringError(err, "interrupted")
	}
	err = errors.Join(err, printRecording(e, outcome.Path, asJSON))
	if err != nil {
		return cli.KeptError(err, "what was recorded", outcome.Path)
	}
	if len(outcome.Failures) > 0 {
		return fmt.Errorf("%d of the benchmarks could not be measured: %s", len(outcome.Failures), outcome.Failures[0])
	}
	return nil
}

func printRecording(e *cli.Env, path string, asJSON bool) error {
	rec, err := recording.Open(path)
	if err != nil {
		return err
	}
	defer rec.Close()
	if asJSON {
		return run.WriteRecordingJSON(e.Stdout, rec)
	}
	for _, w := range rec.Warnings {
		fmt.Fprintf(e.Stderr, "whet: warning: %s\n", printable.Message(w))
	}
	_, err = fmt.Fprintf(e.Stdout, "recording  %s\n", e.Path(path))
	return err
}
