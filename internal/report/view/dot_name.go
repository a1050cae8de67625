package view

import (
	"strings"

	"whet/internal/lazyregexp"
)

// What is left out of a function's name in a picture: of Go's the directories
// of the package's path and a major version in it, of Java's the package and
// the signature, of C++'s the namespaces.
var (
	anonymousNamespace = lazyregexp.Pattern{Text: `^\(anonymous namespace\)::`}
	majorVersion       = lazyregexp.Pattern{Text: `^(.*?)/v(?:[2-9]|[1-9][0-9]+)([./].*)$`}
	goName             = lazyregexp.Pattern{Text: `^(?:[\w.-]+/)+([^.]+\..+)`}
	javaName           = lazyregexp.Pattern{Text: `^(?:[a-z]\w*\.)*([A-Z][\w$]*\.(?:<init>|[a-z][\w$]*(?:\$\d+)?))(?:\(|$)`}
	cppName            = lazyregexp.Pattern{Text: `^(?:[_a-zA-Z]\w*::)+(_*[A-Z]\w*::~?[_a-zA-Z]\w*(?:<.*>)?)`}
)

// shortFunction returns a function's name as pictures have it.
func shortFunction(name string) string {
	name = anonymousNamespace.Regexp().ReplaceAllString(name, "")
	name = majorVersion.Regexp().ReplaceAllString(name, "$1$2")
	for _, short := range []*lazyregexp.Pattern{&goName, &javaName, &cppName} {
		if m := short.Regexp().FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	return name
}

// splitFunction cuts a short name where pictures begin a new line: at the
// points of a Go or Java name and at the double colons of C++. The points that
// stand for type parameters are no such place.
func splitFunction(name string) []string {
	name = strings.ReplaceAll(name, "[...]", "[…]")
	name = strings.ReplaceAll(name, "::", "\n")
	return strings.Split(strings.ReplaceAll(name, ".", "\n"), "\n")
}
