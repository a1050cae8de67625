package child

import (
	"bytes"
	"os"
	"testing"
	"time"
)

// A command runs in a group of its own and says how it ended.
func TestChild(t *testing.T) {
	if os.Getenv("CHILD_TEST") != "" {
		time.AfterFunc(time.Minute, func() { os.Exit(1) })
		os.Stdout.WriteString("here\n")
		if os.Getenv("CHILD_TEST") == "ends" {
			os.Exit(3)
		}
		select {}
	}
	var out bytes.Buffer
	c := Command{Path: os.Args[0], Args: []string{"-test.run=^TestChild$"}, Env: append(os.Environ(), "CHILD_TEST=ends"), Stdout: &out}
	res, err := Run(t.Context(), c)
	if err != nil || res.OK() || res.ExitCode != 3 || out.String() != "here\n" {
		t.Errorf("%+v, %v, %q", res, err, &out)
	}
	c.Env, c.Stdout = append(os.Environ(), "CHILD_TEST=stays"), nil
	r, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	if res := r.Stop(); res == nil || res.Ending != Cancelled {
		t.Errorf("%+v", res)
	}
}
