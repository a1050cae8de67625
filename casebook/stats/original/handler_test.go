package original_test

import (
	"testing"

	"whet/casebook/stats"
	"whet/casebook/stats/original"
	"whet/casebook/stats/statstest"
)

func newStage(l *stats.Ledger) stats.Service { return original.New(l) }

func TestStage(t *testing.T) { statstest.Run(t, newStage) }

func BenchmarkName(b *testing.B) { statstest.Name(b, newStage) }

func BenchmarkSimple(b *testing.B) { statstest.Simple(b, newStage) }

func BenchmarkAdvance(b *testing.B) { statstest.Advance(b, newStage) }
