package quiet

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net/http"
	"strconv"
	"time"

	"github.com/sirupsen/logrus"

	"whet/casebook/avatar"
	"whet/casebook/avatar/lru"
)

// Handler answers pictures. Use New.
type Handler struct {
	log       *logrus.Logger
	deadline  time.Duration
	generator *avatar.Generator
	encoded   *lru.Cache[avatar.Picture, []byte]
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
	encoded, err := lru.New[avatar.Picture](o.CacheBytes, func(data []byte) int64 { return int64(cap(data)) })
	if err != nil {
		return nil, err
	}
	log := logrus.New()
	log.SetOutput(o.Log)
	log.SetFormatter(&logrus.JSONFormatter{})
	return &Handler{log: log, deadline: o.Deadline, generator: generator, encoded: encoded}, nil
}

// Cached returns the bytes of the encoded pictures that are kept.
func (h *Handler) Cached() int64 { return h.encoded.Bytes() }

// Draw makes the PNG of a picture.
func (h *Handler) Draw(ctx context.Context, p avatar.Picture) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	img := h.generator.Draw(p)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return nil, fmt.Errorf("encode a picture: %w", err)
	}
	return buf.Bytes(), nil
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, err := avatar.Read(w, r, h.deadline)
	if err != nil {
		h.refuse(w, err)
		return
	}
	data, ok := h.encoded.Get(q.Picture)
	if !ok {
		ctx, cancel := context.WithTimeout(r.Context(), h.deadline)
		defer cancel()
		if data, err = h.Draw(ctx, q.Picture); err != nil {
			h.refuse(w, err)
			return
		}
		h.encoded.Add(q.Picture, data)
	}

	w.Header().Set("Content-Type", avatar.ContentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.Write(data)
}

func (h *Handler) refuse(w http.ResponseWriter, err error) {
	status := avatar.Refuse(w, err)
	h.log.WithFields(logrus.Fields{"module": avatar.Module, "status": status}).Warn(err)
}
