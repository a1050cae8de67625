package constant_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"whet/casebook/avatar"
	"whet/casebook/avatar/avatartest"
	"whet/casebook/avatar/best"
	"whet/casebook/avatar/constant"
)

func TestConstant(t *testing.T) {
	body := bytes.Repeat([]byte{'x'}, 1500)
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

func TestNearest(t *testing.T) {
	for _, tt := range []struct {
		lengths []int
		want    int
	}{
		{[]int{7}, 7}, {[]int{1, 2, 9}, 2}, {[]int{9, 1, 2}, 2}, {[]int{1, 8, 9}, 8}, {[]int{1, 1, 1, 10, 4}, 4}, {[]int{0, 100}, 0},
	} {
		var bodies [][]byte
		for _, n := range tt.lengths {
			bodies = append(bodies, make([]byte, n))
		}
		if got := len(constant.Nearest(bodies)); got != tt.want {
			t.Errorf("of the lengths %v the nearest to the mean is %d, want %d", tt.lengths, got, tt.want)
		}
	}
	if got := constant.Nearest(nil); got != nil {
		t.Errorf("of none the nearest is %q", got)
	}
}

// The constant is the first picture that package best is asked for in the same
// benchmark.
func BenchmarkLoopback(b *testing.B) {
	h, err := best.New(avatar.DefaultOptions(io.Discard))
	if err != nil {
		b.Fatal(err)
	}
	w := avatartest.NewRecorder()
	h.ServeHTTP(w, avatartest.Get("", avatar.Path+avatartest.Names(1, 1)[0], "", ""))
	avatartest.LoopbackOf(b, constant.New(w.Body.Bytes()))
}
