package app

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTruncatedTexts: of a text format other than folded stacks, too, what
// unpacks of a file that was cut off is shown, and said to be not all.
func TestTruncatedTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program")
	}
	for name, c := range map[string]struct{ head, sample string }{
		"perf script": {"", "w 12 [000] 1.%06d: 7 cycles: \n\t4010%02x main.f+0x1 (/bin/x)\n\n"},
		"goroutines":  {"", "goroutine %d [running]:\nmain.f()\n\t/src/main.go:12 +0x1%02x\n\n"},
		"heap":        {"heap profile: 9000: 90000 [9000: 90000] @ heap/1048576\n", "1: %d [1: 10] @ 0x4010%02x 0x402000\n"},
		"java":        {"--- heapz 1 ---\nformat = java\nresolution = bytes\n", "%d 1 @ 0x10%02x\n"},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		text := c.head
		for range 2000 {
			text += fmt.Sprintf(c.sample, 100000+random.IntN(900000), random.IntN(256))
		}
		whole := packed(t, text)
		_, errs, code := whet(t, "", "merge", "-format", "folded", "-o", "-", file(t, "x.gz", whole[:len(whole)*2/3]))
		if code != 0 || !strings.Contains(errs, "the file is truncated") {
			t.Errorf("%s: exit code %d, %q; want a warning that it is truncated", name, code, errs)
		}
	}
}
