package best_test

import (
	"io"
	"testing"

	"whet/casebook/visits"
	"whet/casebook/visits/best"
	"whet/casebook/visits/visitstest"
)

func newStage(w io.Writer) visits.Counter { return best.New(w) }

func TestStage(t *testing.T) { visitstest.Run(t, newStage, visitstest.JSON) }

func TestUnlocked(t *testing.T) { visitstest.RunUnlocked(t, newStage) }

func BenchmarkReused(b *testing.B) { visitstest.Reused(b, newStage) }

func BenchmarkFresh(b *testing.B) { visitstest.Fresh(b, newStage) }
