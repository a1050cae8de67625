package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"whet/casebook/avatar"
	"whet/casebook/avatar/best"
	"whet/casebook/avatar/constant"
	"whet/casebook/avatar/lrubytes"
	"whet/casebook/avatar/lruimage"
	"whet/casebook/avatar/original"
	"whet/casebook/avatar/quiet"
)

func avatarStudy() study {
	return study{
		name:  "avatar",
		paths: []string{avatar.Path},
		stages: []stage{
			{name: "original", serve: drawing(func(o avatar.Options) (avatar.Server, error) { return original.New(o) })},
			{name: "lruimage", serve: drawing(func(o avatar.Options) (avatar.Server, error) { return lruimage.New(o) })},
			{name: "lrubytes", serve: drawing(func(o avatar.Options) (avatar.Server, error) { return lrubytes.New(o) })},
			{name: "quiet", serve: drawing(func(o avatar.Options) (avatar.Server, error) { return quiet.New(o) })},
			{name: "best", serve: drawing(func(o avatar.Options) (avatar.Server, error) { return best.New(o) })},
		},
		beside: []stage{{name: "constant", serve: ceiling}},
	}
}

func drawing(make func(avatar.Options) (avatar.Server, error)) func(environment) (http.Handler, io.Closer, error) {
	return func(e environment) (http.Handler, io.Closer, error) {
		h, err := make(avatar.DefaultOptions(e.log))
		return h, nil, err
	}
}

// ceiling answers one picture to all: one that best draws, of the length that
// its answers have on the average where a load asks for [constant.Names].
func ceiling(environment) (http.Handler, io.Closer, error) {
	h, err := best.New(avatar.DefaultOptions(io.Discard))
	if err != nil {
		return nil, nil, err
	}
	var pictures [][]byte
	for _, name := range constant.Names() {
		r, err := http.NewRequest(http.MethodGet, avatar.Path+url.PathEscape(name), nil)
		if err != nil {
			return nil, nil, fmt.Errorf("ask for a constant: %w", err)
		}
		q, err := avatar.Read(nil, r, time.Second) // it has no body, so that nothing is written or waited for
		if err != nil {
			return nil, nil, fmt.Errorf("read the request for a constant: %w", err)
		}
		data, err := h.Draw(context.Background(), q.Picture)
		if err != nil {
			return nil, nil, fmt.Errorf("draw a constant: %w", err)
		}
		pictures = append(pictures, data)
	}
	return constant.New(constant.Nearest(pictures)), nil, nil
}
