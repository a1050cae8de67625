package ingest_test

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"whet/casebook/ingest"
)

const (
	action   = `{"index":{"_index":"app-2026.11.20"}}` + "\n"
	document = `{"type":"app","time":"2026-11-20T10:00:00Z"}` + "\n"
)

func TestCheckCounts(t *testing.T) {
	c := new(ingest.Check)
	batches := []string{action + document, "", strings.Repeat(action+document, 3000), action + "{}\n", action + "{" + strings.Repeat("x", ingest.MaxLine-2) + "}\n"}
	var want ingest.Totals
	for _, b := range batches {
		if err := c.Bulk(t.Context(), iotest.HalfReader(strings.NewReader(b))); err != nil {
			t.Fatal(err)
		}
		want.Batches++
		want.Bytes += int64(len(b))
		want.Sum += uint64(crc32.Checksum([]byte(b), crc32.MakeTable(crc32.Castagnoli)))
	}
	want.Documents = 1 + 3000 + 1 + 1
	if got := c.Totals(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestCheckRefuses(t *testing.T) {
	for batch, want := range map[string]string{
		"\n":                           "document 1:",
		document + action:              "document 1:",
		action + action + document:     "document 2:",
		action + document + document:   "document 2:",
		action:                         "document 1: unexpected EOF",
		action + document[:20]:         "document 1: unexpected EOF",
		action + document + action[:9]: "document 2: unexpected EOF",
		action + "\n":                  "no JSON object",
		action + "{\n":                 "no JSON object",
		action + "{\"a\":1\n":          "no JSON object",
		action + "[]\n":                "no JSON object",
		action + "{" + strings.Repeat("x", ingest.MaxLine) + "}\n":            "buffer full",
		strings.Replace(action, "app", "App", 1) + document:                   "is no index",
		strings.Replace(action, "app-", "app", 1) + document:                  "is no index",
		strings.Replace(action, "2026.11", "2026-11", 1) + document:           "is no index",
		strings.Replace(action, "11.20", "11.2x", 1) + document:               "is no index",
		strings.Replace(action, "app-2026.11.20", "1.20", 1) + document:       "is no index",
		strings.Replace(action, "index", "create", 1) + document:              "no line before a document",
		strings.Replace(action, "}}", "}", 1) + document:                      "no line before a document",
		strings.Replace(action, "app", strings.Repeat("a", 65), 1) + document: "is no index",
	} {
		c := new(ingest.Check)
		if err := c.Bulk(t.Context(), strings.NewReader(batch)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.200q: error %v, want one with %q", batch, err, want)
		}
		if got := c.Totals(); got != (ingest.Totals{}) {
			t.Errorf("%.200q is refused and counted: %+v", batch, got)
		}
	}
	c := new(ingest.Check)
	fails := errors.New("line is down")
	if err := c.Bulk(t.Context(), io.MultiReader(strings.NewReader(action+document), iotest.ErrReader(fails))); !errors.Is(err, fails) {
		t.Errorf("a reader that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Bulk(ctx, strings.NewReader(action+document)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over: %v", err)
	}
	if got := c.Totals(); got != (ingest.Totals{}) {
		t.Errorf("what failed is counted: %+v", got)
	}
}
