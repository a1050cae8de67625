package zerolog

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A long answer's memory does not go back to the pool.
func TestPoolIsBounded(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/hello?name="+strings.Repeat("n", 2*maxPooled), nil)
	New(io.Discard).ServeHTTP(httptest.NewRecorder(), r)
	for range 100 {
		if buf := buffers.Get().(*bytes.Buffer); buf.Cap() > maxPooled {
			t.Fatalf("a buffer of %d bytes came out of the pool, want at most %d", buf.Cap(), maxPooled)
		}
	}
}
