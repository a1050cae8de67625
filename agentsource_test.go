package whet_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whet"
)

// What the binary carries is what lies in agent/, file by file.
func TestAgentSource(t *testing.T) {
	have, err := whet.AgentSource()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("agent")
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		want++
		data, err := os.ReadFile(filepath.Join("agent", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have[name], data) {
			t.Errorf("%s: %d bytes are carried, and it has %d", name, len(have[name]), len(data))
		}
	}
	if len(have) != want || want == 0 {
		t.Errorf("%d files are carried, and there are %d", len(have), want)
	}
}
