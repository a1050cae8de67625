package underload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// A target that is gone lacks every profile for one reason, which appears once.
func TestMissedOncePerCause(t *testing.T) {
	var m Stretch
	refused := func(path string) error {
		return fmt.Errorf("fetch profile http://localhost/%s: %w", path, errors.New("connection refused"))
	}
	for _, kind := range []string{"allocs", "mutex", "allocs", "heap"} {
		m.missed(t.Context(), kind, refused(kind))
	}
	m.missed(t.Context(), "cpu", errors.New("another has it"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	m.missed(ended, "trace", errors.New("nobody asks any more"))
	if len(m.lacking) != 2 || !slices.Equal(m.lacking[0].kinds, []string{"allocs", "mutex", "heap"}) ||
		m.lacking[0].first.Error() != "fetch profile http://localhost/allocs: connection refused" || !slices.Equal(m.lacking[1].kinds, []string{"cpu"}) {
		t.Errorf("%+v", m.lacking)
	}
}
