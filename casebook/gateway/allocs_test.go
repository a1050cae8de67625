//go:build !race

// The race detector makes sync.Pool drop what it is given, so that counts of
// allocations mean nothing under it.

package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"whet/casebook/gateway"
	"whet/casebook/gateway/gatewaytest"
)

// TestCost: what each step takes less, and best takes a third of the original's
// allocations. What making the request takes is in all of these. All but one of
// them were published as savings; rawmessage took 773 bytes more than nohealth,
// and its comment says what is different here.
func TestCost(t *testing.T) {
	allocs, bytes := map[string]uint64{}, map[string]uint64{}
	for _, s := range stages {
		allocs[s.name], bytes[s.name] = gatewaytest.Cost(s.make)
		t.Logf("%-10s %6d B/op %4d allocs/op", s.name, bytes[s.name], allocs[s.name])
	}
	for _, step := range []struct {
		what, before, after string
		less                uint64 // bytes that it takes less, at least
	}{
		{"the health record", "original", "nohealth", 700},
		{"the payload's values", "nohealth", "rawmessage", 1000},
		{"the struct of a request", "rawmessage", "noescape", 512}, // 32 names of 16 bytes alone
		{"runes on the way to a session id", "noescape", "randbits", 0},
		{"the decoder", "randbits", "best", 1000},
	} {
		if bytes[step.before] < bytes[step.after]+step.less {
			t.Errorf("%s: %s takes %d bytes and %s %d, want %d less", step.what, step.before, bytes[step.before], step.after, bytes[step.after], step.less)
		}
	}
	if 3*allocs["best"] > allocs["original"] {
		t.Errorf("best takes %d allocations, the original %d, want a third", allocs["best"], allocs["original"])
	}
}

// TestBodyThatDoesNotCome: memory is given for what has come of a body and not
// for what is said of it. Whoever says 1 MiB and sends nothing, or a little,
// holds no more in the last stage than a few times that.
func TestBodyThatDoesNotCome(t *testing.T) {
	for _, s := range stages {
		h := s.make(gateway.Stub{}, io.Discard, gateway.Global{})
		for _, tt := range []struct{ come, most int }{{0, 32 << 10}, {16 << 10, 64 << 10}, {17 << 10, 256 << 10}} {
			come := strings.Repeat(" ", tt.come)
			got := gatewaytest.Allocated(func() {
				r := gatewaytest.Request("")
				r.Body, r.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader(come), stalled{})), gateway.MaxBody
				w := gatewaytest.NewRecorder()
				if h.ServeHTTP(w, r); w.Status != http.StatusBadRequest {
					t.Fatalf("answered %d", w.Status)
				}
			})
			if got > int64(tt.most) {
				t.Errorf("%s: %d bytes are allocated for a body of which %d have come, want at most %d", s.name, got, tt.come, tt.most)
			}
		}
	}
}

// stalled is a connection that gives nothing until it ends.
type stalled struct{}

func (stalled) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestRepeatedNames: a body of 1 MiB that is nothing but pairs of qua, each of 5
// bytes, costs best no more than what it has to keep: the body and the names
// that differ. Where all differ, the maps of the other stages pay too, and more.
func TestRepeatedNames(t *testing.T) {
	const start, end = `{"header":{"businessName":"shop","qua":{`, `"":0}}}`
	fill := func(pair func(i int) string) string {
		var b strings.Builder
		b.WriteString(start)
		for i := 0; b.Len() < gateway.MaxBody-64; i++ {
			b.WriteString(pair(i))
		}
		return b.String() + end
	}
	cost := func(s stage, body string) int64 {
		h := s.make(gateway.Stub{}, io.Discard, gateway.Global{})
		return gatewaytest.Allocated(func() {
			w := gatewaytest.NewRecorder()
			if h.ServeHTTP(w, gatewaytest.Request(body)); w.Status != http.StatusBadRequest {
				t.Fatalf("answered %d", w.Status)
			}
		})
	}
	first, best := stages[0], stages[len(stages)-1]
	repeated := fill(func(int) string { return `"":0,` })
	if got := cost(best, repeated); got > 4*gateway.MaxBody {
		t.Errorf("best allocates %d bytes for a body of %d with one name, want at most four times that", got, len(repeated))
	}
	// A thousand names first: what follows is settled with them, not once each.
	few := fill(func(i int) string { return fmt.Sprintf(`"%d":0,`, min(i, 1000)) })
	if got := cost(best, few); got > 4*gateway.MaxBody {
		t.Errorf("best allocates %d bytes for a body of %d with 1,000 names, want at most four times that", got, len(few))
	}
	distinct := fill(func(i int) string { return fmt.Sprintf(`"%x":0,`, i) })
	if got, want := cost(best, distinct), cost(first, distinct); got > want {
		t.Errorf("best allocates %d bytes for a body of distinct names, the original %d", got, want)
	}
}
