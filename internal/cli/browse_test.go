//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLink(t *testing.T) {
	for name, want := range map[string]string{
		"/tmp/a b.html":            "file:///tmp/a%20b.html",
		"/tmp/\x1b[31m\u202e.html": "file:///tmp/%1B%5B31m%E2%80%AE.html",
		"/tmp/ü?#%.html":           "file:///tmp/%C3%BC%3F%23%25.html",
	} {
		if got := Link(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Link("x.html"), "file://"+dir+"/x.html"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestBrowse: the first command of BROWSER that is there gets the link, and what
// could not be opened is said with it.
func TestBrowse(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return name
	}
	seen := filepath.Join(dir, "seen")
	shows, fails := script("shows", "echo \"$@\" > "+seen), script("fails", "exit 3")
	link := Link("/tmp/a page.html")
	for _, c := range []struct{ browser, seen, said string }{
		{shows, link + "\n", ""},
		{filepath.Join(dir, "gone") + ":" + shows + " --new %s --quiet", "--new " + link + " --quiet\n", ""},
		{fails, "", "exit status 3"},
		{filepath.Join(dir, "gone"), "", "there is none: " + filepath.Join(dir, "gone")},
	} {
		t.Setenv("BROWSER", c.browser)
		os.Remove(seen)
		var warned bytes.Buffer
		(&Env{Stderr: &warned}).Browse("/tmp/a page.html")
		if got, _ := os.ReadFile(seen); string(got) != c.seen {
			t.Errorf("%s got %q, want %q", c.browser, got, c.seen)
		}
		if got := warned.String(); (got == "") != (c.said == "") || !strings.Contains(got, c.said) || c.said != "" && !strings.Contains(got, link) {
			t.Errorf("%s: said %q, want %q and the link", c.browser, got, c.said)
		}
	}
}
