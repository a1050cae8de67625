package pool_test

import (
	"io"
	"testing"

	"whet/casebook/visits"
	"whet/casebook/visits/pool"
	"whet/casebook/visits/visitstest"
)

func newStage(w io.Writer) visits.Counter { return pool.New(w) }

func TestStage(t *testing.T) { visitstest.Run(t, newStage, visitstest.Logfmt) }

func BenchmarkReused(b *testing.B) { visitstest.Reused(b, newStage) }

func BenchmarkFresh(b *testing.B) { visitstest.Fresh(b, newStage) }
