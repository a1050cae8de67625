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
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
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
	return browse(ctx, o, func(ctx context.Context) error {
		return shoot(ctx, files[0], files[1], form{o.width, o.height, o.dark}, o)
	})
}

// each writes every report in each form, under names that say which.
func each(ctx context.Context, files []string, o options) error {
	if err := os.MkdirAll(o.each, 0o755); err != nil {
		return err
	}
	return browse(ctx, o, func(ctx context.Context) error {
		for _, file := range files {
			base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			for _, form := range forms {
				if err := shoot(ctx, file, filepath.Join(o.each, base+"-"+form.String()+".png"), form, o); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// browse starts the browser for what is done with it.
func browse(ctx context.Context, o options, do func(context.Context) error) error {
	browser, err := findChromium(o.chromium)
	if err != nil {
		return err
	}
	profile, err := os.MkdirTemp("", "screenshot")
	if err != nil {
		return err
	}
	defer os.RemoveAll(profile)
	allocate := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser), chromedp.UserDataDir(profile), chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("hide-scrollbars", true),
	)
	if os.Geteuid() == 0 {
		allocate = append(allocate, chromedp.NoSandbox) // the sandbox refuses to run as root
	}
	ctx, stop := chromedp.NewExecAllocator(ctx, allocate...)
	defer stop()
	// A browser newer than the protocol's description sends values it does not
	// know; they concern nothing here.
	ctx, closeTab := chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	defer closeTab()
	// The first action starts the browser.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		return fmt.Errorf("start %s: %w", browser, err)
	}
	// Cancel waits until the browser has ended, with all its processes.
	defer chromedp.Cancel(ctx)
	return do(ctx)
}

// shoot writes the report's picture as PNG.
func shoot(ctx context.Context, report, out string, form form, o options) error {
	png, err := picture(ctx, report, form, o)
	if err != nil {
		return fmt.Errorf("picture %s: %w", report, err)
	}
	return os.WriteFile(out, png, 0o644)
}

func picture(ctx context.Context, report string, form form, o options) ([]byte, error) {
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
	_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	if err != nil {
		return nil, err
	}
	steps := []chromedp.Action[chromedp.Void]{
		chromedp.EmulateViewport(int64(form.width), int64(form.height), chromedp.EmulateScale(o.scale)),
		chromedp.Navigate("file://" + filepath.ToSlash(path)),
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		return nil, err
	}
	// A page that unpacks what it draws says so.
	const drawn = `new Promise(done => { const look = () => document.querySelector("[aria-busy=true]") ? requestAnimationFrame(look) : done(true); look(); })`
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](drawn, chromedp.EvalAwaitPromise)); err != nil {
		return nil, err
	}
	steps = nil
	if o.choose != "" {
		steps = append(steps, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const s = document.querySelector("select:not([hidden])"); s.selectedIndex = %q; s.dispatchEvent(new Event("change")); })()`, o.choose)))
	}
	if o.selector != "" {
		steps = append(steps, chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%q).scrollIntoView()", o.selector)))
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		return nil, err
	}
	if o.full {
		return chromedp.Run(ctx, chromedp.FullScreenshot(100))
	}
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}

func findChromium(path string) (string, error) {
	if path != "" {
		return path, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("no Chromium on the PATH: install the package chromium, or name it with -chromium")
}
