package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
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
	return Unread
}

// DownstreamError says why a call did not go well. A caller who has gone makes
// it fail too; nobody reads that answer.
func DownstreamError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return DownstreamSlow
	}
	return DownstreamFails
}
