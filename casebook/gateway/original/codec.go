package original

import (
	"net/http"
	"sort"
	"strings"

	jsoniter "github.com/json-iterator/go"

	"whet/casebook/gateway"
)

var codec = jsoniter.Config{UseNumber: true}.Froze()

// Decode returns what a checked body asks for. Where it gives no session there
// is none.
func Decode(body []byte) (gateway.Call, error) {
	var request map[string]any
	if err := codec.Unmarshal(body, &request); err != nil {
		return gateway.Call{}, gateway.NotJSON
	}
	header, ok := request["header"].(map[string]any)
	if !ok && request["header"] != nil {
		return gateway.Call{}, gateway.WrongTypes
	}
	business, businessOK := text(header["businessName"])
	session, sessionOK := text(header["sessionId"])
	qua, quaOK := header["qua"].(map[string]any)
	if !businessOK || !sessionOK || !quaOK && header["qua"] != nil {
		return gateway.Call{}, gateway.WrongTypes
	}
	for _, value := range qua {
		if _, ok := text(value); !ok {
			return gateway.Call{}, gateway.WrongTypes
		}
	}
	if err := gateway.CheckNames(business, session); err != nil {
		return gateway.Call{}, err
	}
	joined, err := join(qua)
	if err != nil {
		return gateway.Call{}, err
	}
	payload, err := codec.MarshalToString(request["payload"])
	if err != nil {
		return gateway.Call{}, gateway.NotJSON
	}
	return gateway.Call{Business: business, Qua: joined, Session: session, Payload: payload}, nil
}

// text returns a value that is a string; null is as if empty.
func text(value any) (string, bool) {
	s, ok := value.(string)
	return s, ok || value == nil
}

func join(qua map[string]any) (string, error) {
	var names []string
	for name := range qua {
		names = append(names, name)
	}
	sort.Strings(names)
	var pairs []string
	for _, name := range names {
		value, _ := text(qua[name])
		if err := gateway.CheckPair(name, value); err != nil {
			return "", err
		}
		pairs = append(pairs, name+"="+value)
	}
	joined := strings.Join(pairs, "&")
	return joined, gateway.CheckQua(len(pairs), len(joined))
}

// encode wraps what the downstream has answered.
func encode(payload string) ([]byte, error) {
	var value any
	if err := codec.UnmarshalFromString(payload, &value); err != nil {
		return nil, gateway.DownstreamNonsense
	}
	answer, err := codec.Marshal(map[string]any{
		"header":  map[string]any{"code": http.StatusOK, "message": gateway.Message},
		"payload": value,
	})
	if err != nil {
		return nil, gateway.DownstreamNonsense
	}
	return answer, nil
}
