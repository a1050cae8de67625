package app

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// tuned is the part of the document that scripts look at first.
type tuned struct {
	Warnings []string
	Verdict  struct{ Kind, Text string }
	Findings []tunedFinding
	Service  struct {
		Requests int64
		Errors   map[string]int64
	}
}

type tunedFinding struct {
	Rule, File string
	Line       int
	DelayRatio *float64 `json:"delay_ratio"`
}

// TestVisitsUnderLoad: of the visit counter under 64 connections, logging is
// the first finding, and the lock that is held during it is among them; of its
// best stage there is nothing to say. The generator is whet as it is built for
// users: with the race detector it would take the machine for itself.
func TestVisitsUnderLoad(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	whet := filepath.Join(t.TempDir(), "whet")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", whet, "./cmd/whet")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tune := func(stage string) tuned {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := l.Addr().String()
		l.Close()
		cmd := exec.CommandContext(t.Context(), whet, "tune", "-json", "-d", "12s", "-warmup", "1s", "-o", filepath.Join(t.TempDir(), stage+".whet"),
			"http://"+address+"/hello?name=Ann&color=teal", "--", "./casebook/cmd/casebook", "-case", "visits", "-stage", stage, "-addr", address, "-pprof-addr", "")
		cmd.Dir, cmd.Stderr = root, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", stage, err, out)
		}
		var doc tuned
		if err := json.Unmarshal(out, &doc); err != nil {
			t.Fatal(err)
		}
		for _, w := range doc.Warnings {
			t.Log(stage, w)
		}
		if doc.Service.Requests == 0 || len(doc.Service.Errors) != 0 {
			t.Errorf("%s: %+v", stage, doc.Service)
		}
		return doc
	}
	original := tune("original")
	if len(original.Findings) < 2 || original.Findings[0].Rule != "logging" {
		t.Fatalf("original: %+v", original)
	}
	i := slices.IndexFunc(original.Findings, func(f tunedFinding) bool { return f.Rule == "lock-held" })
	if i < 0 {
		t.Fatalf("the lock is not among the findings: %+v", original.Findings)
	}
	log, lock := original.Findings[0], original.Findings[i]
	if lock.File != "casebook/visits/original/handler.go" || lock.DelayRatio == nil || *lock.DelayRatio < 0.05 {
		t.Errorf("lock: %+v", lock)
	}
	if log.DelayRatio == nil || *log.DelayRatio != *lock.DelayRatio {
		t.Errorf("the logging statement is held up by the lock, and has its delay: %+v, %+v", log, lock)
	}
	if best := tune("best"); len(best.Findings) != 0 {
		t.Errorf("best: %+v", best.Findings)
	}
}
