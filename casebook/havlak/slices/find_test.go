package slices_test

import (
	"testing"

	"whet/casebook/havlak"
	"whet/casebook/havlak/havlaktest"
	"whet/casebook/havlak/slices"
)

func newStage(g havlak.Graph) havlak.Finder { return slices.New(g) }

func TestStage(t *testing.T) { havlaktest.Run(t, newStage) }

func BenchmarkFind(b *testing.B) { havlaktest.Find(b, newStage) }
