package docs

import (
	"slices"
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	blocks, err := Blocks("# Page\n```sh\nmake\n```\ntext\n```console\n$ one \\\n> -two\nout  \n\nmore\n\n$ three # exit 3\n```\n```console sample\n$ four\n$ five\nx\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(blocks) != 3 || blocks[0].Info != "sh" || blocks[1].Info != "console" || !blocks[2].Sample() || blocks[1].Line != 6 {
		t.Fatalf("got %+v", blocks)
	}
	got := append(blocks[1].Commands, blocks[2].Commands...)
	want := []Command{
		{Line: 7, Text: "one \\\n-two", Shown: []string{`$ one \`, "> -two"}, Output: []string{"out", "", "more"}},
		{Line: 13, Text: "three # exit 3", Exit: 3, Shown: []string{"$ three # exit 3"}},
		{Line: 16, Text: "four", Shown: []string{"$ four"}},
		{Line: 17, Text: "five", Shown: []string{"$ five"}, Output: []string{"x"}},
	}
	if !slices.EqualFunc(got, want, func(a, b Command) bool {
		return a.Line == b.Line && a.Text == b.Text && a.Exit == b.Exit && slices.Equal(a.Shown, b.Shown) && slices.Equal(a.Output, b.Output)
	}) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for page, part := range map[string]string{
		"```console\nout\n$ x\n```\n": "line 2: output before",
		"```console\n```\n":           "without a command",
		"```console\n$ x\n":           "not closed",
	} {
		if _, err := Blocks(page); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: error %v, want %q", page, err, part)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		shown, printed string
		ok             bool
	}{
		{"a\nb", "a\nb", true},
		{"a\nb", "a", false},
		{"a", "a\nb", false},
		{"a", "b", false},
		{"a…c", "abc", true},
		{"a…c", "ac", true},
		{"a…c", "abd", false},
		{"a…b…c", "a-b-b-c", true},
		{"a…b…c", "a-c-b", false},
		{"…", "", true},
		{"…", "a\nb\nc", true},
		{"a\n…\nc", "a\nc", true},
		{"a\n…\nc", "a\nb\nc\nc", true},
		{"a\n…\nc", "a\nb", false},
		{"…\nb\n…\nb", "a\nb", false},
		{"…\nb\n…\nb", "a\nb\nb", true},
		{"12 samples", "13 samples", false},
	} {
		err := Match(Lines(tt.shown), Lines(tt.printed))
		if (err == nil) != tt.ok {
			t.Errorf("%q shown, %q printed: %v", tt.shown, tt.printed, err)
		}
	}
}

func TestCut(t *testing.T) {
	printed := []string{"head", "", "Samples", "x", "", "more", "", "recording r", "report r"}
	for info, want := range map[string][]string{
		"console sample":               printed,
		"console sample until Samples": {"head", "", "…", "", "recording r", "report r"},
		"console sample until Nothing": printed,
		"console sample until rec":     printed,
	} {
		if got := (Block{Info: info}).Cut(printed); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", info, got, want)
		}
	}
	if (Block{Info: "console samples"}).Sample() || !(Block{Info: "console sample until x"}).Sample() {
		t.Error("what is a sample")
	}
}

func TestMatchSample(t *testing.T) {
	shown := Lines("findings\n1. logging 72%\n  ! busy\n\ntop\nx 12\n…\nend")
	for printed, ok := range map[string]bool{
		"findings\n1. logging 70%\ntop\ny 9\nz 3\nend": true,
		"findings\nend\ntop":                           false,
		"findings\ntop":                                false,
	} {
		if err := MatchSample(shown, Lines(printed)); (err == nil) != ok {
			t.Errorf("%q: %v", printed, err)
		}
	}
}
