//go:build unix

package record

import "syscall"

var errnos = map[string][]syscall.Errno{
	Refused:     {syscall.ECONNREFUSED},
	Reset:       {syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED},
	TimedOut:    {syscall.ETIMEDOUT},
	Unreachable: {syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN, syscall.EHOSTDOWN},
	NoFiles:     {syscall.EMFILE, syscall.ENFILE},
	NoPorts:     {syscall.EADDRNOTAVAIL},
}
