package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
)

// Refusal is why a request is not answered with a payload.
type Refusal uint8

const (
	WrongMethod Refusal = iota
	TooLarge
	Unread
	NotJSON
	TooDeep
	Twice
	WrongTypes
	NoBusiness
	LongName
	BadQua
	DownstreamFails
	DownstreamNonsense
	DownstreamSlow
	BodySlow
	CallerGone

	refusals
)

var refusal = [refusals]struct {
	status  int
	message string
}{
	WrongMethod:        {http.StatusMethodNotAllowed, "use POST"},
	TooLarge:           {http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB"},
	Unread:             {http.StatusBadRequest, "the body breaks off"},
	NotJSON:            {http.StatusBadRequest, "the body is not one JSON object in UTF-8"},
	TooDeep:            {http.StatusBadRequest, "the body nests more than 100 levels deep"},
	Twice:              {http.StatusBadRequest, "header, payload, businessName, qua or sessionId is given twice"},
	WrongTypes:         {http.StatusBadRequest, "header is an object, businessName and sessionId in it are strings, qua in it is an object of strings: one of them is something else"},
	NoBusiness:         {http.StatusBadRequest, "header.businessName is missing"},
	LongName:           {http.StatusBadRequest, "header.businessName or header.sessionId has more than 64 bytes"},
	BadQua:             {http.StatusBadRequest, "header.qua has more than 32 pairs or 2048 bytes, an empty name, a name with = or &, or a value with &"},
	DownstreamFails:    {http.StatusBadGateway, "the service behind the gateway failed"},
	DownstreamNonsense: {http.StatusBadGateway, "the service behind the gateway answered no JSON"},
	DownstreamSlow:     {http.StatusGatewayTimeout, "the service behind the gateway took too long"},
	BodySlow:           {http.StatusRequestTimeout, "the body did not come in time"},
	CallerGone:         {499, "the caller has gone"}, // as other servers count it; net/http has no name for it
}

func (r Refusal) Error() string { return refusal[r].message }

// Status returns the status of the answer.
func (r Refusal) Status() int { return refusal[r].status }

// Status returns the status of the answer to a request that ended with err.
func Status(err error) int {
	if err == nil {
		return http.StatusOK
	}
	return refusalOf(err).Status()
}

// refusalOf puts what is not a refusal down to the downstream: a stage has no
// other errors.
func refusalOf(err error) Refusal {
	if r, ok := errors.AsType[Refusal](err); ok {
		return r
	}
	return DownstreamFails
}

// Refuse answers a request that ended with err.
func Refuse(w http.ResponseWriter, err error) {
	r := refusalOf(err)
	w.Header().Set("Content-Type", ContentType)
	if r == WrongMethod {
		w.Header().Set("Allow", http.MethodPost)
	}
	w.WriteHeader(r.Status())
	io.WriteString(w, `{"header":{"code":`+strconv.Itoa(r.Status())+`,"message":"`+r.Error()+`"},"payload":null}`)
}

// BodyError says why a body could not be read.
func BodyError(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return TooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return BodySlow
	}
	return Unread
}

// DownstreamError says why a call in ctx, the request's, did not go well. That
// the caller has gone is no word about the downstream: nobody reads that
// answer, but whoever watches the health record reads that.
func DownstreamError(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return failure{DownstreamSlow, err}
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return CallerGone
	}
	return failure{DownstreamFails, err}
}

// failure is a downstream's, and its cause, which is for the log alone.
type failure struct {
	Refusal
	cause error
}

func (f failure) Unwrap() error { return f.Refusal }

// cause returns what is known of a failure beyond the refusal, "" if nothing
// is. Of a *url.Error it leaves out the address, which holds what the caller
// has sent.
func cause(err error) string {
	f, ok := errors.AsType[failure](err)
	if !ok {
		return ""
	}
	text := f.cause.Error()
	if u, ok := errors.AsType[*url.Error](f.cause); ok {
		text = u.Err.Error()
	}
	return text[:min(len(text), maxCause)]
}

// maxCause bounds how many bytes a downstream can write into the log of a
// request.
const maxCause = 256
