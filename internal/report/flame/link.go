package flame

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"whet/internal/printable"
)

// Link is the link to a frame's source: a URL in which {file}, {line} and {function}
// are replaced by the frame's own, as in
// "https://git.example.com/tree/main/{file}#L{line}" or
// "vscode://file{file}:{line}". "" is no link.
type Link string

// Validate reports a link that a browser must not follow.
func (l Link) Validate() error {
	scheme, _, ok := strings.Cut(string(l), ":")
	switch {
	case l == "":
		return nil
	case strings.ContainsFunc(string(l), printable.Hidden):
		return fmt.Errorf("link %q: contains invisible characters", string(l))
	case !ok || strings.ContainsAny(scheme, "/{?#"):
		return fmt.Errorf("link %q: add a scheme: https://…, file://…, vscode://…", string(l))
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "file", "vscode", "vscodium", "cursor", "zed", "idea", "goland", "subl", "txmt", "mvim", "emacs":
		return nil
	}
	return fmt.Errorf("link %q: scheme %s: want http, https, file or an editor's scheme", string(l), scheme)
}

// to returns the link to a frame's source, "" where its file is not known.
func (l Link) to(file string, line int, function string) string {
	if l == "" || file == "" {
		return ""
	}
	parts := strings.Split(file, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.NewReplacer("{file}", strings.Join(parts, "/"), "{line}", strconv.Itoa(max(line, 1)), "{function}", url.QueryEscape(function)).Replace(string(l))
}
