package logging

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"whet/internal/lazyregexp"
	"whet/internal/symbolname"
)

// known are the import paths of logging packages, without a major version.
// Packages below them belong to them.
var known = [...]string{
	"log", "github.com/sirupsen/logrus", "go.uber.org/zap", "github.com/rs/zerolog",
	"github.com/golang/glog", "k8s.io/klog", "github.com/go-logr/logr", "github.com/go-kit/log",
	"github.com/go-kit/kit/log", "github.com/hashicorp/go-hclog", "github.com/apex/log",
	"github.com/inconshreveable/log15", "github.com/charmbracelet/log", "github.com/phuslu/log",
	"google.golang.org/grpc/grpclog", "github.com/cihub/seelog", "github.com/op/go-logging",
}

func knownPackage(pkg string) bool {
	return slices.ContainsFunc(known[:], func(k string) bool { return pkg == k || strings.HasPrefix(pkg, k+"/") })
}

// Package reports whether an import path is that of a logger, by its name.
func Package(pkg string) bool {
	if knownPackage(pkg) {
		return true
	}
	last := path.Base(pkg)
	if v, ok := strings.CutPrefix(last, "v"); ok && v != "" && strings.Trim(v, "0123456789") == "" {
		last = path.Base(path.Dir(pkg)) // a major version
	}
	if slices.Contains([]string{"logrus", "zerolog", "slog", "glog", "klog", "zap", "logr", "hclog", "zlog", "syslog", "log15", "logs"}, last) {
		return true
	}
	words := split(strings.TrimSuffix(last, "_test"))
	w := words[strings.LastIndexByte(words, ' ')+1:]
	// "tinylogger" is no two words to split, yet no other word ends like it
	// but those about blogs.
	return w == "log" || ends(w, "logger", "logging") && !strings.Contains(w, "blog") && !strings.Contains(w, "vlog") && !strings.Contains(w, "clog")
}

// split cuts a name into lower-case words with a space between: at underscores and
// the like, and where camel case starts a new word ("HTTPLogger" is "http logger").
func split(name string) string {
	var parts []rune
	rs := []rune(name)
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 && (unicode.IsLower(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])) {
			parts = append(parts, ' ')
		}
		parts = append(parts, unicode.ToLower(r))
	}
	return strings.Join(strings.FieldsFunc(string(parts), func(r rune) bool { return !unicode.IsLetter(r) }), " ")
}

// level is a word that names a level or a print.
const level = `(debug|info|warn|warning|error|fatal|panic|trace|print|log|verbose|notice|critical)(f|ln|w|s|x)?`

var (
	// logCall are the words of a function that is named like a level (Debugf,
	// WarnContext, Println), or begins with the word log (logRequest, Logf).
	logCall = lazyregexp.Pattern{Text: `^(log(f|ln|w)?\b.*|` + level + `( (` + level + `|ctx|context|f|w|s|ln|kv|fields|msg|depth|line|attrs))*)$`}
	// ofLogs are words that speak of logs.
	ofLogs = lazyregexp.Pattern{Text: `\b(log(f|ln|w)?|logger|logging)\b`}
)

// shaped reports whether a symbol looks like a logger's entry point: a name
// like a level, and the word log in it, its type or its package. A literal is
// none: middleware named LogRequests returns one that serves the request.
func shaped(sym symbolname.Name) bool {
	if sym.Made != "" || sym.Package == "testing" || sym.Package == "runtime/trace" || strings.HasPrefix(sym.Package, "math") || !logCall.Regexp().MatchString(split(sym.Name)) {
		return false
	}
	return Package(sym.Package) || ofLogs.Regexp().MatchString(split(sym.Receiver)+" "+split(sym.Name))
}

// configures knows functions of logging packages that emit nothing and build no
// record: a statement with only these is not a log statement.
func configures(name string) bool {
	return begins(name, "New", "Set", "Get", "Default", "Parse", "Must", "Replace", "Redirect", "Add", "Sync", "Flush", "Level", "Enabled", "IsLevel", "Writer")
}

func begins(name string, with ...string) bool {
	return slices.ContainsFunc(with, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

func ends(name string, with ...string) bool {
	return slices.ContainsFunc(with, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}
