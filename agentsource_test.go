package whet_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whet"
	"whet/agent"
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

// versions are the sums of the agent's source, version for version, from 1 on.
var versions = []string{
	"69ed97e3944f27eb65887add7d25b2b607d602a2d6b562e128a7e0ee7e084ade",
}

// A copy of the agent in another module is told by its version: no two sources have
// one.
func TestAgentVersion(t *testing.T) {
	files, err := whet.AgentSource()
	if err != nil {
		t.Fatal(err)
	}
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(all, "%s %d\n%s", name, len(files[name]), files[name])
	}
	sum := hex.EncodeToString(all.Sum(nil))
	if agent.Version < 1 || agent.Version != len(versions) || versions[agent.Version-1] != sum {
		t.Errorf("version %d has another source, with the sum %s: if one like it was handed out, raise Version in agent/version.go; add the new sum here, or put it in the last one's place", agent.Version, sum)
	}
}
