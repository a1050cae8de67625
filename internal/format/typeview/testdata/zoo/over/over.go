// Package over is imported, and refers to a kept package.
package over

import (
	"example.com/zoo/mid"
	"example.com/zoo/shapes"
)

type Over struct {
	*mid.Mid
	G mid.Gen[*Over]
	L shapes.List[mid.Mid]
	A mid.GenAlias[int]
	N mid.Name
}

type Mine mid.Face

type Alias = mid.Mid

type Wide interface {
	mid.Face
	Wide() Mine
}

func Make(f mid.Face, g mid.Gen[mid.Mid]) (Wide, *Over) { return nil, nil }

var Small = mid.Small()
