package ingest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"whet/casebook/ingest"
	"whet/casebook/ingest/best"
	"whet/casebook/ingest/ingesttest"
	"whet/casebook/ingest/leaky"
	"whet/casebook/ingest/original"
	"whet/casebook/ingest/presize"
)

type stage struct {
	name string
	make ingesttest.New
}

var stages = []stage{
	{"original", func(s ingest.Sink) ingest.Intake { return original.New(s) }},
	{"presize", func(s ingest.Sink) ingest.Intake { return presize.New(s) }},
	{"leaky", func(s ingest.Sink) ingest.Intake { return leaky.New(s) }},
	{"best", func(s ingest.Sink) ingest.Intake { return best.New(s) }},
}

// seen is all that a stage shows of a request.
type seen struct {
	Status  int
	Answer  string
	Type    string
	Batches []string
}

func post(s stage, r io.Reader, size int64) seen {
	sink := new(ingesttest.Keep)
	w := ingesttest.NewRecorder()
	s.make(sink).ServeHTTP(w, ingesttest.Request(r, size))
	return seen{w.Status, string(w.Body), w.Header().Get("Content-Type"), sink.Batches()}
}

// pieces reads at most n bytes at a time.
type pieces struct {
	r io.Reader
	n int
}

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(p.n, len(b))]) }

// FuzzStages: all stages show the same of a body, however it comes, and what
// they show is what [ingesttest.Expect] finds in it. blank puts so many blank
// lines in front and long so many bytes of a line, so that small inputs reach
// the borders of large buffers.
func FuzzStages(f *testing.F) {
	const at = `{"type":"app","time":"2026-11-20T10:00:00Z"}`
	for _, body := range []string{
		"", "\n", at, at + "\n" + at, "x\n" + at + "\r\n\n" + at, "{}\n[]\nnull\n", at + at, `{"type":"app","time":"2026-11-20T23:59:59.5-12:00"}`,
		`{"t\u0079pe":"a\u0062c","time":"2026-02-29T00:00:00Z"}`, "\xff\n\x00\n" + at, `{"type":"a","type":"a","time":"2026-11-20T10:00:00Z"}`,
		`{"a":[1,2.5e-3,{"type":1}],"type":"a-_9","time":"0000-01-01T00:00:00Z"}`,
	} {
		f.Add([]byte(body), uint16(0), uint32(0), uint16(7), true, false)
		f.Add([]byte(body), uint16(40_000), uint32(0), uint16(0), false, false)
		f.Add([]byte(body), uint16(0), uint32(65_536), uint16(1000), true, false)
		f.Add([]byte(body), uint16(1), uint32(131_071), uint16(0), true, true)
		f.Add([]byte(body), uint16(100), uint32(200_000), uint16(60_000), false, true)
	}
	f.Fuzz(func(t *testing.T, tail []byte, blank uint16, long uint32, piece uint16, known, fails bool) {
		body := strings.Repeat(" \n", int(blank)) + strings.Repeat("x", int(long%(5*ingest.MaxLine))) + string(tail)
		size := int64(-1)
		if known {
			size = int64(len(body))
		}
		come := func() io.Reader {
			var r io.Reader = strings.NewReader(body)
			if piece > 0 {
				r = pieces{r, int(piece)}
			}
			if fails {
				r = io.MultiReader(r, iotest.ErrReader(io.ErrUnexpectedEOF))
			}
			return r
		}
		want := seen{Status: 400, Answer: "read the body: unexpected EOF\n", Type: "text/plain; charset=utf-8"}
		if !fails {
			bulk, report := ingesttest.Expect([]byte(body))
			answer, err := json.Marshal(report)
			if err != nil {
				t.Fatal(err)
			}
			want = seen{Status: 200, Answer: string(answer) + "\n", Type: "application/json"}
			if len(bulk) > 0 {
				want.Batches = []string{string(bulk)}
			}
		}
		for _, s := range stages {
			got := post(s, come(), size)
			if got.Status != want.Status || got.Answer != want.Answer || got.Type != want.Type || !slices.Equal(got.Batches, want.Batches) {
				t.Errorf("%s shows %.1000q of %.1000q, want %.1000q", s.name, fmt.Sprint(got), body, fmt.Sprint(want))
			}
		}
	})
}
