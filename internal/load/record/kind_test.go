package record

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		body bool
		want string
	}{
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}, false, NoHost},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "i/o timeout", IsTimeout: true}}, false, TimedOut},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "server misbehaving"}}, false, Other},
		{fmt.Errorf("read: %w", errnos[Reset][0]), true, Reset},
		{fmt.Errorf("socket: %w", errnos[NoFiles][0]), false, NoFiles},
		{fmt.Errorf("dial: %w", errnos[NoPorts][0]), false, NoPorts},
		{fmt.Errorf("dial: %w", errnos[Unreachable][0]), false, Unreachable},
		{fmt.Errorf("dial: %w", errnos[Refused][0]), false, Refused},
		{errors.New(`malformed HTTP response "220 mail.example ESMTP"`), false, BadAnswer},
		{io.ErrUnexpectedEOF, true, ShortBody},
		{io.ErrUnexpectedEOF, false, Reset},
		{errors.New("http: server closed idle connection"), false, Reset},
		{fmt.Errorf("socket: something else"), false, Other},
	} {
		if got := KindOf(c.err, c.body); got != c.want {
			t.Errorf("%v is %q, want %q", c.err, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a\r\nb\x00\xff", "a··b··"},
		{strings.Repeat("é", 300), strings.Repeat("é", 100) + "…"},
		{"x" + strings.Repeat("é", 300), "x" + strings.Repeat("é", 99) + "…"},
	} {
		if got := Line(c.in); got != c.want {
			t.Errorf("Line(%.20q) = %q", c.in, got)
		}
	}
}
