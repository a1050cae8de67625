package leaky_test

import (
	"testing"

	"whet/casebook/ingest"
	"whet/casebook/ingest/ingesttest"
	"whet/casebook/ingest/leaky"
)

func newStage(sink ingest.Sink) ingest.Intake { return leaky.New(sink) }

func TestStage(t *testing.T) { ingesttest.Run(t, newStage) }

func BenchmarkBulk(b *testing.B) { ingesttest.Bulk(b, newStage) }

func BenchmarkTake(b *testing.B) { ingesttest.Take(b, newStage) }
