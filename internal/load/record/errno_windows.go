package record

import "syscall"

// Windows' own numbers: the syscall package's are made up there.
var errnos = map[string][]syscall.Errno{
	Refused:     {10061},                                   // WSAECONNREFUSED
	Reset:       {10053, 10054, syscall.ERROR_BROKEN_PIPE}, // WSAECONNABORTED, WSAECONNRESET
	TimedOut:    {10060},                                   // WSAETIMEDOUT
	Unreachable: {10050, 10051, 10064, 10065},              // WSAENETDOWN, WSAENETUNREACH, WSAEHOSTDOWN, WSAEHOSTUNREACH
	NoFiles:     {10024},                                   // WSAEMFILE
	NoPorts:     {10049, 10055},                            // WSAEADDRNOTAVAIL, WSAENOBUFS
}
