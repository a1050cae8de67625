package cached_test

import (
	"testing"

	"whet/casebook/havlak"
	"whet/casebook/havlak/cached"
	"whet/casebook/havlak/havlaktest"
)

func newStage(g havlak.Graph) havlak.Finder { return cached.New(g) }

func TestStage(t *testing.T) { havlaktest.Run(t, newStage) }

func BenchmarkFind(b *testing.B) { havlaktest.Find(b, newStage) }
