package explore

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"whet/internal/cli"
	"whet/internal/dotwhet"
	"whet/internal/recording"
	"whet/internal/report/editor"
	"whet/internal/report/listing"
)

// serve talks with an editor over the standard streams, of the recording that was
// named, or of the newest one with figures of lines.
func (v *linesView) serve(ctx context.Context, e *cli.Env, operands []string) error {
	n := &newestLines{of: v, named: cmp.Or(operands...)}
	err := editor.Serve(ctx, e.Stdin, e.Stdout, cli.Version(), n.page)
	if errors.Is(err, editor.ErrNoShutdown) {
		return &cli.ExitError{Code: cli.ExitFound, Err: err} // the protocol says 1
	}
	return err
}

// newestLines keeps the page of the newest recording that has figures of lines.
type newestLines struct {
	of    *linesView
	named string // a recording; "": the newest is looked for

	mu      sync.Mutex
	path    string
	written time.Time
	last    *listing.Page
}

// page returns the page of the newest recording of the module around a directory; nil where
// there is none.
func (n *newestLines) page(ctx context.Context, root string) (*listing.Page, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	path := n.named
	if path == "" {
		place, err := dotwhet.Of(cmp.Or(root, "."))
		if err != nil {
			return nil, err
		}
		list, err := place.List()
		i := slices.IndexFunc(list, func(r dotwhet.Entry) bool { return n.of.options.HasLines(&r.Manifest) })
		if err != nil || i < 0 {
			return nil, err
		}
		if path = list[i].Path; !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
	}
	st, err := os.Stat(filepath.Join(path, recording.ManifestName))
	if err != nil {
		return nil, err
	}
	if n.last != nil && n.path == path && n.written.Equal(st.ModTime()) {
		return n.last, nil
	}
	p, err := n.of.page(ctx, path, root, listing.Options{All: true})
	if err != nil {
		return nil, err
	}
	n.path, n.written, n.last = path, st.ModTime(), p
	return p, nil
}
