package sharing

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"whet/internal/lazyregexp"
	"whet/internal/recording"
)

// cleaner takes names out of texts.
type cleaner struct {
	display map[string]string // of a frame's file, the name for people
	within  recording.Roots   // directories of the module, GOROOT and the module cache
	roots   []string          // those of them that say something, longest first
	names   []*regexp.Regexp  // of what must not be left, with what stands beside it
}

var (
	address = lazyregexp.Pattern{Text: `\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>]+`}
	// absolute is a path of two elements at least, from the root or a drive.
	absolute = lazyregexp.Pattern{Text: `(^|[\s"'=(,:])((?:[A-Za-z]:)?[/\\][^\s"'<>(),:;|/\\]+[/\\][^\s"'<>(),:;|]+)`}
	// hostPort is a host with a port, where no scheme says that it is one.
	hostPort = lazyregexp.Pattern{Text: `\b((?:[a-zA-Z0-9-]+\.)+[a-zA-Z0-9-]+|localhost):[0-9]{2,5}\b`}
)

// newCleaner learns from the sources where the module, GOROOT and others' modules lay.
func newCleaner(sources []recording.Source, names []string) *cleaner {
	c := &cleaner{display: make(map[string]string)}
	for _, name := range names {
		if name != "" && name != "localhost" && strings.Trim(name, `/\`) != "" {
			c.names = append(c.names, pattern(name))
		}
	}
	for _, s := range sources {
		c.display[s.Frame] = s.Path
	}
	c.within = recording.RootsOf(sources)
	for _, r := range c.within {
		if isAbsolute(r.Dir) && strings.Count(r.Dir, "/") > 1 && !slices.Contains(c.roots, r.Dir) {
			c.roots = append(c.roots, r.Dir)
		}
	}
	return c
}

// pattern matches a directory wherever it stands, and a host's name where it is a
// word: in main.web, web is no host.
func pattern(name string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(name)
	if strings.ContainsAny(name, `/\`) {
		return regexp.MustCompile(`()` + quoted + `()\b`)
	}
	return regexp.MustCompile(`(?i)(^|[^\w./()*-])` + quoted + `($|[^\w./()*-])`)
}

// file returns the name of a source file or binary for people.
func (c *cleaner) file(name string) string {
	if to, ok := c.display[name]; ok {
		return to
	}
	if name == "" || !strings.ContainsAny(name, `/\`) {
		return c.text(name)
	}
	if isAbsolute(name) {
		if shown := c.within.Display(name); shown != name {
			return c.text(shown)
		}
		return "…/" + path.Base(strings.ReplaceAll(name, `\`, "/"))
	}
	return c.text(name)
}

var drive = lazyregexp.Pattern{Text: `^[A-Za-z]:[/\\]`}

func isAbsolute(name string) bool { return path.IsAbs(name) || drive.Regexp().MatchString(name) }

// text returns a text without hosts of addresses, the module's directories and the names.
func (c *cleaner) text(s string) string {
	s = address.Regexp().ReplaceAllStringFunc(s, func(url string) string {
		scheme, _, host, rest := recording.CutURL(recording.Redacted(url))
		if scheme == "" || host == "" {
			return url
		}
		return scheme + "host" + rest
	})
	s = hostPort.Regexp().ReplaceAllString(s, "host")
	for _, root := range c.roots {
		s = strings.ReplaceAll(s, root, "…")
	}
	for _, name := range c.names {
		s = name.ReplaceAllString(s, "${1}…${2}")
	}
	return s
}

// operand returns a text in which paths from the root are cut to their last element.
func (c *cleaner) operand(s string) string {
	return absolute.Regexp().ReplaceAllStringFunc(c.text(s), func(found string) string {
		m := absolute.Regexp().FindStringSubmatch(found)
		return m[1] + "…/" + path.Base(strings.ReplaceAll(m[2], `\`, "/"))
	})
}

func (c *cleaner) operands(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, c.operand(s))
	}
	return out
}

// value cleans all texts of a JSON value but its keys.
func (c *cleaner) value(v any) any {
	switch v := v.(type) {
	case string:
		if isAbsolute(v) && !strings.ContainsAny(v, " \t\n") { // a file's name
			v = c.within.Display(v)
		}
		return c.operand(v)
	case []any:
		for i := range v {
			v[i] = c.value(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = c.value(v[key])
		}
	}
	return v
}

// holds reports whether a name is left in data.
func (c *cleaner) holds(data []byte) bool {
	return slices.ContainsFunc(c.names, func(name *regexp.Regexp) bool { return name.Match(data) }) ||
		slices.ContainsFunc(c.roots, func(root string) bool { return bytes.Contains(data, []byte(root)) })
}
