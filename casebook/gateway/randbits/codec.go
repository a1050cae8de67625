package randbits

import (
	"net/http"
	"sort"
	"strings"

	jsoniter "github.com/json-iterator/go"

	"whet/casebook/gateway"
	"whet/casebook/gateway/original"
)

var codec = jsoniter.Config{CaseSensitive: true}.Froze()

// request is a body.
type request struct {
	Header struct {
		BusinessName string            `json:"businessName"`
		Qua          map[string]string `json:"qua"`
		SessionID    string            `json:"sessionId"`
	} `json:"header"`
	Payload jsoniter.RawMessage `json:"payload"`
}

// response is an answer with a payload.
type response struct {
	Header  responseHeader      `json:"header"`
	Payload jsoniter.RawMessage `json:"payload"`
}

type responseHeader struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// exchange is all that is known of one request.
type exchange struct {
	request  request
	names    [gateway.MaxQua]string // of qua, sorted
	call     gateway.Call
	response response
}

// decode reads a checked body.
func (e *exchange) decode(body []byte) error {
	var in request // escapes in the place of e
	if err := codec.Unmarshal(body, &in); err != nil {
		// Types are wrong, or there is a number that json-iterator does not
		// skip.
		e.call, err = original.Decode(body)
		return err
	}
	e.request = in
	header := &e.request.Header
	if err := gateway.CheckNames(header.BusinessName, header.SessionID); err != nil {
		return err
	}
	qua, err := e.join()
	if err != nil {
		return err
	}
	payload := "null"
	if e.request.Payload != nil {
		payload = string(e.request.Payload)
	}
	e.call = gateway.Call{Business: header.BusinessName, Qua: qua, Session: header.SessionID, Payload: payload}
	return nil
}

func (e *exchange) join() (string, error) {
	qua := e.request.Header.Qua
	if len(qua) > len(e.names) {
		return "", gateway.BadQua
	}
	names := e.names[:0]
	for name := range qua {
		names = append(names, name)
	}
	sort.Strings(names)
	var joined strings.Builder
	for i, name := range names {
		if err := gateway.CheckPair(name, qua[name]); err != nil {
			return "", err
		}
		if i > 0 {
			joined.WriteByte('&')
		}
		joined.WriteString(name)
		joined.WriteByte('=')
		joined.WriteString(qua[name])
	}
	return joined.String(), gateway.CheckQua(len(names), joined.Len())
}

// encode wraps what the downstream has answered.
func (e *exchange) encode(payload string) ([]byte, error) {
	e.response = response{responseHeader{http.StatusOK, gateway.Message}, jsoniter.RawMessage(payload)}
	out := e.response // escapes in the place of e
	answer, err := codec.Marshal(&out)
	if err != nil {
		return nil, gateway.DownstreamNonsense
	}
	return answer, nil
}
