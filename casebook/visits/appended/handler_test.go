package appended_test

import (
	"io"
	"testing"

	"whet/casebook/visits"
	"whet/casebook/visits/appended"
	"whet/casebook/visits/visitstest"
)

func newStage(w io.Writer) visits.Counter { return appended.New(w) }

func TestStage(t *testing.T) { visitstest.Run(t, newStage, visitstest.JSON) }

func BenchmarkReused(b *testing.B) { visitstest.Reused(b, newStage) }

func BenchmarkFresh(b *testing.B) { visitstest.Fresh(b, newStage) }
