package knowledge

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/finding"
	"whet/internal/typed"
)

// ofConnections are rows of connections and files that are opened, or asked for, more
// often than needed.
func ofConnections() []Row {
	return []Row{
		{
			ID: "dial-per-call", Cause: "connection-per-request", Callees: []string{"net.Dial", "net.DialTimeout", "net.(*Dialer).Dial", "net.(*Dialer).DialContext", "crypto/tls.Dial", "crypto/tls.DialWithDialer", "crypto/tls.(*Dialer).DialContext"},
			When: all(sameAddress, closedByDefer),
			Cost: "opens a connection", Instead: "Keep the connection, or a few of them, beside the address, and make a new one when it fails; a lock or a channel of connections gives each to one caller at a time. If the other side closes it after each reply, as HTTP/1.0 does, nothing can be kept. With TLS, one tls.Config with a ClientSessionCache for all calls saves at least the signature.", Confidence: finding.Medium,
			Example: Example{Params: "n int", Result: "int", Args: "4", Decls: echo,
				Before: "conn, err := net.Dial(\"tcp\", addr)\nif err != nil {\n\treturn 0\n}\ndefer conn.Close()\nb := make([]byte, 4)\nconn.Write(b[:n])\nn, _ = conn.Read(b)\nreturn n",
				After:  "b := make([]byte, 4)\nkept.Write(b[:n])\nn, _ = kept.Read(b)\nreturn n"},
		},
		{
			ID: "http-keepalive-off", Cause: "connection-per-request", Callees: []string{"net/http.(*Client).Do", "net/http.(*Client).Get", "net/http.(*Client).Head", "net/http.(*Client).Post", "net/http.(*Client).PostForm"}, When: keepAliveOff,
			Cost: "opens a connection for each request, because of DisableKeepAlives or Close", Instead: "Keep connections alive: remove DisableKeepAlives or req.Close, and bound the connections with MaxIdleConnsPerHost and IdleConnTimeout. If goroutines or files leaked, close response bodies.", Confidence: finding.High,
			Example: Example{Params: "url string", Result: "int", Args: server, Decls: "var single = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}\n\nvar shared = &http.Client{Transport: &http.Transport{}}\n",
				Before: "resp, err := single.Get(url)\nif err != nil {\n\treturn 0\n}\ndefer resp.Body.Close()\nn, _ := io.Copy(io.Discard, resp.Body)\nreturn int(n)",
				After:  "resp, err := shared.Get(url)\nif err != nil {\n\treturn 0\n}\ndefer resp.Body.Close()\nn, _ := io.Copy(io.Discard, resp.Body)\nreturn int(n)"},
		},
		{
			ID: "os-readfile-again", Cause: "made-per-call", Callees: []string{"os.ReadFile"}, When: all(inBatch, steady(0), varying(0), filesKept, nameKept),
			Cost: "reads the same file", Instead: "Read it once, before the loop.", Confidence: finding.High,
			Example: Example{Params: "name string, at []int", Result: "int", Args: "os.Args[0], []int{3, 1, 4, 1}",
				Before: "n := 0\nfor _, i := range at {\n\tb, err := os.ReadFile(name)\n\tif err == nil {\n\t\tn += int(b[i])\n\t}\n}\nreturn n",
				After:  "n := 0\nb, err := os.ReadFile(name)\nfor _, i := range at {\n\tif err == nil {\n\t\tn += int(b[i])\n\t}\n}\nreturn n"},
		},
		{
			ID: "stat-before-open", Cause: "unused-work", Callees: []string{"os.Stat", "os.Lstat"}, When: all(unasked, either(together("os.Open"), together("os.ReadFile")), filesKept),
			Cost: "stats a file that is opened too", Instead: "Open or read the file, and check that error: errors.Is(err, fs.ErrNotExist) tells whether it is missing. Besides a system call, this avoids a race with the file's removal.", Goes: All, Confidence: finding.Medium,
			Example: Example{Params: "name string", Result: "int", Args: `"/no/such/file"`,
				Before: "if _, err := os.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {\n\treturn 1\n}\nf, err := os.Open(name)\nif err != nil {\n\treturn 2\n}\ndefer f.Close()\nreturn 3",
				After:  "f, err := os.Open(name)\nif err != nil {\n\tif !errors.Is(err, fs.ErrNotExist) {\n\t\treturn 1\n\t}\n\treturn 2\n}\ndefer f.Close()\nreturn 3"},
		},
		{
			ID: "udp-readfrom", Cause: "general-function", Callees: []string{"net.(*UDPConn).ReadFrom"}, When: addressKept,
			Cost: "allocates an address for each packet", Instead: "ReadFromUDPAddrPort returns the address as a netip.AddrPort, which does not allocate, is comparable and can be a map key, and WriteToUDPAddrPort takes it. On a socket for both IP versions an IPv4 address is 4-in-6: Unmap it.", Confidence: finding.High,
			Example: Example{Params: "c *net.UDPConn, b []byte", Result: "int", Args: "func() *net.UDPConn { c, _ := net.ListenUDP(\"udp\", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); return c }(), make([]byte, 40)",
				Before: "c.WriteTo(b[:20], c.LocalAddr())\nn, from, _ := c.ReadFrom(b)\nif from == nil {\n\treturn 0\n}\nreturn n",
				After:  "c.WriteTo(b[:20], c.LocalAddr())\nn, from, _ := c.ReadFromUDPAddrPort(b)\nif !from.IsValid() {\n\treturn 0\n}\nreturn n"},
		},
	}
}

// addressKept holds of a packet whose address goes nowhere as a net.Addr: a method that
// returns it may have to, and to make one anew of a netip.AddrPort takes the memory again.
var addressKept = Condition{"the address is only read", func(c *Call) bool {
	st, ok := c.In.Parent(c.CallExpr).(*ast.AssignStmt)
	if !ok || len(st.Lhs) != 3 {
		return false
	}
	id, ok := st.Lhs[1].(*ast.Ident)
	if !ok || id.Name == "_" {
		return ok
	}
	v := c.In.Var(id)
	return v != nil && !typed.Global(v) && c.In.Definition(v) == id && !slices.ContainsFunc(c.In.Uses(v), func(use *ast.Ident) bool {
		switch around := c.In.Parent(use).(type) {
		case *ast.SelectorExpr, *ast.BinaryExpr, *ast.TypeAssertExpr:
			return false
		case *ast.CallExpr:
			return c.In.Called(around) != "net.(*UDPConn).WriteTo"
		}
		return true
	})
}}

// echo is a server that answers with what it reads, and a connection to it.
const echo = `
var addr = func() string {
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go io.Copy(conn, conn)
		}
	}()
	return l.Addr().String()
}()

var kept, _ = net.Dial("tcp", addr)
`

// sameAddress holds of a dialed address that stays the same: it is the argument after
// the network.
var sameAddress = Condition{"the address is the same in every call, or held by a package variable or a field of the method's receiver", func(c *Call) bool {
	for i := range min(len(c.Args), 3) {
		if text, ok := c.text(i); ok && slices.Contains([]string{"tcp", "tcp4", "tcp6", "unix"}, text) && i+1 < len(c.Args) {
			at := c.argument(i + 1)
			return at != nil && (c.In.Fixed(at).Always() || c.isStored(at, 8))
		}
	}
	return false
}}

// closedByDefer holds of what a function opens for its call: it closes it by a deferred
// call of its own, uses it in no loop that it was opened before, and lets nobody keep it.
var closedByDefer = Condition{"the function defers its Close, and no loop uses it", func(c *Call) bool {
	if c.program() {
		return false
	}
	closed := false
	for _, use := range c.In.Results(c.CallExpr) {
		if !c.setHere(use) {
			return false
		}
		sel, ok := c.In.Parent(use).(*ast.SelectorExpr)
		if call, ok2 := c.In.Parent(c.In.Parent(use)).(*ast.CallExpr); ok && ok2 && sel.Sel.Name == "Close" {
			if _, deferred := c.In.Parent(call).(*ast.DeferStmt); deferred {
				closed = true
				continue
			}
		}
		for n := c.In.Parent(use); n != nil; n = c.In.Parent(n) {
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.GoStmt:
				if !inside(n, c.CallExpr) {
					return false
				}
			case *ast.ReturnStmt, *ast.CompositeLit:
				return false
			}
		}
	}
	return closed
}}

// keepAliveOff holds of a client whose Transport does not keep connections, and of a
// request that asks for that.
var keepAliveOff = Condition{"its client's Transport literal sets DisableKeepAlives, or the function sets Close of its request", func(c *Call) bool {
	if req := c.argument(0); req != nil && c.Callee() == "net/http.(*Client).Do" && c.setsTrue(req, "Close") {
		return true
	}
	client := c.literal(c.receiver())
	if client == nil {
		return false
	}
	tr := c.literal(element(client, "Transport"))
	if tr == nil || typeName(c.In.TypeOf(tr)) != "net/http.Transport" {
		return false
	}
	off := element(tr, "DisableKeepAlives")
	return off != nil && isTrue(c.In.Info.Types[off].Value)
}}

// literal returns the composite literal that an expression was set to, of a variable or of a
// field that its package sets once.
func (c *Call) literal(e ast.Expr) *ast.CompositeLit {
	if e == nil {
		return nil
	}
	if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok && c.In.Info.Selections[sel] != nil {
		field, _ := c.In.Info.Selections[sel].Obj().(*types.Var)
		if field == nil || field.Exported() {
			return nil
		}
		values := c.In.FieldValues(field)
		if len(values) != 1 {
			return nil
		}
		e = values[0]
	}
	return c.written(e)
}

// element returns what a literal sets a field to, nil where it does not.
func element(lit *ast.CompositeLit, field string) ast.Expr {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == field {
				return kv.Value
			}
		}
	}
	return nil
}

// setsTrue reports whether the function around the call sets a field of a variable to
// true.
func (c *Call) setsTrue(e ast.Expr, field string) bool {
	v := c.In.Var(e)
	return v != nil && slices.ContainsFunc(c.In.Uses(v), func(id *ast.Ident) bool {
		sel, ok := c.In.Parent(id).(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != field {
			return false
		}
		st, ok := c.In.Parent(sel).(*ast.AssignStmt)
		return ok && c.afterwards(st) && st.Tok == token.ASSIGN && len(st.Lhs) == 1 && st.Lhs[0] == ast.Expr(sel) && isTrue(c.In.Info.Types[st.Rhs[0]].Value)
	})
}

// afterwards reports whether the call comes after a statement whenever that is run, and
// never without it: the statement's block is around the call.
func (c *Call) afterwards(st ast.Stmt) bool {
	block := c.In.Parent(st)
	return st.Pos() < c.Pos() && block != nil && inside(block, c.CallExpr)
}

func isTrue(v constant.Value) bool {
	return v != nil && v.Kind() == constant.Bool && constant.BoolVal(v)
}

// unasked holds where nothing sees the first result.
var unasked = Condition{"only its error is used", func(c *Call) bool {
	st, ok := c.In.Parent(c.CallExpr).(*ast.AssignStmt)
	if !ok {
		return false
	}
	first, ok := st.Lhs[0].(*ast.Ident)
	return ok && (first.Name == "_" || st.Tok == token.DEFINE && len(c.In.Results(c.CallExpr)) == 0 && c.In.Definition(c.In.Var(first)) == first)
}}

// filesKept holds where the function changes no file.
var filesKept = Condition{"the function changes no file", func(c *Call) bool {
	body, kept := c.In.FunctionAround(c.Pos()), true
	if body == nil {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && slices.Contains(fileChanges, c.In.Called(call)) {
			kept = false
		}
		return kept
	})
	return kept
}}

// nameKept holds where the loop around the call hands the file's name to nobody else, who
// may write what the next round reads, and asks nobody who may know it.
var nameKept = Condition{"the loop passes the file's name to no function of the program", func(c *Call) bool {
	loop, _ := c.around()
	v, kept := c.In.Var(c.argument(0)), loop != nil
	local := v != nil && !v.IsField() && !typed.Global(v)
	ast.Inspect(loop, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || c.In.Builtin(call) != "" || c.In.Function(call) != nil && c.In.Reached(call) == nil {
			return kept
		}
		if x, _ := c.In.Conversion(call); x == nil {
			kept = kept && local && !slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return c.In.Var(e) == v })
		}
		return kept
	})
	return kept
}}

var fileChanges = []string{"os.WriteFile", "os.Create", "os.OpenFile", "os.Rename", "os.Remove", "os.RemoveAll", "os.Truncate", "os.Mkdir", "os.MkdirAll", "os.Symlink", "os.Link",
	"os.(*File).Write", "os.(*File).WriteString", "os/exec.(*Cmd).Run", "os/exec.(*Cmd).Start", "os/exec.(*Cmd).Output", "os/exec.(*Cmd).CombinedOutput", "time.Sleep"}
