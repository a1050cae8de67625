package tune

import (
	"net/netip"
	"slices"
	"strings"
)

// cutURL splits an address into its scheme with "://", user and password with
// "@", host and port, and what follows, as package net/url does: so that what
// it accepts is taken apart in the same way, and what it refuses loses its
// secrets too. Without a scheme, all is rest.
func cutURL(url string) (scheme, user, host, rest string) {
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

// redacted is an address without its user and password.
func redacted(url string) string {
	scheme, _, host, rest := cutURL(url)
	return scheme + host + rest
}

// origin is the scheme, user and host of an address.
func origin(url string) string {
	scheme, user, host, _ := cutURL(url)
	return scheme + user + host
}

// serviceName makes a name for a recording of an address: its path's last
// element, or its host.
func serviceName(url string) string {
	_, _, host, rest := cutURL(url)
	path, _, _ := strings.Cut(rest, "?")
	path, _, _ = strings.Cut(path, "#")
	return strings.Trim(host+path, "/")
}

// sameHost reports whether two addresses are on one host, on whatever port:
// what the user sends to the one may be sent to the other.
func sameHost(a, b string) bool {
	name := func(url string) string {
		_, _, host, _ := cutURL(url)
		if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
			host = host[:i]
		}
		return strings.ToLower(strings.Trim(host, "[]"))
	}
	loopback := func(name string) bool {
		ip, err := netip.ParseAddr(name)
		return name == "localhost" || err == nil && ip.IsLoopback()
	}
	x, y := name(a), name(b)
	return x == y || loopback(x) && loopback(y)
}

// withoutSecrets is whet's command line as a recording may keep it: without
// the values of headers, and without the users and passwords of addresses. The
// command behind -- is the target's, and stays as it is.
func withoutSecrets(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		if arg == "--" || arg == "-args" || arg == "--args" {
			break
		}
		flag, value, given := strings.Cut(arg, "=")
		switch isHeader := flag == "-H" || flag == "--H"; {
		case isHeader && given:
			out[i] = flag + "=" + headerName(value)
		case isHeader && i+1 < len(out):
			out[i+1] = headerName(out[i+1])
		case strings.HasPrefix(arg, "-") && given:
			out[i] = flag + "=" + redacted(value)
		default:
			out[i] = redacted(arg)
		}
	}
	return out
}

func headerName(header string) string {
	name, _, ok := strings.Cut(header, ":")
	if !ok {
		return "…"
	}
	return name + ": …"
}
