package best

import (
	"io"
	"net/http"

	"whet/casebook/gateway"
)

const (
	// maxTrusted is how much memory a request gets for saying how long its body
	// is. What is beyond it, it gets as it comes.
	maxTrusted = 256 << 10
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
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
	}
}
