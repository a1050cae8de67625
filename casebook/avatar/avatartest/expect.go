package avatartest

import (
	"bytes"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"whet/casebook/avatar"
)

// colours are the backgrounds, in the order of what the hash leaves.
var colours = strings.Fields("b71c1c ad1457 880e4f 6a1b9a 4527a0 283593 1565c0 01579b 006064 00695c 2e7d32 33691e 827717 bf360c 4e342e 37474f")

// Colour returns the background of a name, as red, green and blue in hex.
func Colour(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	return colours[h.Sum32()%uint32(len(colours))]
}

// Initials returns the initials of a name, or none for a name that has none.
func Initials(name string) string {
	var all []rune
	for _, word := range strings.Fields(name) {
		i := strings.IndexFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Nd, r) })
		if i >= 0 {
			all = append(all, []rune(word[i:])[0])
		}
	}
	if len(all) > 2 {
		all = []rune{all[0], all[len(all)-1]}
	}
	for i := range all {
		all[i] = unicode.ToUpper(all[i])
	}
	return string(all)
}

// picture is what a name and a size decide.
func picture(t testing.TB, name string, size int) avatar.Picture {
	t.Helper()
	p := avatar.Picture{Size: uint16(size)}
	copy(p.Initials[:], []rune(Initials(name)))
	for i := range avatar.Colours {
		p.Colour = uint16(i)
		if hex(p.Background()) == Colour(name) {
			return p
		}
	}
	t.Fatalf("no background is %s", Colour(name))
	return p
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	var text []byte
	for _, v := range []uint32{r, g, b} {
		text = append(text, "0123456789abcdef"[v>>12], "0123456789abcdef"[v>>8&15])
	}
	return string(text)
}

// CheckPicture decodes a PNG and compares every pixel.
func CheckPicture(t testing.TB, data []byte, name string, size int) {
	t.Helper()
	got, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Errorf("the picture of %q: %v in %d bytes", name, err, len(data))
		return
	}
	if got.Bounds() != image.Rect(0, 0, size, size) {
		t.Errorf("the picture of %q is %v, want %d pixels each way", name, got.Bounds(), size)
		return
	}
	if c := hex(got.At(0, 0)); c != Colour(name) {
		t.Errorf("the picture of %q is on %s, want %s", name, c, Colour(name))
		return
	}
	generator, err := avatar.NewGenerator()
	if err != nil {
		t.Fatal(err)
	}
	want := generator.Draw(picture(t, name, size))
	for y := range size {
		for x := range size {
			if g, w := color.RGBAModel.Convert(got.At(x, y)), want.RGBAAt(x, y); g != w {
				t.Errorf("the picture of %q at %d pixels: pixel %d, %d is %v, want %v", name, size, x, y, g, w)
				return
			}
		}
	}
}

// checkAnswer looks at a request that is answered.
func checkAnswer(t testing.TB, w *Recorder, name string, size int) {
	t.Helper()
	if w.Status != http.StatusOK {
		t.Errorf("%q at %d pixels is answered %d %q", name, size, w.Status, w.Body.String())
		return
	}
	if c, l := w.header["Content-Type"], w.header["Content-Length"]; len(w.header) != 2 || len(c) != 1 || c[0] != "image/png" || len(l) != 1 || l[0] != strconv.Itoa(w.Body.Len()) {
		t.Errorf("headers %v with %d bytes, want Content-Type image/png and Content-Length alone", w.header, w.Body.Len())
	}
	CheckPicture(t, w.Body.Bytes(), name, size)
}

// checkRefused looks at a request that is not.
func checkRefused(t testing.TB, status int, header http.Header, want int) {
	t.Helper()
	if status != want {
		t.Errorf("status %d, want %d", status, want)
	}
	if c := header.Get("Content-Type"); c != "text/plain; charset=utf-8" {
		t.Errorf("Content-Type of a refusal is %q", c)
	}
	for name, at := range map[string]map[int]string{
		"Allow":       {http.StatusMethodNotAllowed: "GET, HEAD"},
		"Retry-After": {http.StatusServiceUnavailable: "1"},
	} {
		if got := header.Get(name); got != at[want] {
			t.Errorf("%s of a %d is %q, want %q", name, want, got, at[want])
		}
	}
}
