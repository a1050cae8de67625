package house

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the plan's table into CONTRIBUTING.md")

// Beginning and end of what is generated in CONTRIBUTING.md.
const (
	tableBegins = "<!-- floors: go test ./internal/house -update -->\n\n"
	tableEnds   = "\n<!-- end of floors -->\n"
)

func TestContributingHasThePlan(t *testing.T) {
	file := filepath.Join("..", "..", "CONTRIBUTING.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), tableBegins)
	table, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatalf("CONTRIBUTING.md has lost the lines around the plan's table: %q and %q", tableBegins, tableEnds)
	}
	want := House().Table()
	if table == want {
		return
	}
	if !*update {
		t.Fatalf("the table in CONTRIBUTING.md is not the plan's: go test ./internal/house -update")
	}
	if err := os.WriteFile(file, []byte(before+tableBegins+want+tableEnds+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestTable(t *testing.T) {
	plan := Plan{Rows: []Row{
		{Pattern: ".", Floor: Agent},
		{Pattern: "internal/stat", Floor: Ground},
		{Pattern: "internal/recording", Floor: Ground, Powers: Files},
		{Pattern: "internal/capture/...", Floor: Instruments, Powers: All},
		{Pattern: "internal/timeline", Floor: Ground, Planned: true},
		{Pattern: "bench/...", Floor: Outside, Powers: All},
	}}
	want := []string{
		"| ground floor | `stat`, `recording` (files) | `timeline` |",
		"| agent | the root |  |",
		"| second floor, left | `capture/...` (all) |  |",
	}
	got := plan.Table()
	for _, line := range want {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %s in\n%s", line, got)
		}
	}
	if strings.Contains(got, "bench") {
		t.Errorf("what is outside the house stands in\n%s", got)
	}
}
