package rules_test

import (
	"slices"
	"testing"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
)

// Rows speak about these, too, which their examples do not show.
func TestKnowledgeSpeaks(t *testing.T) {
	reg := registry(t)
	rows := knowledge.Table()
	for _, s := range []struct{ row, params, body, decls string }{
		{"http-keepalive-off", "c *http.Client, req *http.Request", "req.Close = true\nc.Do(req)", ""},
		{"http-keepalive-off", "a *api, url string", "a.c.Get(url)", "type api struct{ c *http.Client }\n\nfunc open() *api {\n\ttr := &http.Transport{DisableKeepAlives: true}\n\treturn &api{c: &http.Client{Transport: tr}}\n}\n"},
		{"dial-per-call", "", "conn, err := net.DialTimeout(\"tcp\", node, time.Second)\nif err != nil {\n\treturn\n}\ndefer conn.Close()\nio.WriteString(conn, \"x\")", "var node = os.Args[0]\n"},
		{"dial-per-call", "ctx context.Context", "var d net.Dialer\nconn, err := d.DialContext(ctx, \"tcp\", \"localhost:1\")\nif err != nil {\n\treturn\n}\ndefer conn.Close()\nio.WriteString(conn, \"x\")", ""},
		{"stat-before-open", "name string", "if _, err := os.Stat(name); os.IsNotExist(err) {\n\treturn\n}\nos.ReadFile(name)", ""},
	} {
		i := slices.IndexFunc(rows, func(r knowledge.Row) bool { return r.ID == s.row })
		row := knowledge.Row{Callees: rows[i].Callees, Example: knowledge.Example{Params: s.params, Decls: s.decls}}
		if found := findingsOf(t, reg, &row, s.body); !slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Row == s.row }) {
			t.Errorf("%s is silent about\n%s\n%s", s.row, s.body, summary(found))
		}
	}
}
