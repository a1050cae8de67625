package avatar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	Path        = "/avatar/" // where a server mounts a stage
	Module      = "avatar"   // the log's module field
	Message     = "answered" // the log's message of an answer
	ContentType = "image/png"

	// MaxBody bounds a request's body, in bytes.
	MaxBody = 4 << 10
	// MaxName bounds a name, in characters.
	MaxName = 64

	// Sizes of a picture, in pixels.
	MinSize     = 16
	DefaultSize = 128
	MaxSize     = 512
)

// Options are what a stage is made with.
type Options struct {
	// Log gets one record a call; calls do not overlap.
	Log io.Writer
	// CacheBytes bounds what a stage keeps between requests. A picture that is
	// larger than that is answered and not kept.
	CacheBytes int64
	// Deadline bounds how long a body may take to come, and when work on a
	// picture may still begin.
	Deadline time.Duration
}

// DefaultOptions returns the options of a service that logs to w. The cache
// holds 512 decoded pictures of the default size, or some twenty times as many
// encoded ones. The deadline leaves room for hundreds of requests that all draw
// on one processor.
func DefaultOptions(w io.Writer) Options {
	return Options{Log: w, CacheBytes: 32 << 20, Deadline: 10 * time.Second}
}

// Validate reports options that make no sense.
func (o Options) Validate() error {
	switch {
	case o.Log == nil:
		return errors.New("make a stage: Log is nil: give io.Discard to drop the log")
	case o.CacheBytes < 0:
		return fmt.Errorf("make a stage: CacheBytes is %d: it may not be negative", o.CacheBytes)
	case o.Deadline <= 0:
		return fmt.Errorf("make a stage: Deadline is %v: it has to be positive", o.Deadline)
	}
	return nil
}

// Server is what every stage offers.
type Server interface {
	http.Handler
	// Draw makes the PNG of a picture as a request does that no cache answers.
	// It gives up between its steps once ctx has ended.
	Draw(ctx context.Context, p Picture) ([]byte, error)
	// Cached returns how many bytes are kept between requests, at most
	// Options.CacheBytes.
	Cached() int64
}
