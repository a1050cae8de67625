package recording

import (
	"slices"
	"strings"
)

// CutURL splits an address into its scheme with "://", user and password with
// "@", host and port, and what follows, as package net/url does: so that what
// it accepts is taken apart in the same way, and what it refuses loses its
// secrets too. Without a scheme, all is rest.
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

// Redacted is an address without its user and password.
func Redacted(url string) string {
	scheme, _, host, rest := CutURL(url)
	return scheme + host + rest
}

// hidden stands in the place of a secret.
const hidden = "…"

// CommandLine is whet's own as a recording may keep it: without the values of
// headers, without those of variables that look like secrets, and without the
// users and passwords of addresses. The command behind -- is the target's, and
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

// secretive are what a variable's name holds, and ends with, whose value is a
// secret.
var (
	secretive = []string{"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "COOKIE", "BEARER"}
	secretEnd = []string{"PASS", "PWD", "KEY", "AUTH", "DSN"}
)

// Variable is a variable, NAME=value, as a recording may keep it: what the
// runtime and the build are set to belongs to the figures, a token does not.
func Variable(kv string) string {
	name, value, ok := strings.Cut(kv, "=")
	if !ok {
		return hidden
	}
	upper := strings.ToUpper(name)
	if slices.ContainsFunc(secretive, func(s string) bool { return strings.Contains(upper, s) }) ||
		slices.ContainsFunc(secretEnd, func(s string) bool { return strings.HasSuffix(upper, s) }) {
		return name + "=" + hidden
	}
	addresses := strings.Split(value, ",") // GOPROXY is a list
	for i := range addresses {
		addresses[i] = Redacted(addresses[i])
	}
	return name + "=" + strings.Join(addresses, ",")
}

// Variables are those of a list as a recording may keep them.
func Variables(env []string) []string {
	out := slices.Clone(env)
	for i := range out {
		out[i] = Variable(out[i])
	}
	return out
}
