// Screenshot makes pictures of reports: it opens the HTML files in Chromium,
// as a browser on a laptop or a phone would, and writes what is seen as PNG.
//
//	go run ./docs/screenshot REPORT.html OUT.png
//	go run ./docs/screenshot -dark -width 390 -full REPORT.html OUT.png
//	go run ./docs/screenshot -each DIR REPORT.html…
//
// It made the picture in the README. With -each it writes each report in the four
// forms in which a page is looked at before it is released: 1440x900 and 800x600,
// light and dark. Chromium is found as chromium, chromium-browser or google-chrome
// on the PATH, or named by -chromium.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"whet/internal/chromium"
)

type options struct {
	dark     bool
	full     bool
	width    int
	height   int
	scale    float64
	selector string
	choose   string
	chromium string
	each     string
}

// form is a window and a colour scheme.
type form struct {
	width, height int
	dark          bool
}

func (f form) String() string {
	if f.dark {
		return fmt.Sprintf("%dx%d-dark", f.width, f.height)
	}
	return fmt.Sprintf("%dx%d-light", f.width, f.height)
}

// forms are those of -each.
var forms = [...]form{{1440, 900, false}, {1440, 900, true}, {800, 600, false}, {800, 600, true}}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stderr io.Writer) error {
	var o options
	f := flag.NewFlagSet("screenshot", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.BoolVar(&o.dark, "dark", false, "dark colour scheme")
	f.BoolVar(&o.full, "full", false, "the whole page instead of the first screen")
	f.IntVar(&o.width, "width", 1280, "width of the window in CSS pixels")
	f.IntVar(&o.height, "height", 900, "height of the window in CSS pixels")
	f.Float64Var(&o.scale, "scale", 1, "device pixels per CSS pixel")
	f.StringVar(&o.selector, "scroll", "", "CSS selector of the element to scroll to")
	f.StringVar(&o.choose, "choose", "", "choose this `number` of the page's first list")
	f.StringVar(&o.chromium, "chromium", "", "path of the browser; empty looks on the PATH")
	f.StringVar(&o.each, "each", "", "write every report in four forms (1440x900 and 800x600, light and dark) into this `directory`")
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./docs/screenshot [flags] REPORT.html OUT.png\n       go run ./docs/screenshot [flags] -each DIR REPORT.html…")
		f.PrintDefaults()
	}
	// Flags may stand before or after the files.
	var files []string
	for {
		if err := f.Parse(args); err != nil {
			return err
		}
		if f.NArg() == 0 {
			break
		}
		files, args = append(files, f.Arg(0)), f.Args()[1:]
	}
	if o.each != "" {
		if len(files) == 0 {
			f.Usage()
			return fmt.Errorf("-each needs the reports to look at")
		}
		return each(ctx, files, o)
	}
	if len(files) != 2 {
		f.Usage()
		return fmt.Errorf("two files are needed, a report and the picture to write, but there are %d", len(files))
	}
	return browse(ctx, o, func(b *chromium.Browser) error {
		return shoot(ctx, b, files[0], files[1], form{o.width, o.height, o.dark}, o)
	})
}

// each writes every report in each form, under names that say which.
func each(ctx context.Context, files []string, o options) error {
	if err := os.MkdirAll(o.each, 0o755); err != nil {
		return err
	}
	return browse(ctx, o, func(b *chromium.Browser) error {
		for _, file := range files {
			base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			for _, form := range forms {
				if err := shoot(ctx, b, file, filepath.Join(o.each, base+"-"+form.String()+".png"), form, o); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// browse starts the browser for what is done with it.
func browse(ctx context.Context, o options, do func(*chromium.Browser) error) (err error) {
	path, err := chromium.Find(o.chromium)
	if err != nil {
		return fmt.Errorf("%w, or name it with -chromium", err)
	}
	b, err := chromium.Start(ctx, path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return do(b)
}

// shoot writes the report's picture as PNG.
func shoot(ctx context.Context, b *chromium.Browser, report, out string, form form, o options) error {
	png, err := picture(ctx, b, report, form, o)
	if err != nil {
		return fmt.Errorf("picture %s: %w", report, err)
	}
	return os.WriteFile(out, png, 0o644)
}

// drawn is kept when a page that unpacks what it draws has drawn it.
const drawn = `new Promise(done => { const look = () => document.querySelector("[aria-busy=true]") ? requestAnimationFrame(look) : done(true); look(); })`

func picture(ctx context.Context, b *chromium.Browser, report string, form form, o options) ([]byte, error) {
	path, err := filepath.Abs(report)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	scheme := "light"
	if form.dark {
		scheme = "dark"
	}
	if err := b.Media(ctx, map[string]string{"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}); err != nil {
		return nil, err
	}
	if err := b.Viewport(ctx, int64(form.width), int64(form.height), o.scale); err != nil {
		return nil, err
	}
	if err := b.Navigate(ctx, chromium.FileURL(path)); err != nil {
		return nil, err
	}
	steps := []string{drawn}
	if o.choose != "" {
		steps = append(steps, fmt.Sprintf(`(() => { const s = document.querySelector("select:not([hidden])"); s.selectedIndex = %q; s.dispatchEvent(new Event("change")); })()`, o.choose))
	}
	if o.selector != "" {
		steps = append(steps, fmt.Sprintf("document.querySelector(%q).scrollIntoView()", o.selector))
	}
	for _, step := range steps {
		if err := b.Eval(ctx, step, nil); err != nil {
			return nil, err
		}
	}
	return b.Picture(ctx, o.full)
}
