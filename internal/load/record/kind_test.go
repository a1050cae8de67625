package record

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"whet/internal/loadresult"
)

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		body bool
		want string
	}{
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}, false, loadresult.NoHost},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "i/o timeout", IsTimeout: true}}, false, loadresult.TimedOut},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "server misbehaving"}}, false, loadresult.Other},
		{fmt.Errorf("read: %w", errnos[loadresult.Reset][0]), true, loadresult.Reset},
		{fmt.Errorf("socket: %w", errnos[loadresult.NoFiles][0]), false, loadresult.NoFiles},
		{fmt.Errorf("dial: %w", errnos[loadresult.NoPorts][0]), false, loadresult.NoPorts},
		{fmt.Errorf("dial: %w", errnos[loadresult.Unreachable][0]), false, loadresult.Unreachable},
		{fmt.Errorf("dial: %w", errnos[loadresult.Refused][0]), false, loadresult.Refused},
		{errors.New(`malformed HTTP response "220 mail.example ESMTP"`), false, loadresult.BadAnswer},
		{io.ErrUnexpectedEOF, true, loadresult.ShortBody},
		{io.ErrUnexpectedEOF, false, loadresult.Reset},
		{errors.New("http: server closed idle connection"), false, loadresult.Reset},
		{fmt.Errorf("socket: something else"), false, loadresult.Other},
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
