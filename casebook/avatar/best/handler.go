package best

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"time"

	"github.com/sirupsen/logrus"

	"whet/casebook/avatar"
)

// Handler answers pictures. Use New.
type Handler struct {
	log      *logrus.Logger // of requests that are refused
	deadline time.Duration
	cache    cache
	painters chan *painter // those that are free
}

// New returns a stage with an empty cache.
func New(o avatar.Options) (*Handler, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	generator, err := avatar.NewGenerator()
	if err != nil {
		return nil, err
	}
	log := logrus.New()
	log.SetOutput(o.Log)
	log.SetFormatter(&logrus.JSONFormatter{})
	h := &Handler{log: log, deadline: o.Deadline, painters: make(chan *painter, runtime.GOMAXPROCS(0))}
	for range cap(h.painters) {
		h.painters <- newPainter(generator)
	}
	h.cache.init(o.CacheBytes)
	return h, nil
}

// Cached returns the bytes that are kept, those of the bookkeeping among them.
func (h *Handler) Cached() int64 { return h.cache.size() }

// contentType is shared by all answers, as each answer's Content-Length is by
// its requests. Their capacity is their length, so that adding to a header
// copies it; nothing in net/http writes into their elements.
var contentType = []string{avatar.ContentType}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, err := avatar.Read(w, r, h.deadline)
	if err != nil {
		h.refuse(w, err)
		return
	}
	a := h.cache.get(q.Picture)
	if a == nil {
		if a, err = h.miss(r.Context(), q.Picture); err != nil {
			h.refuse(w, err)
			return
		}
	}
	header := w.Header()
	header["Content-Type"] = contentType
	header["Content-Length"] = a.length
	w.Write(a.png)
}

func (h *Handler) refuse(w http.ResponseWriter, err error) {
	status := avatar.Refuse(w, err)
	h.log.WithFields(logrus.Fields{"module": avatar.Module, "status": status}).Warn(err)
}

// miss returns an answer that the cache did not have.
func (h *Handler) miss(ctx context.Context, p avatar.Picture) (*answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(h.deadline)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for {
		a, f, first := h.cache.join(p)
		if a != nil {
			return a, nil
		}
		if first {
			return h.fly(ctx, deadline, p, f)
		}
		a, err := h.cache.wait(ctx, f)
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return a, err
		}
		// The time of the request that drew was over, and this one's is not.
	}
}

// fly draws a picture for this request and all who join its flight. Others may
// wait for what this one's client no longer wants.
func (h *Handler) fly(ctx context.Context, deadline time.Time, p avatar.Picture, f *flight) (*answer, error) {
	drawing, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	defer cancel()
	f.cancel = cancel
	defer context.AfterFunc(ctx, func() { h.cache.leave(f) })()
	h.cache.land(p, f, func() ([]byte, error) { return h.Draw(drawing, p) })
	return f.answer, f.err
}

// Draw makes the PNG of a picture. It waits for a painter.
func (h *Handler) Draw(ctx context.Context, p avatar.Picture) ([]byte, error) {
	select {
	case painter := <-h.painters:
		defer func() { h.painters <- painter }()
		return painter.paint(ctx, p)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
