package original

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
)

// Handler answers pictures. Use New.
type Handler struct {
	log      *logrus.Logger
	deadline time.Duration
}

// New returns a stage that keeps nothing between requests.
func New(o avatar.Options) (*Handler, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	log := logrus.New()
	log.SetOutput(o.Log)
	log.SetFormatter(&logrus.JSONFormatter{})
	return &Handler{log: log, deadline: o.Deadline}, nil
}

// Cached returns 0.
func (h *Handler) Cached() int64 { return 0 }

// Draw makes the PNG of a picture.
func (h *Handler) Draw(ctx context.Context, p avatar.Picture) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	generator, err := avatar.NewGenerator()
	if err != nil {
		return nil, err
	}
	img := generator.Draw(p)
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
	data, err := h.Draw(ctx, q.Picture)
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
