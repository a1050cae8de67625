//go:build unix

package profiles

import (
	"fmt"
	"io"
	"os"
	"testing"
)

// TestPipesAreReadOnce: looking whether an operand is a program takes nothing
// from a pipe, as in whet top <(curl …) other.pb.gz.
func TestPipesAreReadOnce(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("\x7fELF and more"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if IsExecutable(fmt.Sprintf("/dev/fd/%d", r.Fd())) {
		t.Error("a pipe is taken for a program")
	}
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "\x7fELF and more" {
		t.Errorf("what is left in the pipe: %q, %v", rest, err)
	}
}
