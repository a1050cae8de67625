package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whet/internal/cli"
)

// TestPaletteIsReplacedWhole: the file of a consistent palette is written anew and
// takes the old one's place; a run that is cut off leaves it as it was. The old
// file, held by a second name, shows which of the two happened.
func TestPaletteIsReplacedWhole(t *testing.T) {
	const before = "main.main->rgb(1,2,3)\n"
	palette := file(t, "palette.map", before)
	held := filepath.Join(t.TempDir(), "held")
	if err := os.Link(palette, held); err != nil {
		t.Fatal(err)
	}
	profile, out := file(t, "x", foldedText), filepath.Join(t.TempDir(), "x.svg")
	if _, errs, code := whet(t, "", "flame", "-svg", "-cp", palette, "-o", out, profile); code != cli.ExitDone {
		t.Fatalf("exit code %d, %q", code, errs)
	}
	if now, err := os.ReadFile(palette); err != nil || !strings.Contains(string(now), before) || !strings.Contains(string(now), "main.work->rgb(") {
		t.Errorf("the palette: %q, %v", now, err)
	}
	if old, err := os.ReadFile(held); err != nil || string(old) != before {
		t.Errorf("the old palette was written into: %q, %v", old, err)
	}
	if rest, err := filepath.Glob(filepath.Join(filepath.Dir(palette), "*")); err != nil || len(rest) != 1 {
		t.Errorf("beside the palette: %q, %v", rest, err)
	}
}

// TestFlameOptions: an option that cannot be is refused whatever is written, and
// what is refused is called as it was typed.
func TestFlameOptions(t *testing.T) {
	x := file(t, "x", foldedText)
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"-colors pink -o -", cli.ExitUsage, "pink"},
		{"-colors pink -json", cli.ExitUsage, "pink"},
		{"-svg -colors pink -o -", cli.ExitUsage, "pink"},
		{"-width -5 -o -", cli.ExitUsage, "-5 pixels"},
		{"-html -o -", cli.ExitDone, "<!doctype html>"},
		{"-html -colors aqua -o -", cli.ExitDone, "<!doctype html>"},
		{`-sandwich none\.at.all$ -o -`, cli.ExitFailed, `"none\.at.all$"`},
	} {
		out, errs, code := whet(t, "", append(append([]string{"flame"}, strings.Fields(c.args)...), x)...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("%s: exit code %d, %.200q, %q; want %d and %q", c.args, code, out, errs, c.code, c.says)
		}
	}
}
