package best

import "whet/casebook/gateway"

const (
	letters   = uint64(len(gateway.Alphabet))
	perNumber = 10 // 62^10 is the last power of 62 below 2^63
	power     = letters * letters * letters * letters * letters * letters * letters * letters * letters * letters
	// fair is the largest multiple of that power below 2^63: a number up to it
	// has ten digits in base 62 of which each is as likely as any other.
	fair = 1 << 63 / power * power
)

// SessionID makes a session id.
func SessionID(random gateway.Random) string {
	id := make([]byte, 0, gateway.SessionLength)
	for {
		n := uint64(random.Int63())
		if n >= fair { // one in eleven
			continue
		}
		for range perNumber {
			id = append(id, gateway.Alphabet[n%letters])
			n /= letters
			if len(id) == gateway.SessionLength {
				return view(id)
			}
		}
	}
}
