package rules_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/format/typeview"
	"whet/internal/typed"
)

// Sources that do not type-check, or do not parse, are judged as far as they have
// types; no rule fails on them.
func TestDamagedFixtures(t *testing.T) {
	files := keptTexts(t)
	found, err := filepath.Glob(filepath.Join("*", "fixtures", "*", "app_test.go"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no fixtures (%v)", err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, file := range found {
		dir := filepath.Dir(file)
		kept := open(t, dir)
		view, err := typeview.Read(kept.Types, typeview.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			texts := damaged(r, files, 1+4*n)
			program := typed.New(view, texts)
			for _, s := range kept.subjects(t, files) {
				s.Program, s.Source = program, texts
				run(t, fixtureRegistry(t), []*diagnose.Subject{s})
			}
		}
	}
}

// damaged changes n lines of each of the module's files.
func damaged(r *rand.Rand, files texts, n int) texts {
	changed := make(map[string][]byte)
	return func(name string) []byte {
		if text, ok := changed[name]; ok {
			return text
		}
		text := files(name)
		if !strings.HasPrefix(name, inModule) {
			return text
		}
		lines := bytes.Split(text, []byte("\n"))
		for range n {
			line := &lines[r.IntN(len(lines))]
			switch r.IntN(4) {
			case 0:
				*line = nil
			case 1:
				*line = bytes.ReplaceAll(*line, []byte("."), []byte(".x"))
			case 2:
				*line = bytes.ReplaceAll(*line, []byte("("), []byte("(unknown, "))
			case 3:
				*line = bytes.ReplaceAll(*line, []byte(":="), []byte("="))
			}
		}
		changed[name] = bytes.Join(lines, []byte("\n"))
		return changed[name]
	}
}
