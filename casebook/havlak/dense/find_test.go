package dense_test

import (
	"testing"

	"whet/casebook/havlak"
	"whet/casebook/havlak/dense"
	"whet/casebook/havlak/havlaktest"
)

func newStage(g havlak.Graph) havlak.Finder { return dense.New(g) }

func TestStage(t *testing.T) { havlaktest.Run(t, newStage) }

func BenchmarkFind(b *testing.B) { havlaktest.Find(b, newStage) }
