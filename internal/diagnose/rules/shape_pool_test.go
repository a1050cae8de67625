package rules_test

import "testing"

// Of these pools nothing is to be said.
func TestPoolsSilent(t *testing.T) {
	const (
		made  = "sync.Pool{New: func() any { return new(bytes.Buffer) }}\n"
		user  = "\n//go:noinline\nfunc use(b *bytes.Buffer) {}\n"
		local = "b := pool.Get().(*bytes.Buffer)\nuse(b)"
	)
	for _, s := range []silence{
		{"pool-never-put", "", "", local, "var pool = " + made + user + "\nfunc back(b *bytes.Buffer) { pool.Put(b) }\n"},
		{"pool-never-put", "", "", "b := Pool.Get().(*bytes.Buffer)\nuse(b)", "var Pool = " + made + user},
		{"pool-never-put", "", "", local, "var pool = " + made + user + "\nvar handed = []*sync.Pool{&pool}\n"},
		{"pool-never-put", "pool *sync.Pool", "", local, user},
		{"pool-never-put", "h *holder", "", "b := h.pool.Get().(*bytes.Buffer)\nuse(b)\nh.pool.Put(b)", "type holder struct{ pool sync.Pool }\n" + user},
		{"pool-never-put", "h *holder", "", "b := h.Pool.Get().(*bytes.Buffer)\nuse(b)", "type holder struct{ Pool sync.Pool }\n" + user},
		{"pool-never-put", "", "", local + "\npool.free(b)", "type buffers struct{ sync.Pool }\n\nfunc (p *buffers) free(b *bytes.Buffer) { p.Put(b) }\n\nvar pool = buffers{" + made[:len(made)-1] + "}\n" + user},
		{"pool-never-put", "r *reader", "", "b := r.pool.Get().(*bytes.Buffer)\nuse(b)", "type reader struct{ pool *sync.Pool }\n\nfunc open(shared *sync.Pool) *reader { return &reader{pool: shared} }\n" + user},
		{"pool-never-put", "", "", local, "var pool = shared\n\nvar shared = &" + made + "\nfunc back(b *bytes.Buffer) { shared.Put(b) }\n" + user},
		{"pool-per-call", "n int", "", "pool := " + made + "for range n {\n\tb := pool.Get().(*bytes.Buffer)\n\tuse(b)\n\tpool.Put(b)\n}", user},
		{"pool-per-call", "", "func()", "pool := " + made + "return func() {\n\tb := pool.Get().(*bytes.Buffer)\n\tuse(b)\n\tpool.Put(b)\n}", user},
		{"pool-per-call", "give func(*sync.Pool)", "", "pool := " + made + "give(&pool)\n" + local, user},
		{"pool-per-call", "", "", "pool := shared\n" + local + "\npool.Put(b)", "var shared = &" + made + user},
		{"pool-per-call", "pool *sync.Pool", "", local + "\npool.Put(b)", user},
		{"pool-not-reset", "s string", "", "b := pool.Get().(*bytes.Buffer)\nb.WriteString(s)\npool.Put(b)", "var pool = " + made + "\nfunc clear(b *bytes.Buffer) { b.Reset() }\n"},
		{"pool-not-reset", "s string", "", "b := pool.Get().(*bytes.Buffer)\nb.WriteString(s)\nb.WriteTo(os.Stdout)\npool.Put(b)", "var pool = " + made},
		{"pool-not-reset", "s string", "*bytes.Buffer", "b := pool.Get().(*bytes.Buffer)\nb.WriteString(s)\nreturn b", "var pool = " + made},
		{"pool-not-reset", "s string", "", "b := pool.Get().(*strings.Builder)\nb.WriteString(s)\npool.Put(b)", "var pool = sync.Pool{New: func() any { return new(strings.Builder) }}\n"},
	} {
		s.check(t)
	}
}
