package conformance

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/loadresult"
)

// checking has answers verified that are right, and wrong in one way each.
func (s *runner) checking(t *testing.T) {
	const body = `{"user": {"id": 7, "name": "seven"}, "items": [{"price": 1.5}, {"price": 2.5}]}`
	const right = "HTTP/1.1 200 OK\r\nX-Version: 3\r\n"
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
	with := func(head, body string) string {
		return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
	}
	chunked := right + "Transfer-Encoding: chunked\r\n\r\n"
	for _, part := range []string{body[:1], body[1:30], body[30:]} {
		chunked += fmt.Sprintf("%x\r\n%s\r\n", len(part), part)
	}
	chunked += "0\r\n\r\n"

	length := engine.Range{First: int64(len(body)), Last: int64(len(body))}
	checks := map[string]*engine.Check{
		"status": {Status: []engine.Range{{First: 200, Last: 200}, {First: 304, Last: 304}}},
		"header": {Header: []engine.Field{{Name: "x-version", Value: "3"}}},
		"bytes":  {Bytes: &length},
		"sha256": {SHA256: sum},
		"json":   {JSON: []engine.Field{{Name: "user.id", Value: "7"}, {Name: "items.1.price", Value: "2.5"}}},
	}
	all := &engine.Check{Status: checks["status"].Status, Header: checks["header"].Header, Bytes: &length, SHA256: sum, JSON: checks["json"].JSON}
	for _, c := range []struct {
		name, answer string
		check        *engine.Check
		status       int
		kind         string
	}{
		{"all right", with(right, body), all, 200, ""},
		{"all right, chunked", chunked, all, 200, ""},
		{"status right", "HTTP/1.1 304 Not Modified\r\n\r\n", checks["status"], 304, ""},
		{"status wrong", with("HTTP/1.1 201 Created\r\n", body), checks["status"], 201, loadresult.WrongAnswer},
		{"status failed", with("HTTP/1.1 500 Internal Server Error\r\n", body), checks["status"], 500, loadresult.Status5xx},
		{"status failed as it should", with("HTTP/1.1 404 Not Found\r\n", body), &engine.Check{Status: []engine.Range{{First: 404, Last: 404}}}, 404, ""},
		{"header wrong", with("HTTP/1.1 200 OK\r\nX-Version: 4\r\n", body), checks["header"], 200, loadresult.WrongAnswer},
		{"header missing", with("HTTP/1.1 200 OK\r\n", body), checks["header"], 200, loadresult.WrongAnswer},
		{"body longer", with(right, body+"\n"), checks["bytes"], 200, loadresult.WrongAnswer},
		{"body shorter", with(right, body[1:]), checks["bytes"], 200, loadresult.WrongAnswer},
		{"body other", with(right, strings.Replace(body, "seven", "eight", 1)), checks["sha256"], 200, loadresult.WrongAnswer},
		{"value other", with(right, strings.Replace(body, "7", "8", 1)), checks["json"], 200, loadresult.WrongAnswer},
		{"value missing", with(right, `{"user": {"id": 7}}`), checks["json"], 200, loadresult.WrongAnswer},
		{"no JSON", with(right, "hello"), checks["json"], 200, loadresult.WrongAnswer},
		{"no body", with(right, ""), all, 200, loadresult.WrongAnswer},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := answering(t, always(c.answer))
			j := server.to(20)
			j.Check = c.check
			if err := c.check.Validate(); err != nil {
				t.Fatal(err)
			}
			got := s.drive(t, t.Context(), j, server)
			got.all(t, 20, c.status, c.kind)
			server.counted(t, 20, 2)
		})
	}

	// Every fourth answer is wrong: just those are recorded so, whatever came
	// before on the connection.
	t.Run("one in four", func(t *testing.T) {
		good, bad := with(right, body), with(right, strings.Replace(body, "1.5", "1.6", 1))
		server := answering(t, func(c *conn, q *serverRequest) bool {
			if q.nth%4 == 3 {
				return c.give(bad)
			}
			return c.give(good)
		})
		j := job(t, "tcp", server.addr(), 200, message.Target{URL: "http://" + server.addr() + "/"})
		j.Connections, j.Check = 5, all
		got := s.drive(t, t.Context(), j, server)
		if got.Requests != 200 || got.Status[http.StatusOK] != 200 || got.Errors[loadresult.WrongAnswer] != 50 || len(got.Errors) != 1 {
			t.Errorf("%d requests, status %v, errors %v", got.Requests, got.Status, got.Errors)
		}
	})
}
