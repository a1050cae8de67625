package zerolog_test

import (
	"io"
	"testing"

	"whet/casebook/visits"
	"whet/casebook/visits/visitstest"
	"whet/casebook/visits/zerolog"
)

func newStage(w io.Writer) visits.Counter { return zerolog.New(w) }

func TestStage(t *testing.T) { visitstest.Run(t, newStage, visitstest.JSON) }

func BenchmarkReused(b *testing.B) { visitstest.Reused(b, newStage) }

func BenchmarkFresh(b *testing.B) { visitstest.Fresh(b, newStage) }
