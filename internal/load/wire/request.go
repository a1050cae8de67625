package wire

import (
	"slices"
	"strconv"
	"strings"

	"whet/internal/load/message"
)

const agent = "whet"

// FixedRequest is a request whose bytes are always the same.
type FixedRequest struct {
	Bytes []byte // nil: the request varies and is encoded each time
	Head  bool   // it is a HEAD request
}

// FixedRequests returns the fixed requests of a set, by target.
func FixedRequests(s *message.Set, keepAlive bool) []FixedRequest {
	const chunk = 64 << 10
	all := make([]FixedRequest, s.Len())
	var room, one []byte
	for i := range all {
		m, ok := s.Fixed(i)
		if !ok {
			continue
		}
		one = AppendRequest(one[:0], m, keepAlive)
		if len(one) > cap(room)-len(room) {
			room = make([]byte, 0, max(len(one), min(chunk, len(all)*len(one))))
		}
		at := len(room)
		room = append(room, one...)
		all[i] = FixedRequest{room[at:len(room):len(room)], m.Method == "HEAD"}
	}
	return all
}

// AppendRequest appends the bytes of a request. It adds Host, Content-Length and
// User-Agent unless the message's header has them, and Connection: close if the
// connection is not kept. A User-Agent of "" is omitted. The message is not checked:
// message.New has validated it.
func AppendRequest(dst []byte, m *message.Message, keepAlive bool) []byte {
	dst = append(dst, m.Method...)
	dst = append(dst, ' ')
	dst = append(dst, m.Target...)
	dst = append(dst, " HTTP/1.1\r\nHost: "...)
	if i := slices.IndexFunc(m.Header, isHost); i >= 0 {
		dst = append(dst, m.Header[i].Value...)
	} else {
		dst = appendHost(dst, m.Host)
	}
	dst = append(dst, "\r\n"...)

	named := false
	for i := range m.Header {
		f := &m.Header[i]
		switch {
		case isHost(*f), strings.EqualFold(f.Name, "Content-Length"):
			continue
		case strings.EqualFold(f.Name, "Connection") && !keepAlive:
			continue
		case strings.EqualFold(f.Name, "User-Agent"):
			named = true
			if f.Value == "" {
				continue
			}
		}
		dst = appendField(dst, f.Name, f.Value)
	}
	if !named {
		dst = appendField(dst, "User-Agent", agent)
	}
	if !keepAlive {
		dst = appendField(dst, "Connection", "close")
	}
	if len(m.Body) > 0 || m.Method == "POST" || m.Method == "PUT" || m.Method == "PATCH" {
		dst = append(dst, "Content-Length: "...)
		dst = strconv.AppendInt(dst, int64(len(m.Body)), 10)
		dst = append(dst, "\r\n"...)
	}
	dst = append(dst, "\r\n"...)
	return append(dst, m.Body...)
}

func isHost(f message.Field) bool { return strings.EqualFold(f.Name, "Host") }

func appendField(dst []byte, name, value string) []byte {
	dst = append(dst, name...)
	dst = append(dst, ": "...)
	dst = append(dst, value...)
	return append(dst, "\r\n"...)
}

// appendHost drops the zone of an IPv6 address, which has a meaning on this machine
// alone: the Host of [fe80::1%eth0]:80 is [fe80::1]:80.
func appendHost(dst []byte, host string) []byte {
	end, zone := strings.IndexByte(host, ']'), strings.IndexByte(host, '%')
	if zone < 0 || zone > end {
		return append(dst, host...)
	}
	dst = append(dst, host[:zone]...)
	return append(dst, host[end:]...)
}
