package app

import (
	"context"
	"os"
	"strings"

	"whet/internal/callstack"
	"whet/internal/cli"
	"whet/internal/profiles"
	"whet/internal/read"
	"whet/internal/report/run"
)

// namesRecording reports whether the operands of diagnose name a recording, or
// nothing that could be a profile: its errors are the better ones then.
func namesRecording(operands []string) bool {
	if len(operands) == 0 {
		return true
	}
	first := operands[0]
	if _, url := cli.AsURL(first); url || first == "-" {
		return false
	}
	st, err := os.Stat(first)
	return err != nil || st.IsDir()
}

// profilePage lays out the report of profiles that no recording stands around.
func profilePage(ctx context.Context, e *cli.Env, operands []string, html string) (*run.Page, error) {
	var f profiles.Options
	s, err := f.Open(ctx, operands, e.Stdin, e.Status().Show)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var opened []*callstack.Profile
	for _, src := range s.Sources {
		opened = append(opened, src.Profile)
	}
	texts := s.Resolver("", "")
	in := read.LoneProfile{
		Name: s.Name, Profiles: opened, MaxFrames: f.Limits().MaxFrames * int64(len(opened)),
		Text: func(frameFile string) []byte {
			text, err := texts.Text(frameFile)
			if err != nil {
				return nil
			}
			return []byte(strings.Join(text.Lines, "\n"))
		},
		Display: func(frameFile string) string {
			display, _ := texts.Display(frameFile)
			return display
		},
	}
	page, err := in.Page()
	if err != nil {
		return nil, err
	}
	return page, writePage(ctx, html, page)
}
