package wire

// Error is an error in a response. Its values are constants, so that an error costs
// no allocation.
type Error string

func (e Error) Error() string { return string(e) }

// The connection ended too early.
const (
	ErrNoAnswer Error = "the connection ended before the head of an answer was complete"
	ErrShort    Error = "the connection ended within the body of an answer"
)

// The bytes are no answer that HTTP/1 knows.
const (
	ErrNotHTTP    Error = "the answer does not begin with HTTP/"
	ErrStatus     Error = "the answer's status line holds no status code of three digits"
	ErrSwitching  Error = "the answer is 101 Switching Protocols, which was not requested"
	ErrField      Error = "a field of the answer's head is malformed"
	ErrHeadSize   Error = "the answer's head is larger than 1 MiB"
	ErrLength     Error = "the answer's Content-Length is not a number"
	ErrLengths    Error = "the answer has several Content-Length that differ"
	ErrEncoding   Error = "the answer's Transfer-Encoding is not chunked alone"
	ErrTrailerKey Error = "the answer announces a trailer that is not allowed"
	ErrChunk      Error = "the answer's chunked body is malformed"
	ErrChunkSize  Error = "the size line of a chunk of the answer is too long"
	ErrOverhead   Error = "the answer's chunked body is mostly overhead"
	ErrTrailer    Error = "the trailer of the answer is malformed"
	ErrTrailerLF  Error = "a line of the answer's trailer does not end in CRLF"
	ErrTrailers   Error = "the trailer of the answer is larger than 4 KiB"
)
