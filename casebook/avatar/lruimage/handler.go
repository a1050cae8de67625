package lruimage

import (
	"bytes"
	"context"
	"fmt"
	"image"
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
	pictures  *lru.Cache[avatar.Picture, *image.RGBA]
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
	pictures, err := lru.New[avatar.Picture](o.CacheBytes, func(img *image.RGBA) int64 { return int64(len(img.Pix)) })
	if err != nil {
		return nil, err
	}
	log := logrus.New()
	log.SetOutput(o.Log)
	log.SetFormatter(&logrus.JSONFormatter{})
	return &Handler{log: log, deadline: o.Deadline, generator: generator, pictures: pictures}, nil
}

// Cached returns the bytes of the pictures that are kept.
func (h *Handler) Cached() int64 { return h.pictures.Bytes() }

// Draw makes the PNG of a picture.
func (h *Handler) Draw(ctx context.Context, p avatar.Picture) ([]byte, error) {
	img, err := h.draw(ctx, p)
	if err != nil {
		return nil, err
	}
	return encode(ctx, img)
}

func (h *Handler) draw(ctx context.Context, p avatar.Picture) (*image.RGBA, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return h.generator.Draw(p), nil
}

func encode(ctx context.Context, img *image.RGBA) ([]byte, error) {
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
	ctx, cancel := context.WithTimeout(r.Context(), h.deadline)
	defer cancel()
	img, ok := h.pictures.Get(q.Picture)
	if !ok {
		if img, err = h.draw(ctx, q.Picture); err != nil {
			h.refuse(w, err)
			return
		}
		h.pictures.Add(q.Picture, img)
	}
	data, err := encode(ctx, img)
	if err != nil {
		h.refuse(w, err)
		return
	}
	h.log.WithFields(logrus.Fields{"module": avatar.Module, "name": q.Name, "size": q.Picture.Size, "bytes": len(data)}).Info(avatar.Message)

	w.Header().Set("Content-Type", avatar.ContentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.Write(data)
}

func (h *Handler) refuse(w http.ResponseWriter, err error) {
	status := avatar.Refuse(w, err)
	h.log.WithFields(logrus.Fields{"module": avatar.Module, "status": status}).Warn(err)
}
