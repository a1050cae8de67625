package app

import (
	"context"
	"errors"
	"fmt"

	"whet/internal/cli"
	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/recording"
)

// recordDocument is what whet record -json prints. Keys are only ever added.
type recordDocument struct {
	document.Head
	Recording string          `json:"recording"`
	Kind      string          `json:"kind"`
	Target    string          `json:"target"`
	Partial   string          `json:"partial"` // why it is not whole; "" when it is
	Artifacts []artifactEntry `json:"artifacts"`
}

type artifactEntry struct {
	Path  string `json:"path"`
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

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
		return fmt.Errorf("%d of the benchmarks could not be measured, the others were: %s", len(outcome.Failures), outcome.Failures[0])
	}
	return nil
}

func printRecording(e *cli.Env, path string, asJSON bool) error {
	rec, err := recording.Open(path)
	if err != nil {
		return err
	}
	defer rec.Close()
	doc := recordDocument{Head: document.New(document.Record, rec.Warnings), Recording: path,
		Kind: rec.Kind, Target: rec.Target, Partial: rec.Partial, Artifacts: []artifactEntry{}}
	for _, a := range rec.Artifacts {
		doc.Artifacts = append(doc.Artifacts, artifactEntry{a.Path, a.Kind, a.Bytes})
	}
	if asJSON {
		return document.Write(e.Stdout, doc)
	}
	for _, w := range doc.Warnings {
		fmt.Fprintf(e.Stderr, "whet: warning: %s\n", printable.Message(w))
	}
	_, err = fmt.Fprintf(e.Stdout, "recording  %s\n", e.Path(path))
	return err
}
