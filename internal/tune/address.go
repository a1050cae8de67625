package tune

import (
	"net/netip"
	"strings"

	"whet/internal/recording"
)

// origin returns the scheme, user and host of an address.
func origin(url string) string {
	scheme, user, host, _ := recording.CutURL(url)
	return scheme + user + host
}

// serviceName makes a name for a recording of an address: its path's last
// element, or its host.
func serviceName(url string) string {
	_, _, host, rest := recording.CutURL(url)
	path, _, _ := strings.Cut(rest, "?")
	path, _, _ = strings.Cut(path, "#")
	return strings.Trim(host+path, "/")
}

// sameHost reports whether two addresses are on one host, on any port: data that the
// user sends to one may be sent to the other.
func sameHost(a, b string) bool {
	name := func(url string) string {
		_, _, host, _ := recording.CutURL(url)
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
