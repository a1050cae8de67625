package pair

import (
	"bytes"
	"fmt"
	"strings"
)

// LastWords is what a program said of its end, ready to stand behind a message:
// why it panicked, of which the goroutines that follow say nothing, or else the
// last line that it printed. "" when it printed nothing.
func LastWords(output []byte) string {
	output = bytes.TrimSpace(output)
	last := output[bytes.LastIndexByte(output, '\n')+1:]
	for line := range bytes.Lines(output) {
		if bytes.HasPrefix(line, []byte("panic: ")) || bytes.HasPrefix(line, []byte("fatal error: ")) {
			last = bytes.TrimSpace(line)
			break
		}
	}
	if len(last) == 0 {
		return ""
	}
	return "; it said " + Show(string(last))
}

// CheckEnv reports the first variable that cannot be set.
func CheckEnv(env [2][]string) error {
	for i, side := range [2]string{"old", "new"} {
		for _, kv := range env[i] {
			if name, _, ok := strings.Cut(kv, "="); !ok || name == "" || strings.ContainsRune(kv, 0) {
				return fmt.Errorf("-%s-env %s: give KEY=value", side, Show(kv))
			}
		}
	}
	return nil
}
