package rawmessage

import "whet/casebook/gateway"

var letters = []rune(gateway.Alphabet)

// SessionID makes a session id.
func SessionID(random gateway.Random) string {
	id := make([]rune, gateway.SessionLength)
	for i := range id {
		id[i] = letters[random.Intn(len(letters))]
	}
	return string(id)
}
