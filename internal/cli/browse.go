package cli

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Link returns a file as a file:// address, which terminals and browsers open. It
// escapes control characters.
func Link(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	path := filepath.ToSlash(name)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// browserFails is how long a browser has to say that it can't open a page. One
// that goes on longer shows it.
const browserFails = 2 * time.Second

// Browse opens a page in the browser that BROWSER names, or the system's, and
// warns where it can't. It does not wait for the user to close it.
func (e *Env) Browse(name string) {
	if err := browse(Link(name)); err != nil {
		e.Warn([]string{fmt.Sprintf("no browser was opened (%v): open %s yourself, or set BROWSER", err, Link(name))})
	}
}

func browse(link string) error {
	args, err := browser(link)
	if err != nil {
		return err
	}
	cmd := exec.Command(args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
	case <-time.After(browserFails):
	}
	return nil
}

// browser returns the command line that opens a link. BROWSER may be a list with colons
// between its commands, of which the first that is there is taken; a %s in one stands
// for the link.
func browser(link string) ([]string, error) {
	var list []string
	if set := os.Getenv("BROWSER"); set != "" {
		list = filepath.SplitList(set)
	} else if runtime.GOOS == "windows" {
		list = []string{"rundll32 url.dll,FileProtocolHandler"}
	} else if runtime.GOOS == "darwin" {
		list = []string{"open"}
	} else {
		list = []string{"xdg-open", "x-www-browser", "www-browser"}
	}
	for _, command := range list {
		args := strings.Fields(command)
		if len(args) == 0 {
			continue
		}
		if _, err := exec.LookPath(args[0]); err != nil {
			continue
		}
		placed := false
		for i := range args[1:] {
			if strings.Contains(args[i+1], "%s") {
				args[i+1], placed = strings.ReplaceAll(args[i+1], "%s", link), true
			}
		}
		if !placed {
			args = append(args, link)
		}
		return args, nil
	}
	return nil, errors.New("there is none: " + strings.Join(list, ", "))
}
