package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"whet/internal/cli"
	"whet/internal/explore"
	"whet/internal/printable"
	"whet/internal/recording"
)

// hostileName clears a screen, reorders and hides text, ends lines and strings
// of other languages, and is no valid UTF-8.
const hostileName = "evil\x1b[2J\x1b]0;pwned\a\u202egnp.exe\u2066\u200b\u2028\u009b\r\nnext\tcell\x00\xff</script><b>\"'; \x7f\U000e0041end"

// hostileProfile has that name wherever a profile has one.
func hostileProfile() string {
	return pbType(1, 1) + pbType(2, 3) +
		pbBytes(2, pbNumber(1, 1), pbNumber(1, 2), pbNumber(2, 5), pbNumber(2, 6), pbBytes(3, pbNumber(1, 1), pbNumber(2, 1)), pbBytes(3, pbNumber(1, 1), pbNumber(3, 7), pbNumber(4, 1))) +
		pbBytes(2, pbNumber(1, 2), pbNumber(2, 3), pbNumber(2, 4)) +
		pbBytes(2, pbNumber(1, 3), pbNumber(2, 1), pbNumber(2, 2)) +
		pbBytes(3, pbNumber(1, 1), pbNumber(2, 0x1000), pbNumber(3, 0x9000), pbNumber(5, 1), pbNumber(6, 1)) +
		pbBytes(4, pbNumber(1, 1), pbNumber(2, 1), pbNumber(3, 0x1010), pbLine(1, 3)) +
		pbBytes(4, pbNumber(1, 2), pbNumber(2, 1), pbNumber(3, 0x1020), pbLine(2, 4), pbLine(1, 5)) +
		pbBytes(4, pbNumber(1, 3), pbNumber(2, 1), pbNumber(3, 0x1030)) +
		pbFunction(1, 1, 1) + pbFunction(2, 4, 1) +
		pbNumber(13, 1) + pbNumber(15, 1) + // comment and address of documentation
		pbStrings("", hostileName, "cpu", "nanoseconds", "other"+hostileName)
}

// hostileTrace has it as the type of a task, of a region and of a log.
func hostileTrace(t *testing.T) string {
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	ctx, task := trace.NewTask(t.Context(), hostileName)
	trace.WithRegion(ctx, hostileName, func() { trace.Log(ctx, hostileName, hostileName) })
	task.End()
	trace.Stop()
	return out.String()
}

// hostileRecording has it in its profile and in what the compiler said.
func hostileRecording(t *testing.T) string {
	w, err := recording.Create(filepath.Join(t.TempDir(), "x.whet"), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	w.Manifest.Kind = recording.TargetProgram
	for _, a := range []struct{ path, kind, text string }{
		{"profiles/cpu.pb.gz", recording.KindCPU, hostileProfile()},
		{"build/compiler.txt", recording.KindDiagnostics, hostileName + ":7:1: moved to heap: " + hostileName + "\n"},
	} {
		if err := w.Write(recording.Artifact{Path: a.path, Kind: a.kind}, []byte(a.text)); err != nil {
			t.Fatal(err)
		}
	}
	path, err := w.Finish(0, "")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHostileNames: whatever a view prints of a profile's names, a terminal
// shows it and obeys none of it; documents stay documents.
func TestHostileNames(t *testing.T) {
	profile := file(t, "x.pb", hostileProfile())
	other := file(t, "y.pb", strings.Replace(hostileProfile(), "other", "OTHER", 1))
	traced, recorded := file(t, "x.trace", hostileTrace(t)), hostileRecording(t)
	views := map[string][][]string{
		"top": {nil, {"-lines"}, {"-addresses"}, {"-tagroot", "evil"}}, "tree": {nil}, "peek": {{"."}}, "list": {{"."}}, "tags": {nil}, "raw": {nil},
		"weblist": {{"-o", "-", "."}}, "disasm": {{"."}},
		"graph": {{"-o", "-"}, {"-o", "-", "-format", "dot"}, {"-o", "-", "-format", "svg"}, {"-o", "-", "-format", "callgrind"}, {"-o", "-", "-format", "html"}},
		"flame": {{"-o", "-"}, {"-o", "-", "-svg"}},
		"merge": {{"-o", "-", "-folded"}, {"-o", "-", "-speedscope"}},
		"diff":  {nil},
		"trace": {nil, {"-all"}, {"-html", "-o", "-"}},
		"lines": {nil, {"-format", "html", "-o", "-"}, {"-format", "diagnostics"}},
	}
	for _, c := range explore.Commands() {
		if views[c.Name] == nil && c.Name != explore.PromptName {
			t.Errorf("the view %s is not tried", c.Name)
		}
	}
	shown := 0
	for name, variants := range views {
		for _, args := range variants {
			operands := []string{profile}
			if name == "diff" {
				operands = []string{profile, other}
			}
			if name == "trace" {
				operands = []string{traced}
			}
			if name == "lines" {
				operands = []string{recorded, "."}
			}
			for _, asJSON := range []bool{false, true} {
				all := append(append([]string{name}, args...), operands...)
				if asJSON {
					if name == "merge" {
						all = []string{name, "-json", "-o", filepath.Join(t.TempDir(), "out"), profile}
					} else if (name == "graph" || name == "trace") && len(args) > 2 || name == "lines" && args != nil {
						continue
					} else {
						all = append([]string{name, "-json"}, all[1:]...)
					}
				}
				out, errs, code := whet(t, "", all...)
				if strings.Contains(out, "evil") {
					shown++
				}
				for stream, text := range map[string]string{"output": out, "errors": errs} {
					if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && printable.Hidden(r) }); at >= 0 {
						t.Errorf("%q: %q in its %s", all, text[max(0, at-60):min(len(text), at+20)], stream)
					}
					if !utf8.ValidString(text) {
						t.Errorf("%q: invalid bytes in its %s", all, stream)
					}
				}
				if asJSON && code == cli.ExitDone && !json.Valid([]byte(out)) {
					t.Errorf("%q: no JSON: %.200q", all, out)
				}
				if code != cli.ExitDone && name != "disasm" && name != "list" {
					t.Errorf("%q: exit code %d: %q", all, code, errs)
				}
			}
		}
	}
	if shown < 15 {
		t.Errorf("only %d views show a name: the others prove nothing", shown)
	}
}

// TestHostileNamesInFiles: what is written for other programs can be read back,
// each time with the same names.
func TestHostileNamesInFiles(t *testing.T) {
	profile, dir := file(t, "x.pb", hostileProfile()), t.TempDir()
	folded, again := filepath.Join(dir, "x.folded"), filepath.Join(dir, "y.folded")
	for _, args := range [][]string{{"merge", "-folded", "-o", folded, profile}, {"merge", "-folded", "-o", again, folded}} {
		if _, errs, code := whet(t, "", args...); code != cli.ExitDone {
			t.Fatalf("%q: exit code %d, %q", args, code, errs)
		}
	}
	one, err := os.ReadFile(folded)
	two, err2 := os.ReadFile(again)
	if err != nil || err2 != nil || !bytes.Equal(one, two) || bytes.Count(one, []byte("\n")) != 3 {
		t.Errorf("%v, %v: %q, then %q", err, err2, one, two)
	}
	document := filepath.Join(dir, "x.json")
	if _, errs, code := whet(t, "", "merge", "-speedscope", "-o", document, profile); code != cli.ExitDone {
		t.Fatalf("exit code %d, %q", code, errs)
	}
	text, err := os.ReadFile(document)
	var d struct {
		Shared struct{ Frames []struct{ Name string } }
	}
	if err != nil || json.Unmarshal(text, &d) != nil || len(d.Shared.Frames) != 3 || d.Shared.Frames[0].Name != strings.ToValidUTF8(hostileName, "\ufffd") {
		t.Errorf("%v: %q", err, text)
	}
}
