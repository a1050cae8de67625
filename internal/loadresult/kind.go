package loadresult

// Kinds of failed requests.
const (
	Refused     = "connection refused"
	Reset       = "connection reset" // or closed, before an answer
	StreamReset = "stream reset"     // of HTTP/2: the service ended this request, and the connection goes on
	TimedOut    = "timeout"
	NoHost      = "no such host"
	Unreachable = "unreachable"
	TLS         = "tls"
	ShortBody   = "short body"   // the connection ended within the answer's body
	BadAnswer   = "bad answer"   // the response is not HTTP
	WrongAnswer = "wrong answer" // a whole answer that is not the one asked for
	Status4xx   = "status 4xx"
	Status5xx   = "status 5xx"
	NoFiles     = "out of file descriptors" // this process or this machine
	NoPorts     = "out of ports"            // this machine
	Other       = "other"
)
