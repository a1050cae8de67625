package havlak

import (
	"context"
	"fmt"
	"io"
)

// Analyze is the program that is measured: a finder is made for the graph, the
// loops are found once and then Repeats times more, and what was found the
// first time is printed. It ends early, between two analyses, when ctx is
// done.
func Analyze(ctx context.Context, w io.Writer, g Graph, stage New) error {
	finder := stage(g)
	first := finder.Find()
	for i := range Repeats {
		if err := context.Cause(ctx); err != nil {
			return fmt.Errorf("analyze: ended after %d of %d times: %w", 1+i, 1+Repeats, err)
		}
		if n := finder.Find().Len(); n != first.Len() {
			return fmt.Errorf("analyze: %d loops the first time and %d when repeated %d times", first.Len(), n, i+1)
		}
	}
	var atDepth []int
	for l := range first.Loops() {
		for len(atDepth) <= l.Depth {
			atDepth = append(atDepth, 0)
		}
		atDepth[l.Depth]++
	}
	// Depth 0 is the root alone.
	if _, err := fmt.Fprintf(w, "%d loops and the root, in %d blocks\n", first.Len()-1, g.Blocks()); err != nil {
		return fmt.Errorf("print what was found: %w", err)
	}
	for depth := 1; depth < len(atDepth); depth++ {
		if _, err := fmt.Fprintf(w, "depth %d: %d loops\n", depth, atDepth[depth]); err != nil {
			return fmt.Errorf("print what was found: %w", err)
		}
	}
	return nil
}
