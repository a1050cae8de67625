package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
)

// Each row speaks about its example as it is before, once and at the call, and
// neither it nor another speaks about the same after.
func TestKnowledgeByExample(t *testing.T) {
	reg := registry(t)
	for _, row := range knowledge.Table() {
		t.Run(row.ID, func(t *testing.T) {
			before := findingsOf(t, reg, &row, row.Example.Before)
			at := slices.IndexFunc(before, func(f finding.Finding) bool { return f.Row == row.ID })
			if at < 0 {
				t.Fatalf("before: it is silent; %s", summary(before))
			}
			if conversions[row.Callees[0]] != "" && before[at].AllocBytesRatio == 0 {
				t.Errorf("before: the conversion's blocks are not counted; %s", summary(before))
			}
			for i, f := range before {
				if i != at && (f.Row != "" || f.Line == before[at].Line) {
					t.Errorf("before: another speaks too; %s", summary(before))
				}
			}
			after := findingsOf(t, reg, &row, row.Example.After)
			if slices.ContainsFunc(after, func(f finding.Finding) bool { return f.Row != "" }) {
				t.Errorf("after: %s", summary(after))
			}
		})
	}
}

func summary(fs []finding.Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, fmt.Sprintf("line %d: %s %s: %s", f.Line, f.Rule, f.Row, f.Why))
	}
	return strings.Join(out, "\n")
}

// findingsOf returns what is found in an example whose calls take all of the time and
// memory.
func findingsOf(t *testing.T, reg *diagnose.Registry, row *knowledge.Row, body string) []finding.Finding {
	t.Helper()
	src, err := row.Example.Source("app", "f", body)
	if err != nil {
		t.Fatal(err)
	}
	program := typedProgram(t, src)
	if pkg := program.Package("m/app"); pkg.Errors > 0 {
		t.Fatalf("%s\n%s", pkg.Reason, src)
	}
	var cpu, allocs []stack
	for _, c := range program.Sites("app.go", 1, strings.Count(src, "\n")+1) {
		callee := c.Callee()
		if callee == "" || c.Function() != "m/app.f" {
			continue
		}
		if conversion := conversions[callee]; slices.Contains(row.Callees, callee) && conversion != "" {
			cpu = append(cpu, stack{frames: fmt.Sprintf("m/app.f:%d %s runtime.mallocgc", c.Line(), conversion), n: 1000})
			allocs = append(allocs, stack{frames: fmt.Sprintf("m/app.f:%d", c.Line()), n: 1000, size: 64})
			continue
		}
		frames := fmt.Sprintf("m/app.f:%d %s runtime.mallocgc", c.Line(), strings.ReplaceAll(callee, " ", ""))
		cpu = append(cpu, stack{frames: frames, n: 1000})
		allocs = append(allocs, stack{frames: strings.TrimSuffix(frames, " runtime.mallocgc"), n: 1000, size: 64})
	}
	if len(cpu) == 0 {
		cpu = []stack{{frames: "m/app.f:3", n: 1000}}
	}
	return run(t, reg, []*diagnose.Subject{app(t, src, known, cpu, allocs)}).Findings
}

// conversions are what the runtime calls its functions for those that rows are about.
var conversions = map[string]string{
	"string([]byte)": "runtime.slicebytetostring", "[]byte(string)": "runtime.stringtoslicebyte", "[]rune(string)": "runtime.stringtoslicerune",
}

// A statement's own blocks are not counted as a conversion's where something else in
// it may take memory.
func TestConversionBlocks(t *testing.T) {
	reg := registry(t)
	for body, counted := range map[string]bool{
		`return strings.Contains(string(b), "x")`:                                      true,
		`return strings.Contains(string(b), "x") || cap(append([]int(nil), n...)) > 3`: false,
		`return strings.Contains(string(b), "x") || len(s+s) > 3`:                      false,
		`return strings.Contains(string(b), "x") || len([]int{1, n[0]}) > 3`:           false,
	} {
		row := knowledge.Row{Callees: []string{"string([]byte)"}, Example: knowledge.Example{Params: "b []byte, s string, n []int", Result: "bool"}}
		found := findingsOf(t, reg, &row, body)
		at := slices.IndexFunc(found, func(f finding.Finding) bool { return f.Row == "string-of-bytes-strings" })
		if at < 0 || (found[at].AllocBytesRatio > 0) != counted {
			t.Errorf("%s: counted is not %v; %s", body, counted, summary(found))
		}
	}
}

// The table is whole: ids, causes, texts, and what was measured.
func TestKnowledgeTable(t *testing.T) {
	seen := make(map[string]bool)
	var causes []string
	for _, r := range knowledge.Rules() {
		causes = append(causes, r.ID)
	}
	for _, row := range knowledge.Table() {
		if seen[row.ID] {
			t.Errorf("%s stands there twice", row.ID)
		}
		seen[row.ID] = true
		if !slices.Contains(causes, row.Cause) || len(row.Callees) == 0 || row.Cost == "" || !strings.HasSuffix(row.Instead, ".") || row.Confidence == "" {
			t.Errorf("%s lacks its cause, callees, cost, remedy or confidence", row.ID)
		}
		switch g := knowledge.GainOf(row.ID); {
		case g == nil:
			t.Errorf("%s was not measured: make knowledge", row.ID)
		case !g.Worth():
			t.Errorf("%s gains too little, %.2fx (%.2f to %.2f) and %d to %d allocations: delete it", row.ID, g.Ratio, g.Low, g.High, g.Before, g.After)
		}
	}
}
