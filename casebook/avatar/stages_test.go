package avatar_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"whet/casebook/avatar"
	"whet/casebook/avatar/avatartest"
	"whet/casebook/avatar/best"
	"whet/casebook/avatar/lrubytes"
	"whet/casebook/avatar/lruimage"
	"whet/casebook/avatar/original"
	"whet/casebook/avatar/quiet"
)

type stage struct {
	name string
	make avatartest.New
}

var stages = []stage{
	{"original", func(o avatar.Options) (avatar.Server, error) { return original.New(o) }},
	{"lruimage", func(o avatar.Options) (avatar.Server, error) { return lruimage.New(o) }},
	{"lrubytes", func(o avatar.Options) (avatar.Server, error) { return lrubytes.New(o) }},
	{"quiet", func(o avatar.Options) (avatar.Server, error) { return quiet.New(o) }},
	{"best", func(o avatar.Options) (avatar.Server, error) { return best.New(o) }},
}

// seen is what a stage shows of a request, decoded.
func seen(t *testing.T, h avatar.Server, method, path, query, body string) string {
	t.Helper()
	w := avatartest.NewRecorder()
	h.ServeHTTP(w, avatartest.Get(method, path, query, body))
	header := w.Header().Clone()
	if w.Status != 200 {
		return fmt.Sprint(w.Status, header, w.Body.String())
	}
	if n := strconv.Itoa(w.Body.Len()); header.Get("Content-Length") != n {
		t.Errorf("Content-Length is %q, want %s", header.Get("Content-Length"), n)
	}
	header.Del("Content-Length") // encodings differ
	img, err := png.Decode(bytes.NewReader(w.Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(w.Status, header, img.Bounds(), string(pixels(img)))
}

func pixels(img image.Image) (text []byte) {
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, b, a := img.At(x, y).RGBA()
			text = append(text, byte(r>>8), byte(g>>8), byte(b>>8), byte(a>>8))
		}
	}
	return text
}

// FuzzStages: all stages show the same of a request, twice, and it is what a
// reader of the rules expects.
func FuzzStages(f *testing.F) {
	for _, name := range []string{"Ann Lee", "é", "\u0301A b", "ĲĲ Ĳ", "AV", "WW WW", "山 田", "a/b", "a\u202e", "\xff", " ", "ß ŉ", "ǆ x", "ﬀ ﬁ", "1 2 3", "\u2028a", "\ufeffa", "j j", "f f", "a\u0085b"} {
		f.Add("", name, "size=16", "")
	}
	for _, query := range []string{"size=19", "size=015", "size=16&size=17", "size=%31%36", "a=1;size=16&size=18", "&size=20", "size=1e2", "size=513", "SIZE=16&size=16", "%zz&size=21"} {
		f.Add("GET", "Ann Lee", query, "")
	}
	f.Add("HEAD", "Ann", "size=16", "")
	f.Add("OPTIONS", "Ann", "size=16", "x")
	f.Add("GET", "Ann", "size=16", strings.Repeat("x", avatar.MaxBody+1))
	f.Fuzz(func(t *testing.T, method, name, query, body string) {
		var first string
		for i, s := range stages {
			h, err := s.make(avatar.DefaultOptions(io.Discard))
			if err != nil {
				t.Fatal(err)
			}
			for again := range 2 {
				got := seen(t, h, method, avatar.Path+name, query, body)
				if i+again == 0 {
					first = got
				}
				if got != first {
					t.Fatalf("%s of %q with %q: %s shows %.80s…, %s shows %.80s…", method, name, query, stages[0].name, first, s.name, got)
				}
			}
		}
		status, size := expected(method, name, query, body)
		if !strings.HasPrefix(first, strconv.Itoa(status)+" ") {
			t.Fatalf("%s of %q with %q is answered %.80s, want %d", method, name, query, first, status)
		}
		if status == 200 {
			h, err := original.New(avatar.DefaultOptions(io.Discard))
			if err != nil {
				t.Fatal(err)
			}
			w := avatartest.NewRecorder()
			h.ServeHTTP(w, avatartest.Get(method, avatar.Path+name, query, body))
			avatartest.CheckPicture(t, w.Body.Bytes(), name, size)
		}
	})
}

// expected is the rules again.
func expected(method, name, query, body string) (status, size int) {
	switch {
	case method != "" && method != "GET" && method != "HEAD":
		return 405, 0
	case len(body) > 4096:
		return 413, 0
	case !utf8.ValidString(name) || len([]rune(name)) > 64 || avatartest.Initials(name) == "":
		return 400, 0
	case strings.ContainsFunc(name, func(r rune) bool {
		return r < 0x20 || 0x7f <= r && r < 0xa0 || r == '/' || unicode.Is(unicode.Properties["Bidi_Control"], r)
	}):
		return 400, 0
	}
	values, _ := url.ParseQuery(query) // bad pairs are left out
	text := values.Get("size")
	if text == "" {
		return 200, 128
	}
	if strings.Trim(text, "0123456789") != "" {
		return 400, 0
	}
	size, err := strconv.Atoi(strings.TrimLeft(text, "0"))
	if err != nil || size < 16 || size > 512 {
		return 400, 0
	}
	return 200, size
}
