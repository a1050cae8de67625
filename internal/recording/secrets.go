package recording

import (
	"slices"
	"strings"
)

// CutURL splits an address into its scheme with "://", user and password with "@", host
// and port, and the rest, by the rules of package net/url: addresses that it accepts
// are split in the same way, and addresses that it refuses lose their secrets too.
// Without a scheme, all is rest.
func CutURL(url string) (scheme, user, host, rest string) {
	i := strings.Index(url, "://")
	if i < 0 {
		return "", "", "", url
	}
	scheme, rest = url[:i+3], url[i+3:]
	host = rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host, rest = rest[:end], rest[end:]
	} else {
		rest = ""
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 { // a password may hold one
		user, host = host[:i+1], host[i+1:]
	}
	return scheme, user, host, rest
}

// Redacted returns an address without its user and password, and without the values
// of query parameters that are called as secrets.
func Redacted(url string) string {
	scheme, _, host, rest := CutURL(url)
	if scheme == "" {
		return url
	}
	path, query, ok := strings.Cut(rest, "?")
	if !ok {
		return scheme + host + rest
	}
	query, fragment, _ := strings.Cut(query, "#")
	parts := strings.Split(query, "&")
	for i, part := range parts {
		if name, _, ok := strings.Cut(part, "="); ok && secretParameter(name) {
			parts[i] = name + "=" + hidden
		}
	}
	if fragment != "" {
		fragment = "#" + fragment
	}
	return scheme + host + path + "?" + strings.Join(parts, "&") + fragment
}

// secretParameter reports whether a query parameter has the name of a credential. "key"
// alone may be the key of any entry: only API keys count.
func secretParameter(name string) bool {
	plain := strings.ToUpper(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
	return slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "BEARER", "APIKEY", "ACCESSKEY", "PRIVATEKEY", "SIGNATURE", "SESSIONID"},
		func(s string) bool { return strings.Contains(plain, s) }) || plain == "SIG" || plain == "AUTH" || plain == "PWD" || plain == "PASS"
}

// hidden replaces a secret.
const hidden = "…"

// CommandLine is whet's own as a recording may keep it: without the values of
// headers and variables, and without the secrets of addresses. The command after -- is the target's, and
// stays as it is.
func CommandLine(args []string) []string {
	out := slices.Clone(args)
	for i := 0; i < len(out); i++ {
		arg := out[i]
		if arg == "--" || arg == "-args" || arg == "--args" {
			break
		}
		if !strings.HasPrefix(arg, "-") {
			out[i] = Redacted(arg)
			continue
		}
		flag, value, given := strings.Cut(arg, "=")
		var show func(string) string
		switch strings.TrimLeft(flag, "-") {
		case "H":
			show = headerName
		case "old-env", "new-env":
			show = Variable
		}
		switch {
		case show != nil && given:
			out[i] = flag + "=" + show(value)
		case show != nil && i+1 < len(out):
			i++
			out[i] = show(out[i])
		case given:
			out[i] = flag + "=" + Redacted(value)
		}
	}
	return out
}

func headerName(header string) string {
	name, _, ok := strings.Cut(header, ":")
	if !ok {
		return hidden
	}
	return name + ": " + hidden
}

// settings are the variables whose values affect the figures: those of the runtime and
// the go command.
var settings = []string{
	"GOGC", "GOMEMLIMIT", "GODEBUG", "GOMAXPROCS", "GORACE", "GOTRACEBACK", "GOEXPERIMENT", "GOFIPS140", "GOTOOLCHAIN", "GOFLAGS", "GOOS", "GOARCH",
	"GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM", "CGO_ENABLED",
}

// Variable returns a variable, NAME=value, as a recording may keep it: its name, and
// the value of those that set the runtime or the build.
func Variable(kv string) string {
	name, value, ok := strings.Cut(kv, "=")
	switch {
	case !ok:
		return hidden
	case value == "" || slices.Contains(settings, name):
		return kv
	}
	return name + "=" + hidden
}

// Variables returns the variables of a list as a recording may keep them.
func Variables(env []string) []string {
	out := slices.Clone(env)
	for i := range out {
		out[i] = Variable(out[i])
	}
	return out
}
