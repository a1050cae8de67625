package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIsMessage holds it to the fixtures of all formats: what begins as a message of
// pprof does is one, and no other format is asked about it.
func TestIsMessage(t *testing.T) {
	messages, texts := 0, 0
	for _, format := range []string{"profile", "legacy", "folded", "goroutines", "perfscript"} {
		files, err := filepath.Glob(filepath.Join("..", "format", format, "testdata", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			head, err := os.ReadFile(name)
			if err != nil {
				continue // a directory
			}
			if len(head) > headBytes {
				head = head[:headBytes]
			}
			if len(head) > 2 && head[0] == 0x1f && head[1] == 0x8b {
				head = gunzipHead(head)
			}
			want := strings.Contains(name, ".pb.gz")
			if got := isMessage(head); got != want && !(want && len(head) == 0) {
				t.Errorf("%s: %t, want %t: it begins with %q", name, got, want, head[:min(len(head), 8)])
			}
			for _, f := range otherFormats() {
				if isMessage(head) && f.is(head) {
					t.Errorf("%s is also another format", name)
				}
			}
			if want {
				messages++
			} else {
				texts++
			}
		}
	}
	if messages < 8 || texts < 20 {
		t.Errorf("%d messages and %d texts: too few to tell", messages, texts)
	}
	for _, text := range []string{"", "\n", "\n\n\n", "\nmain 1\n", "goroutine 1 [running]:\n"} {
		if isMessage([]byte(text)) {
			t.Errorf("%q is no message", text)
		}
	}
}
