package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"whet/internal/cli"
)

// TestDoctorHere runs the verb on the machine at hand: every instrument of the
// runtime has to work wherever the tests do.
func TestDoctorHere(t *testing.T) {
	var out, errs bytes.Buffer
	if err := run(t.Context(), &out, &errs, "-json"); err != nil || errs.Len() > 0 {
		t.Fatalf("%v, stderr %q", err, errs.String())
	}
	var doc struct{ Instruments []instrument }
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Instruments) != len(newExaminer().checks()) {
		t.Errorf("%d instruments, want %d", len(doc.Instruments), len(newExaminer().checks()))
	}
	for _, i := range doc.Instruments {
		switch i.Name {
		case "go", "caches", "compiler diagnostics", "allocation profile", "block profile", "mutex profile", "execution trace":
			if i.Status != statusWorks {
				t.Errorf("%s is %s: %s", i.Name, i.Status, i.Detail)
			}
		}
	}
}

func TestDoctorIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if err := run(ctx, &out, &errs); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("%v, stdout %q; want that it is interrupted and nothing", err, out.String())
	}
}

// run runs the verb with flags.
func run(ctx context.Context, stdout, stderr io.Writer, args ...string) error {
	fs, run := Command().Flags()
	if err := fs.Parse(args); err != nil {
		return err
	}
	return run(ctx, cli.NewEnv(nil, nil, stdout, stderr), nil)
}
