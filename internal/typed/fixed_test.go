package typed_test

import (
	"fmt"
	"strings"
	"testing"

	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

// shown writes an argument as const "text", var, element of 3, loop, param 1 or
// - for none.
func shown(f typed.FixedArgument) string {
	var parts []string
	if f.By != typed.NotFixed {
		parts = append(parts, map[typed.FixedBy]string{typed.FixedConst: "const", typed.FixedVar: "var", typed.FixedElement: "element", typed.FixedLoop: "loop"}[f.By])
	}
	if f.Of > 0 {
		parts = append(parts, fmt.Sprintf("of %d", f.Of))
	}
	if f.Value != nil {
		parts = append(parts, fmt.Sprintf("%q", *f.Value))
	}
	if f.Param > 0 {
		parts = append(parts, fmt.Sprintf("param %d", f.Param))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, " ")
}

func fixedCalls(t *testing.T) []call {
	t.Helper()
	p := typedtest.Program(t, typedtest.File{Package: "calls.test/mod.x/fixed", Frame: "fixed.go", Text: text(t, "testdata/fixed.go.txt")})
	return callsIn(p)["fixed.go"]
}

func TestFixedArguments(t *testing.T) {
	got := map[string]string{}
	for _, c := range fixedCalls(t) {
		if !strings.HasSuffix(c.Callee, ".show") {
			continue
		}
		if len(c.Fixed) != len(c.Args) {
			t.Fatalf("%d of %d arguments at line %d", len(c.Fixed), len(c.Args), c.Line)
		}
		var args []string
		for _, f := range c.Fixed[1:] {
			args = append(args, shown(f))
		}
		got[*c.Fixed[0].Value] = strings.Join(args, ", ")
	}
	for name, want := range map[string]string{
		"literal":          `const "aword", const, const, const, const, const`,
		"variables":        `var "never set again", -, -, var, -, var "bytes", var, var`,
		"converted":        `const "x", var "bytes", var "never set again"`,
		"locals":           `const "local", const "local", -, -`,
		"params":           `param 1, -, -`,
		"built":            `const, const, -, const, const, -, -`,
		"sums":             `var, -, var, var`,
		"literal function": `-, const "local"`,
		"calls":            `-, -, -`,
		"loop":             `loop, -, -, -, -, -, loop param 1, const "word", param 2`,
		"switched":         `-`,
		"inner":            `loop, loop, loop`,
		"element":          `element of 3, element of 3, loop`,
		"array":            `element of 2`,
		"changed":          `-`,
	} {
		if got[name] != want {
			t.Errorf("%s: %s\nwant %s", name, got[name], want)
		}
	}
}

func TestReceivers(t *testing.T) {
	got := map[string]string{}
	for _, c := range fixedCalls(t) {
		if len(c.Fixed) != 1 || c.Fixed[0].Value == nil || !strings.HasSuffix(c.Callee, ".MatchString") && !strings.HasSuffix(c.Callee, ".Parse") {
			continue
		}
		text := "-"
		if m := c.Recv; m != nil {
			text = fmt.Sprintf("%s(%s) %s %d", m.Callee, shown(m.Fixed[0]), m.Held, m.Uses)
			if m.Line == 0 || m.Line > c.Line && m.Held != "" {
				t.Errorf("made at line %d, used at %d", m.Line, c.Line)
			}
		}
		got[*c.Fixed[0].Value] = text
	}
	for name, want := range map[string]string{
		"package":    `regexp.MustCompile(const "\\d") package 0`,
		"late":       `regexp.MustCompile(var "never set again") package 0`,
		"local":      `regexp.Compile(const "l+") local 2`,
		"field":      `regexp.MustCompile(const "[a]") field 0`,
		"set twice":  "-",
		"given":      "-",
		"chain":      `regexp.MustCompile(const "c*")  0`,
		"varies":     "-",
		"template":   `text/template.New(const "n")  0`,
		"varies too": "-",
	} {
		if got[name] != want {
			t.Errorf("%s: %s\nwant %s", name, got[name], want)
		}
	}
}
