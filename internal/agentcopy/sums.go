package agentcopy

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// sumName is the file that says what whet wrote.
const sumName = "agent.sum"

// sums are the version of a copy and the SHA-256 of its files, by their names:
//
//	whet agent 1
//	0a1b…  agent.go
type sums struct {
	version int
	of      map[string]string
}

const sumsHead = "whet agent "

func (s *sums) text() []byte {
	out := fmt.Appendf(nil, "%s%d\n", sumsHead, s.version)
	for _, name := range slices.Sorted(maps.Keys(s.of)) {
		out = fmt.Appendf(out, "%s  %s\n", s.of[name], name)
	}
	return out
}

// Bounds of what is read.
const (
	maxSums  = 64 << 10
	maxFiles = 500
)

func parseSums(text []byte) (*sums, error) {
	if len(text) > maxSums {
		return nil, errors.New("it is too large to be whet's")
	}
	s := &sums{of: make(map[string]string)}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if i == 0 {
			number, ok := strings.CutPrefix(line, sumsHead)
			version, err := strconv.Atoi(number)
			if !ok || err != nil || version < 1 || strconv.Itoa(version) != number {
				return nil, fmt.Errorf("line 1 is not %q with a version", strings.TrimSpace(sumsHead))
			}
			s.version = version
			continue
		}
		hash, name, ok := strings.Cut(line, "  ")
		raw, err := hex.DecodeString(hash)
		if !ok || err != nil || len(raw) != 32 || hash != strings.ToLower(hash) || name == sumName || name != filepath.Base(name) || !filepath.IsLocal(name) || s.of[name] != "" {
			return nil, fmt.Errorf("line %d is not a checksum and a file name", i+1)
		}
		if s.of[name] = hash; len(s.of) > maxFiles {
			return nil, fmt.Errorf("it has more than %d files", maxFiles)
		}
	}
	return s, nil
}
