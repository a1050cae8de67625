package best_test

import (
	"testing"

	"whet/casebook/havlak"
	"whet/casebook/havlak/best"
	"whet/casebook/havlak/havlaktest"
)

func newStage(g havlak.Graph) havlak.Finder { return best.New(g) }

func TestStage(t *testing.T) { havlaktest.Run(t, newStage) }

func BenchmarkFind(b *testing.B) { havlaktest.Find(b, newStage) }
