package record

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"syscall"

	"whet/internal/loadresult"
)

// ErrTimeout is the error of a request that got no response in time.
var ErrTimeout = errors.New("no answer within the timeout")

// ErrHalfAnswer is the error of a request whose response began but did not end in
// time.
var ErrHalfAnswer = errors.New("the head of the answer arrived, but its end did not within the timeout")

// StatusKind returns the kind of an answer that counts as failed; "" of others.
func StatusKind(status int) string {
	switch {
	case status >= 500:
		return loadresult.Status5xx
	case status >= 400:
		return loadresult.Status4xx
	}
	return ""
}

// StatusText returns a status with its name, as "404 Not Found".
func StatusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// KindOf returns the kind of an error of a connection or of net/http's transport. body
// reports whether the head of the response had arrived.
func KindOf(err error, body bool) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		if kind := KindOfErrno(errno); kind != loadresult.Other {
			return kind
		}
	}
	dns, isDNS := errors.AsType[*net.DNSError](err)
	timeout, canTimeOut := errors.AsType[net.Error](err)
	text := err.Error()
	switch {
	case errors.Is(err, ErrTimeout):
		return loadresult.TimedOut
	case isDNS && dns.IsNotFound:
		return loadresult.NoHost
	case isTLS(err):
		return loadresult.TLS
	case is[textproto.ProtocolError](err), strings.Contains(text, "malformed HTTP"), strings.Contains(text, "malformed chunked encoding"):
		return loadresult.BadAnswer
	case body && errors.Is(err, io.ErrUnexpectedEOF):
		return loadresult.ShortBody
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		strings.Contains(text, "server closed idle connection"):
		return loadresult.Reset
	case canTimeOut && timeout.Timeout():
		return loadresult.TimedOut
	}
	return loadresult.Other
}

// KindOfErrno returns the kind of an error of a system call; Other if it has no meaning
// for a load.
func KindOfErrno(errno syscall.Errno) string {
	for kind, numbers := range errnos {
		if slices.Contains(numbers, errno) {
			return kind
		}
	}
	return loadresult.Other
}

func isTLS(err error) bool {
	return IsCertificate(err) || is[tls.RecordHeaderError](err) || is[tls.AlertError](err) ||
		strings.Contains(err.Error(), "tls: ")
}

// IsCertificate reports that the target's certificate was not accepted, which
// waiting does not change.
func IsCertificate(err error) bool {
	return is[*tls.CertificateVerificationError](err) || is[x509.UnknownAuthorityError](err) ||
		is[x509.HostnameError](err) || is[x509.CertificateInvalidError](err)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
