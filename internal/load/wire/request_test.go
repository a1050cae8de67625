package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"whet/internal/load/message"
)

func TestAppendRequest(t *testing.T) {
	type fields = []message.Field
	for _, c := range []struct {
		name  string
		m     message.Message
		close bool
		want  string
	}{
		{"plain", message.Message{Method: "GET", Host: "localhost:8080", Target: "/a?b=c"}, false,
			"GET /a?b=c HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: whet\r\n\r\n"},
		{"not kept", message.Message{Method: "GET", Host: "h", Target: "/", Header: fields{{Name: "connection", Value: "keep-alive"}}}, true,
			"GET / HTTP/1.1\r\nHost: h\r\nUser-Agent: whet\r\nConnection: close\r\n\r\n"},
		{"own Connection", message.Message{Method: "GET", Host: "h", Target: "/", Header: fields{{Name: "Connection", Value: "keep-alive"}}}, false,
			"GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\nUser-Agent: whet\r\n\r\n"},
		{"own host and agent", message.Message{Method: "GET", Host: "h", Target: "/", Header: fields{{Name: "User-agent", Value: "curl"}, {Name: "host", Value: "other"}, {Name: "X", Value: "1"}, {Name: "X", Value: "2"}}}, false,
			"GET / HTTP/1.1\r\nHost: other\r\nUser-agent: curl\r\nX: 1\r\nX: 2\r\n\r\n"},
		{"no agent", message.Message{Method: "HEAD", Host: "h", Target: "*", Header: fields{{Name: "User-Agent", Value: ""}}}, false,
			"HEAD * HTTP/1.1\r\nHost: h\r\n\r\n"},
		{"body", message.Message{Method: "POST", Host: "h", Target: "/", Body: []byte("hello"), Header: fields{{Name: "Content-Length", Value: "7"}}}, false,
			"POST / HTTP/1.1\r\nHost: h\r\nUser-Agent: whet\r\nContent-Length: 5\r\n\r\nhello"},
		{"empty body", message.Message{Method: "PUT", Host: "h", Target: "/"}, false,
			"PUT / HTTP/1.1\r\nHost: h\r\nUser-Agent: whet\r\nContent-Length: 0\r\n\r\n"},
		{"address with a zone", message.Message{Method: "GET", Host: "[fe80::1%eth0]:80", Target: "/"}, false,
			"GET / HTTP/1.1\r\nHost: [fe80::1]:80\r\nUser-Agent: whet\r\n\r\n"},
		{"address", message.Message{Method: "GET", Host: "[::1]", Target: "/"}, false,
			"GET / HTTP/1.1\r\nHost: [::1]\r\nUser-Agent: whet\r\n\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := AppendRequest([]byte("before"), &c.m, !c.close)
			if string(got) != "before"+c.want {
				t.Errorf("got\n%q, want\n%q", got, "before"+c.want)
			}
			// A server reads back what the message says.
			req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(got[len("before"):])))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(req.Body)
			if err != nil || string(body) != string(c.m.Body) || req.Method != c.m.Method || req.RequestURI != c.m.Target || req.Close != c.close {
				t.Errorf("net/http reads %s %s, close %v, body %q, error %v", req.Method, req.RequestURI, req.Close, body, err)
			}
			dst := make([]byte, 0, 512)
			if n := testing.AllocsPerRun(5, func() { AppendRequest(dst, &c.m, !c.close) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

// TestRequests: each request of a set stands in bytes of its own, whatever the
// others' sizes.
func TestRequests(t *testing.T) {
	const n = 2000
	var targets []message.Target
	for i := range n {
		target := message.Target{Method: "GET", URL: fmt.Sprintf("http://h/%d", i)}
		switch i % 500 {
		case 1:
			target.Method = "HEAD"
		case 2:
			target.URL += "{{seq}}"
		case 3:
			target.Method, target.Body = "PUT", bytes.Repeat([]byte{byte(i)}, 100_000)
		}
		targets = append(targets, target)
	}
	s, err := message.New(targets, message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := FixedRequests(s, true)
	for i := range all {
		_ = append(all[i].Bytes, "more"...) // overwrites no other one
	}
	if len(all) != n {
		t.Fatalf("%d requests of %d", len(all), n)
	}
	for i := range all {
		m, ok := s.Fixed(i)
		if ok != (all[i].Bytes != nil) || ok == (i%500 == 2) {
			t.Fatalf("request %d is fixed: %v", i, ok)
		}
		if ok && (!bytes.Equal(all[i].Bytes, AppendRequest(nil, m, true)) || all[i].Head != (i%500 == 1)) {
			t.Errorf("request %d: HEAD %v, %.40q", i, all[i].Head, all[i].Bytes)
		}
	}
}
