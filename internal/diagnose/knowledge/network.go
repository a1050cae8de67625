package knowledge

import (
	"go/ast"
	"go/token"
	"net/textproto"
	"slices"

	"whet/internal/finding"
	"whet/internal/typed"
)

// server is the address of one that examples ask.
const server = `httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 1000)) })).URL`

// ofNetwork are the rows of packages net, net/... and database/sql.
func ofNetwork() []Row {
	return []Row{
		{
			ID: "http-header-canonical", Cause: "general-function", Callees: []string{"net/http.Header.Get", "net/http.Header.Set", "net/http.Header.Add", "net/http.Header.Del", "net/http.Header.Values", "net/textproto.MIMEHeader.Get", "net/textproto.MIMEHeader.Set", "net/textproto.MIMEHeader.Add", "net/textproto.MIMEHeader.Values"},
			When: texts(0, "is a constant that is not in canonical form", func(s string) bool { return s != textproto.CanonicalMIMEHeaderKey(s) }),
			Cost: "builds the canonical form of its key", Instead: "Write the key in its canonical form (X-Request-Id), which is looked up directly.", Confidence: finding.High,
			Example: Example{Params: "h http.Header", Result: "string", Args: `http.Header{"X-Request-Id": {"17"}}`,
				Before: `return h.Get("X-Request-ID")`, After: `return h.Get("X-Request-Id")`},
		},
		{
			ID: "url-query-again", Cause: "made-per-call", Callees: []string{"net/url.(*URL).Query"}, When: again(nil, urlReaders, []string{"Get", "Has", "Encode"}),
			Cost: "parses the query", Instead: "Parse it once, q := u.Query(), and use q as long as RawQuery does not change.", Confidence: finding.High,
			Example: Example{Params: "u *url.URL", Result: "string", Args: `&url.URL{RawQuery: "page=3&size=20&sort=name"}`,
				Before: `return u.Query().Get("page") + u.Query().Get("size")`, After: "q := u.Query()\nreturn q.Get(\"page\") + q.Get(\"size\")"},
		},
		{
			ID: "url-values-encode", Cause: "general-function", Callees: []string{"net/url.Values.Encode"}, When: constantQuery,
			Cost: "sorts the keys of a map that was made for it", Instead: "Concatenate the query, with the keys in order: \"a=\" + url.QueryEscape(a) + \"&b=\" + url.QueryEscape(b).", Confidence: finding.High,
			Example: Example{Params: "name, city string", Result: "string", Args: `"Ada Lovelace", "London"`,
				Before: "q := url.Values{}\nq.Set(\"city\", city)\nq.Set(\"name\", name)\nreturn q.Encode()", After: "return \"city=\" + url.QueryEscape(city) + \"&name=\" + url.QueryEscape(name)"},
		},
		{
			ID: "net-ip-string-compared", Cause: "compared-text", Callees: []string{"net.IP.String"}, When: all(compared("it is compared", nil), inPlace),
			Cost: "allocates a string", Instead: "Use a.Equal(b), with a constant that is parsed once; or ip.IsLoopback and the like.", Goes: All, Confidence: finding.High,
			Example: Example{Params: "a, b net.IP", Result: "bool", Args: `net.IPv4(10, 0, 0, 1), net.IPv4(10, 0, 0, 2)`,
				Before: `return a.String() == b.String()`, After: `return a.Equal(b)`},
		},
		{
			ID: "netip-addr-string-compared", Cause: "compared-text", Callees: []string{"net/netip.Addr.String", "net/netip.Prefix.String", "net/netip.AddrPort.String"}, When: compared("it is compared", nil),
			Cost: "allocates a string", Instead: "Compare the values with ==, with a constant that is parsed once.", Goes: All, Confidence: finding.High,
			Example: Example{Params: "a, b netip.Addr", Result: "bool", Args: `netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")`,
				Before: `return a.String() == b.String()`, After: `return a == b`},
		},
		{
			ID: "net-ip-string-key", Cause: "text-key", Callees: []string{"net.IP.String", "net.(*IPNet).String"}, When: keyed,
			Cost: "allocates a string", Instead: "Use netip.Addr as the map key: addr, _ := netip.AddrFromSlice(ip), and Unmap it so that both forms of an IPv4 address are equal; for a network, netip.Prefix.", Confidence: finding.Medium,
			Example: Example{Params: "ip net.IP", Result: "int", Args: `net.IPv4(10, 0, 0, 1)`, Decls: "var byText = map[string]int{\"10.0.0.1\": 1}\n\nvar byAddr = map[netip.Addr]int{netip.MustParseAddr(\"10.0.0.1\"): 1}",
				Before: `return byText[ip.String()]`, After: "addr, _ := netip.AddrFromSlice(ip)\nreturn byAddr[addr.Unmap()]"},
		},
		{
			ID: "netip-addr-string-key", Cause: "text-key", Callees: []string{"net/netip.Addr.String", "net/netip.Prefix.String", "net/netip.AddrPort.String"}, When: keyed,
			Cost: "allocates a string", Instead: "Use the netip type itself as the map key.", Confidence: finding.Medium,
			Example: Example{Params: "ip netip.Addr", Result: "int", Args: `netip.MustParseAddr("10.0.0.1")`, Decls: "var byText = map[string]int{\"10.0.0.1\": 1}\n\nvar byAddr = map[netip.Addr]int{netip.MustParseAddr(\"10.0.0.1\"): 1}",
				Before: `return byText[ip.String()]`, After: `return byAddr[ip]`},
		},
		{
			ID: "net-parse-listed", Cause: "made-per-call", Callees: []string{"net.ParseCIDR", "net/netip.ParsePrefix", "net.ParseIP", "net/netip.ParseAddr", "net/url.Parse", "time.ParseDuration"}, When: all(elementOf(0), varying(0)),
			Cost: "parses an element of a long-lived list", Instead: "Parse the list where it is set, and keep the result.", Confidence: finding.Medium,
			Example: Example{Params: "ip netip.Addr", Result: "bool", Args: `netip.MustParseAddr("192.168.1.1")`,
				Decls:  "var allowed = strings.Fields(\"10.0.0.0/8 172.16.0.0/12 192.168.0.0/16\")\n\nvar prefixes []netip.Prefix\n\nfunc init() {\n\tfor _, s := range allowed {\n\t\tprefixes = append(prefixes, netip.MustParsePrefix(s))\n\t}\n}",
				Before: "for _, s := range allowed {\n\tp, err := netip.ParsePrefix(s)\n\tif err == nil && p.Contains(ip) {\n\t\treturn true\n\t}\n}\nreturn false",
				After:  "for _, p := range prefixes {\n\tif p.Contains(ip) {\n\t\treturn true\n\t}\n}\nreturn false"},
		},
		{
			ID: "http-transport-per-call", Cause: "connection-per-request", Callees: []string{"net/http.(*Client).Do", "net/http.(*Client).Get", "net/http.(*Client).Head", "net/http.(*Client).Post", "net/http.(*Client).PostForm"}, When: ownTransport,
			Cost: "opens a new connection, because its client's http.Transport was made for this call", Instead: "Make the Transport and the Client once, in a package variable or a field; they are safe for concurrent use. If their settings differ, keep one for each. For a timeout of one call, use a context.", Confidence: finding.Medium,
			Example: Example{Params: "url string", Result: "int", Args: server, Decls: "var shared = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}}",
				Before: "tr := &http.Transport{MaxIdleConnsPerHost: 2}\nclient := &http.Client{Transport: tr}\ndefer tr.CloseIdleConnections()\nresp, err := client.Get(url)\nif err != nil {\n\treturn 0\n}\ndefer resp.Body.Close()\nn, _ := io.Copy(io.Discard, resp.Body)\nreturn int(n)",
				After:  "resp, err := shared.Get(url)\nif err != nil {\n\treturn 0\n}\ndefer resp.Body.Close()\nn, _ := io.Copy(io.Discard, resp.Body)\nreturn int(n)"},
		},
		{
			ID: "http-body-unread", Cause: "connection-per-request", Callees: []string{"net/http.Get", "net/http.Post", "net/http.PostForm", "net/http.(*Client).Do", "net/http.(*Client).Get", "net/http.(*Client).Post", "net/http.(*Client).PostForm"}, When: bodyUnread,
			Cost: "opens a connection for each request, because its response body is closed unread", Instead: "Read the body before Close, io.Copy(io.Discard, resp.Body), up to a bound if it can be large: only then is the connection reused. If the body is never needed, use Head. A response without a body keeps its connection.", Confidence: finding.Medium,
			Example: Example{Params: "url string", Result: "int", Args: server,
				Before: "resp, err := http.Get(url)\nif err != nil {\n\treturn 0\n}\nresp.Body.Close()\nreturn resp.StatusCode",
				After:  "resp, err := http.Get(url)\nif err != nil {\n\treturn 0\n}\nio.Copy(io.Discard, resp.Body)\nresp.Body.Close()\nreturn resp.StatusCode"},
		},
		{
			ID: "sql-prepare-per-call", Cause: "made-per-call", Callees: []string{"database/sql.(*DB).Prepare", "database/sql.(*DB).PrepareContext"}, When: all(fixedText, usedOnce),
			Cost: "asks the database to prepare a statement for one use", Instead: "Prepare it once and keep the *sql.Stmt, or call Query or Exec of the DB with the SQL text, which many drivers send in one round trip.", Confidence: finding.Medium,
			Example: Example{Params: "db *sql.DB, id int", Result: "error", Args: "sql.OpenDB(connector{}), 7", Imports: []string{"database/sql/driver"},
				Decls:  "const insert = \"insert into t values (?)\"\n" + driver,
				Before: "st, err := db.PrepareContext(context.Background(), insert)\nif err != nil {\n\treturn err\n}\ndefer st.Close()\n_, err = st.Exec(id)\nreturn err",
				After:  "_, err := db.Exec(insert, id)\nreturn err"},
		},
		{
			ID: "sql-query-loop", Cause: "small-io", Callees: []string{"database/sql.(*DB).Query", "database/sql.(*DB).QueryRow", "database/sql.(*Tx).Query", "database/sql.(*Tx).QueryRow",
				"database/sql.(*DB).QueryContext", "database/sql.(*DB).QueryRowContext", "database/sql.(*Tx).QueryContext", "database/sql.(*Tx).QueryRowContext"}, When: all(eachRound, fixedText),
			Cost: "queries the database, and waits for its reply", Instead: "Query all rows at once, with where id in (…), = any($1) or a join, and iterate over them.", Confidence: finding.Medium,
			Example: Example{Params: "db *sql.DB, ids []int", Result: "int", Args: "sql.OpenDB(connector{}), make([]int, 10)", Imports: []string{"database/sql/driver"}, Decls: driver,
				Before: "sum, n := 0, 0\nfor _, id := range ids {\n\tif db.QueryRow(\"select n from t where id = ?\", id).Scan(&n) == nil {\n\t\tsum += n\n\t}\n}\nreturn sum",
				After:  "sum, n := 0, 0\nrows, err := db.Query(\"select n from t where id in (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)\", len(ids))\nif err != nil {\n\treturn 0\n}\ndefer rows.Close()\nfor rows.Next() {\n\tif rows.Scan(&n) == nil {\n\t\tsum += n\n\t}\n}\nreturn sum"},
		},
		{
			ID: "sql-columns-loop", Cause: "made-per-call", Callees: []string{"database/sql.(*Rows).Columns", "database/sql.(*Rows).ColumnTypes"}, When: all(eachRound, receiverBefore),
			Cost: "allocates the list of columns", Instead: "Call it once, before the loop: all rows of a result set have the same columns.", Confidence: finding.High,
			Example: Example{Params: "db *sql.DB", Result: "int", Args: "sql.OpenDB(connector{})", Imports: []string{"database/sql/driver"}, Decls: driver,
				Before: "rows, err := db.Query(\"select n from t\", 10)\nif err != nil {\n\treturn 0\n}\ndefer rows.Close()\nsum := 0\nfor rows.Next() {\n\tcolumns, _ := rows.ColumnTypes()\n\tsum += len(columns)\n}\nreturn sum",
				After:  "rows, err := db.Query(\"select n from t\", 10)\nif err != nil {\n\treturn 0\n}\ndefer rows.Close()\nsum := 0\ncolumns, _ := rows.ColumnTypes()\nfor rows.Next() {\n\tsum += len(columns)\n}\nreturn sum"},
		},
	}
}

// driver is a database's that answers with as many rows as it is asked for.
const driver = `
type connector struct{}

func (connector) Connect(context.Context) (driver.Conn, error) { return conn{}, nil }
func (connector) Driver() driver.Driver                        { return nil }

type conn struct{ driver.Tx }

func (conn) Begin() (driver.Tx, error)           { return nil, nil }
func (conn) Close() error                        { return nil }
func (conn) Prepare(string) (driver.Stmt, error) { return stmt{}, nil }
func (conn) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), nil
}
func (conn) QueryContext(_ context.Context, _ string, args []driver.NamedValue) (driver.Rows, error) {
	return &rows{max(1, args[0].Value.(int64))}, nil
}

type rows struct{ left int64 }

func (*rows) Columns() []string { return []string{"n"} }
func (*rows) Close() error      { return nil }
func (r *rows) Next(into []driver.Value) error {
	if r.left == 0 {
		return io.EOF
	}
	r.left--
	into[0] = int64(7)
	return nil
}

type stmt struct{}

func (stmt) Close() error                               { return nil }
func (stmt) NumInput() int                              { return 1 }
func (stmt) Exec([]driver.Value) (driver.Result, error) { return driver.RowsAffected(1), nil }
func (stmt) Query([]driver.Value) (driver.Rows, error)  { return &rows{1}, nil }
`

// ownTransport holds of a client that the function makes together with its
// Transport, for this call and those beside it.
var ownTransport = Condition{"its client and that one's Transport are made in the same function, outside any loop around the call", func(c *Call) bool {
	x := c.receiver()
	if x == nil || c.program() {
		return false
	}
	client := c.written(x)
	if client == nil || !c.near(client) {
		return false
	}
	if v := c.In.Var(x); v != nil && (typed.Global(v) || slices.ContainsFunc(c.In.Uses(v), func(id *ast.Ident) bool {
		_, ok := c.In.Parent(id).(*ast.SelectorExpr)
		return !ok
	})) {
		return false
	}
	tr := element(client, "Transport")
	if tr == nil {
		return false
	}
	if call := c.made(tr); call != nil {
		return c.In.Called(call) == "net/http.(*Transport).Clone" && c.near(call)
	}
	lit := c.written(tr)
	return lit != nil && c.near(lit) && typeName(c.In.TypeOf(lit)) == "net/http.Transport"
}}

// fixedText holds of a query that is the same in every call.
var fixedText = either(all(ofType(0, "string"), fixed(0)), all(ofType(0, "context.Context"), fixed(1)))

// near reports whether each call goes with one making of something: that is in the
// same function, and in the loop around the call.
func (c *Call) near(made ast.Node) bool {
	loop, _ := c.around()
	return c.In.FunctionAround(made.Pos()) == c.In.FunctionAround(c.Pos()) && (loop == nil || inside(loop, made))
}

// program reports whether a call is made by a function that runs once.
func (c *Call) program() bool {
	fn, ok := c.In.Declaration(c.Pos()).(*ast.FuncDecl)
	return !ok || fn.Recv == nil && (fn.Name.Name == "main" || fn.Name.Name == "init")
}

// bodyUnread holds of an answer whose body is closed and never read.
var bodyUnread = Condition{"only the response's status and header, and Close of the body, are used", func(c *Call) bool {
	closes := false
	for _, use := range c.In.Results(c.CallExpr) {
		sel, ok := c.In.Parent(use).(*ast.SelectorExpr)
		if !ok || !c.setHere(use) {
			if e, ok := c.In.Parent(use).(*ast.BinaryExpr); ok && e.Op == token.NEQ && c.In.Info.Types[e.Y].IsNil() {
				continue
			}
			return false
		}
		switch sel.Sel.Name {
		case "StatusCode", "Status", "Header", "ContentLength", "Proto":
		case "Body":
			of, ok := c.In.Parent(sel).(*ast.SelectorExpr)
			if !ok || of.Sel.Name != "Close" {
				return false
			}
			closes = true
		default:
			return false
		}
	}
	return closes
}}

// urlReaders are methods of a URL and of a request that leave the URL as it is.
var urlReaders = []string{"Query", "String", "EscapedPath", "Hostname", "Port", "IsAbs", "RequestURI", "Redacted", "Context", "FormValue", "PathValue", "Cookie", "UserAgent", "Referer", "Get"}

// constantQuery holds of a url.Values of the function that is set by constant keys
// alone, and always by the same.
var constantQuery = Condition{"its Values are a local variable, set unconditionally with constant keys", func(c *Call) bool {
	v := c.receiverVar()
	if v == nil || typed.Global(v) || c.In.Definition(v) == nil {
		return false
	}
	if lit := c.written(c.receiver()); lit == nil || len(lit.Elts) > 0 {
		return false
	}
	block := c.block(c.In.Definition(v))
	return !slices.ContainsFunc(c.In.Uses(v), func(id *ast.Ident) bool {
		sel, ok := c.In.Parent(id).(*ast.SelectorExpr)
		if !ok || sel.Sel.Name == "Encode" {
			return !ok
		}
		call, ok := c.In.Parent(sel).(*ast.CallExpr)
		return !ok || call.Fun != sel || len(call.Args) != 2 || sel.Sel.Name != "Set" && sel.Sel.Name != "Add" || c.In.Info.Types[call.Args[0]].Value == nil || c.block(call) != block
	})
}}

// usedOnce holds where the result is closed in the same function, and used in no
// loop that it was made before.
var usedOnce = Condition{"its result is closed in the same function, and no loop uses it", func(c *Call) bool {
	closed := false
	for _, use := range c.In.Results(c.CallExpr) {
		sel, ok := c.In.Parent(use).(*ast.SelectorExpr)
		if !ok || !c.setHere(use) {
			return false
		}
		closed = closed || sel.Sel.Name == "Close"
		for n := c.In.Parent(use); n != nil; n = c.In.Parent(n) {
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				if !inside(n, c.CallExpr) {
					return false
				}
			}
		}
	}
	return closed && !c.program()
}}
