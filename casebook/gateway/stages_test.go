package gateway_test

import (
	"io"
	"reflect"
	"slices"
	"testing"

	"whet/casebook/gateway"
	"whet/casebook/gateway/best"
	"whet/casebook/gateway/gatewaytest"
	"whet/casebook/gateway/noescape"
	"whet/casebook/gateway/nohealth"
	"whet/casebook/gateway/original"
	"whet/casebook/gateway/randbits"
	"whet/casebook/gateway/rawmessage"
)

type stage struct {
	name string
	make gatewaytest.New
}

var stages = []stage{
	{"original", func(d gateway.Downstream, w io.Writer, r gateway.Random) gateway.Gateway {
		return original.New(d, w, r)
	}},
	{"nohealth", func(d gateway.Downstream, w io.Writer, r gateway.Random) gateway.Gateway {
		return nohealth.New(d, w, r)
	}},
	{"rawmessage", func(d gateway.Downstream, w io.Writer, r gateway.Random) gateway.Gateway {
		return rawmessage.New(d, w, r)
	}},
	{"noescape", func(d gateway.Downstream, w io.Writer, r gateway.Random) gateway.Gateway {
		return noescape.New(d, w, r)
	}},
	{"randbits", func(d gateway.Downstream, w io.Writer, r gateway.Random) gateway.Gateway {
		return randbits.New(d, w, r)
	}},
	{"best", func(d gateway.Downstream, w io.Writer, r gateway.Random) gateway.Gateway { return best.New(d, w, r) }},
}

// FuzzStages: every stage makes of a body what the rules make of it, read with
// encoding/json, and says it in the same words.
func FuzzStages(f *testing.F) {
	for _, body := range gatewaytest.Bodies() {
		f.Add(body)
	}
	for seed := range uint64(3) {
		f.Add(string(gatewaytest.Body(seed, 1000)))
	}
	f.Fuzz(func(t *testing.T, body string) {
		want := gatewaytest.Expect([]byte(body))
		var first gatewaytest.Envelope
		for i, s := range stages {
			seen := gatewaytest.Show(t, s.make, body, nil)
			e := seen.Envelope
			if i == 0 {
				first = e
			}
			if !reflect.DeepEqual(e, first) || seen.Status != e.Code {
				t.Errorf("%q: %s answers %d %v, %s %v", body, s.name, seen.Status, e, stages[0].name, first)
			}
			refused := slices.ContainsFunc(want.Faults, func(r gateway.Refusal) bool { return e.Code == r.Status() && e.Message == r.Error() })
			switch {
			case len(want.Faults) == 0 && len(seen.Calls) == 1 && e.Code == 200:
				gatewaytest.CheckCall(t, seen.Calls[0], want.Call, want.Payload)
			case len(seen.Calls) > 0 || !refused:
				t.Errorf("%q: %s calls the downstream with %q and answers %v, want %v", body, s.name, seen.Calls, e, want)
			}
		}
	})
}

// FuzzAnswers: every stage makes the same of what the downstream answers.
func FuzzAnswers(f *testing.F) {
	for _, text := range gatewaytest.Answers() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		body := string(gatewaytest.Body(1, 800))
		fine := gateway.CheckAnswer(text) == nil
		if want := gatewaytest.Passes([]byte(text), gateway.MaxDepth-1); fine != want {
			t.Errorf("%q passes: %t, want %t", text, fine, want)
		}
		for _, s := range stages {
			e := gatewaytest.Show(t, s.make, body, func(gateway.Call) (string, error) { return text, nil }).Envelope
			want := gatewaytest.Envelope{Code: 502, Message: gateway.DownstreamNonsense.Error()}
			if fine {
				want = gatewaytest.Envelope{Code: 200, Message: "ok", Payload: gatewaytest.Value(t, text)}
			}
			if !reflect.DeepEqual(e, want) {
				t.Errorf("%q: %s answers %v, want %v", text, s.name, e, want)
			}
		}
	})
}

// The ids that come of a source are these: who changes how they are made sees
// it here.
func TestSessionIDs(t *testing.T) {
	byRune := func(random gateway.Random) (id string) {
		for range gateway.SessionLength {
			n := random.Intn(62)
			id += gateway.Alphabet[n : n+1]
		}
		return id
	}
	byBits := func(random gateway.Random) (id string) {
		for len(id) < gateway.SessionLength {
			n := random.Int63()
			for i := range 10 {
				if d := n >> (6 * i) & 63; d < 62 {
					id += gateway.Alphabet[d : d+1]
				}
			}
		}
		return id[:gateway.SessionLength]
	}
	byDigits := func(random gateway.Random) (id string) {
		for len(id) < gateway.SessionLength {
			n := random.Int63()
			if n >= 10*839299365868340224 { // 62^10
				continue
			}
			for range 10 {
				id += gateway.Alphabet[n%62 : n%62+1]
				n /= 62
			}
		}
		return id[:gateway.SessionLength]
	}
	for _, s := range []struct {
		name      string
		got, want func(gateway.Random) string
	}{
		{"original", original.SessionID, byRune}, {"nohealth", nohealth.SessionID, byRune}, {"rawmessage", rawmessage.SessionID, byRune},
		{"noescape", noescape.SessionID, byRune}, {"randbits", randbits.SessionID, byBits}, {"best", best.SessionID, byDigits},
	} {
		random, again := gatewaytest.Seeded(1), gatewaytest.Seeded(1)
		for i := range 300 {
			if got, want := s.got(random), s.want(again); got != want {
				t.Fatalf("%s makes %s as id %d, want %s", s.name, got, i, want)
			}
		}
	}
}
