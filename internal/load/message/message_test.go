package message

import (
	"testing"
)

// one makes the set of one target, whose URL is on host h unless it is whole.
func one(t *testing.T, target Target, o Options) *Set {
	t.Helper()
	s, err := New([]Target{target}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFixed(t *testing.T) {
	s := one(t, Target{URL: "http://h:8080/a?b=c#d", Header: []Field{{"X-A", " 1 "}}}, Options{})
	m, ok := s.One()
	if !ok {
		t.Fatal("a target without templates is not one message")
	}
	if m.Method != "GET" || m.Scheme != "http" || m.Host != "h:8080" || m.Target != "/a?b=c" || len(m.Header) != 1 || m.Header[0] != (Field{"X-A", "1"}) {
		t.Errorf("got %+v", m)
	}
	var next Message
	s.Stream(0).Next(&next)
	if next.Target != m.Target || next.Header[0] != m.Header[0] {
		t.Errorf("Next made %+v", next)
	}
}

func TestTemplate(t *testing.T) {
	s := one(t, Target{URL: "http://h/{{seq}}/{{pick a/b}}?x={{pick \"c&d\"}}", Body: []byte(`{"n":{{seq}}}`), Header: []Field{{"X", "v{{seq}}"}, {"Y", "z"}}}, Options{})
	if _, ok := s.One(); ok {
		t.Fatal("a template is one message")
	}
	st := s.Stream(3)
	var m Message
	st.Next(&m)
	st.Next(&m)
	if m.Method != "POST" || m.Target != "/2/a%2Fb?x=c%26d" || string(m.Body) != `{"n":2}` || m.Header[0].Value != "v2" || m.Header[1].Value != "z" {
		t.Errorf("got %+v, body %s", m, m.Body)
	}
	if n := testing.AllocsPerRun(100, func() { st.Next(&m) }); n != 0 {
		t.Errorf("%g allocations a message", n)
	}
}
