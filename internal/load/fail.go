package load

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

var errTimeout = errors.New("no answer within the timeout")

// kindOf names what an error of net/http's transport means. body says that the
// answer's head had come.
func kindOf(err error, body bool) string {
	dns, isDNS := errors.AsType[*net.DNSError](err)
	timeout, canTimeOut := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, errTimeout):
		return TimedOut
	case isDNS && dns.IsNotFound:
		return NoHost
	case isErrno(err, refusedErrnos):
		return Refused
	case isErrno(err, resetErrnos):
		return Reset
	case isTLS(err):
		return TLS
	case body && errors.Is(err, io.ErrUnexpectedEOF):
		return ShortBody
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		strings.Contains(err.Error(), "server closed idle connection"):
		return Reset
	case canTimeOut && timeout.Timeout():
		return TimedOut
	}
	return Other
}

func isErrno(err error, numbers []syscall.Errno) bool {
	for _, n := range numbers {
		if errors.Is(err, n) {
			return true
		}
	}
	return false
}

func isTLS(err error) bool {
	return isCertificate(err) || is[tls.RecordHeaderError](err) || is[tls.AlertError](err) ||
		strings.Contains(err.Error(), "tls: ")
}

// isCertificate reports that the target's certificate was not accepted, which
// waiting does not change.
func isCertificate(err error) bool {
	return is[*tls.CertificateVerificationError](err) || is[x509.UnknownAuthorityError](err) ||
		is[x509.HostnameError](err) || is[x509.CertificateInvalidError](err)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// statusKind is the kind of an answer that counts as failed; "" of others.
func statusKind(status int) string {
	switch {
	case status >= 500:
		return Status5xx
	case status >= 400:
		return Status4xx
	}
	return ""
}

func (o *outcome) example() string {
	if o.err == nil {
		return "answered " + statusText(o.status)
	}
	return line(o.err.Error())
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

const maxLine = 200 // bytes of a text that may come from the target

// line makes one bounded, printable line of a text.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, s[:min(len(s), 4*maxLine)])
	if len(s) <= maxLine {
		return s
	}
	cut := maxLine
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
