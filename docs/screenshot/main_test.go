package main

import (
	"context"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whet/internal/chromium"
)

const sample = `<!doctype html><title>x</title><style>
p { margin: 0 } body { margin: 0; background: #fff; height: 1500px }
@media (prefers-color-scheme: dark) { body { background: #000 } }
</style><p id="end">`

// needsChromium skips a test where there is no Chromium, but in CI.
func needsChromium(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the commands of the documentation")
	}
	chromium.Need(t)
}

func TestScreenshot(t *testing.T) {
	needsChromium(t)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "report.html"), filepath.Join(dir, "out.png")
	if err := os.WriteFile(in, []byte(sample), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args          []string
		width, height int
		white         bool
	}{
		{[]string{in, out, "-width", "400", "-height", "300"}, 400, 300, true},
		{[]string{"-dark", in, out, "-width=320", "-scale", "2", "-full", "-scroll", "#end"}, 640, 3000, false},
	} {
		if err := run(context.Background(), c.args, io.Discard); err != nil {
			t.Fatalf("%q: %v", c.args, err)
		}
		f, err := os.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() != c.width || b.Dy() != c.height {
			t.Errorf("%q: picture of %d x %d, want %d x %d", c.args, b.Dx(), b.Dy(), c.width, c.height)
		}
		if r, _, _, _ := img.At(100, 200).RGBA(); (r == 0xffff) != c.white {
			t.Errorf("%q: red is %#x", c.args, r)
		}
	}
}

// Each report is written in four forms, under names that say which.
func TestEach(t *testing.T) {
	needsChromium(t)
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"a.html", "b.html"} {
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(files[len(files)-1], []byte(sample), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(context.Background(), append([]string{"-each", filepath.Join(dir, "out")}, files...), io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		for form, size := range map[string]image.Point{"1440x900": {X: 1440, Y: 900}, "800x600": {X: 800, Y: 600}} {
			for scheme, white := range map[string]bool{"light": true, "dark": false} {
				f, err := os.Open(filepath.Join(dir, "out", name+"-"+form+"-"+scheme+".png"))
				if err != nil {
					t.Fatal(err)
				}
				img, err := png.Decode(f)
				f.Close()
				if err != nil {
					t.Fatal(err)
				}
				if r, _, _, _ := img.At(100, 200).RGBA(); img.Bounds().Size() != size || (r == 0xffff) != white {
					t.Errorf("%s %s %s: %v, red is %#x", name, form, scheme, img.Bounds(), r)
				}
			}
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"a.html"}, {"a.html", "b.png", "c"}, {"-nonsense"}, {"-each", "x"}, {filepath.Join(t.TempDir(), "none.html"), "out.png"}} {
		var said strings.Builder
		if err := run(context.Background(), args, &said); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
