package capture

import (
	"context"
	"fmt"
	"net/http"
)

// maxFlush bounds the list of files that the agent answers with.
const maxFlush = 4 << 20

// Flush makes the agent of a program that is profiled from its start write its
// recording so far.
func (t *Target) Flush(ctx context.Context) error {
	if t.Kind != KindAgent {
		return fmt.Errorf("flush %s: %w", t.address, ErrNotOffered)
	}
	if _, err := t.ask(ctx, http.MethodPost, "flush", nil, 0, maxFlush); err != nil {
		return fmt.Errorf("flush %s: %w", t.address, err)
	}
	return nil
}
