package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

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

// ceiling answers one picture to all, the one that best draws for Ann Lee.
func ceiling(environment) (http.Handler, io.Closer, error) {
	h, err := best.New(avatar.DefaultOptions(io.Discard))
	if err != nil {
		return nil, nil, err
	}
	picture, err := h.Draw(context.Background(), avatar.Picture{Initials: [2]rune{'A', 'L'}, Size: avatar.DefaultSize})
	if err != nil {
		return nil, nil, fmt.Errorf("draw the constant: %w", err)
	}
	return constant.New(picture), nil, nil
}
