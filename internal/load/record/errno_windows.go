package record

import (
	"syscall"

	"whet/internal/loadresult"
)

// Windows' own numbers: the syscall package's are made up there.
var errnos = map[string][]syscall.Errno{
	loadresult.Refused:     {10061},                                   // WSAECONNREFUSED
	loadresult.Reset:       {10053, 10054, syscall.ERROR_BROKEN_PIPE}, // WSAECONNABORTED, WSAECONNRESET
	loadresult.TimedOut:    {10060},                                   // WSAETIMEDOUT
	loadresult.Unreachable: {10050, 10051, 10064, 10065},              // WSAENETDOWN, WSAENETUNREACH, WSAEHOSTDOWN, WSAEHOSTUNREACH
	loadresult.NoFiles:     {10024},                                   // WSAEMFILE
	loadresult.NoPorts:     {10049, 10055},                            // WSAEADDRNOTAVAIL, WSAENOBUFS
}
