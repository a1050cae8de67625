// Package buffer is the request statistics with the name written into one
// bytes.Buffer, tag by tag and byte by byte: no list of parts, no cleaned
// copies, no strings.Join. The host's name is asked for in every request as
// before.
package buffer
