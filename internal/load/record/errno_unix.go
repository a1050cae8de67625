//go:build unix

package record

import (
	"syscall"

	"whet/internal/loadresult"
)

var errnos = map[string][]syscall.Errno{
	loadresult.Refused:     {syscall.ECONNREFUSED},
	loadresult.Reset:       {syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED},
	loadresult.TimedOut:    {syscall.ETIMEDOUT},
	loadresult.Unreachable: {syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN, syscall.EHOSTDOWN},
	loadresult.NoFiles:     {syscall.EMFILE, syscall.ENFILE},
	loadresult.NoPorts:     {syscall.EADDRNOTAVAIL},
}
