package randbits

import "whet/casebook/gateway"

const (
	letterBits = 6 // what it takes to number 62 letters
	perNumber  = 63 / letterBits
)

// SessionID makes a session id.
func SessionID(random gateway.Random) string {
	id := make([]byte, gateway.SessionLength)
	bits, left := random.Int63(), perNumber
	for i := 0; i < len(id); {
		if left == 0 {
			bits, left = random.Int63(), perNumber
		}
		// Two of the 64 numbers stand for no letter and are thrown away, which
		// keeps the letters equally likely.
		if n := int(bits & (1<<letterBits - 1)); n < len(gateway.Alphabet) {
			id[i] = gateway.Alphabet[n]
			i++
		}
		bits >>= letterBits
		left--
	}
	return string(id)
}
