package constant_test

import (
	"bytes"
	"net/http"
	"testing"

	"whet/casebook/avatar/avatartest"
	"whet/casebook/avatar/constant"
)

// body is as long as a picture of the default size that package best answers.
var body = bytes.Repeat([]byte{'x'}, 1500)

func TestConstant(t *testing.T) {
	h := constant.New(body)
	for _, path := range []string{"/avatar/Ann", "/avatar/", "/avatar/a/b"} {
		w := avatartest.NewRecorder()
		h.ServeHTTP(w, avatartest.Get("", path, "size=0", ""))
		want := http.Header{"Content-Type": {"image/png"}, "Content-Length": {"1500"}}
		if got := w.Header(); w.Status != http.StatusOK || !bytes.Equal(w.Body.Bytes(), body) || len(got) != len(want) ||
			got.Get("Content-Type") != "image/png" || got.Get("Content-Length") != "1500" {
			t.Errorf("%s is answered %d with %v and %d bytes", path, w.Status, got, w.Body.Len())
		}
	}
}

func BenchmarkLoopback(b *testing.B) { avatartest.LoopbackOf(b, constant.New(body)) }
