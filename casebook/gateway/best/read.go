package best

import (
	"io"
	"net/http"

	"whet/casebook/gateway"
)

const (
	// maxTrusted is how much memory a request gets for saying how long its body
	// is.
	maxTrusted = 16 << 10
	// ahead is how many times what has come it gets after that, of the length
	// that it said: one of 100 kB is copied once, and whoever stops sending holds
	// a few times what they have sent.
	ahead = 8
	// unknown is what one gets that does not say.
	unknown = 2 << 10
)

// read returns the body of a request that has been accepted.
func read(r *http.Request) ([]byte, error) {
	size := r.ContentLength
	if size < 0 {
		size = unknown
	}
	b := make([]byte, 0, min(size, maxTrusted)+1) // the end shows where there is room for more
	for {
		n, err := r.Body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, gateway.BodyError(err)
		}
		switch {
		case len(b) < cap(b):
		case int64(len(b)) <= size:
			b = append(make([]byte, 0, min(size, ahead*int64(len(b)))+1), b...)
		default: // it is longer than it said
			b = append(b, 0)[:len(b)]
		}
	}
}
