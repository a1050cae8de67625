package rules_test

import "testing"

const handlerSource = `package app

import ("context"; "log/slog"; "strconv")

type handler struct{ buf []byte } // 5

func (h *handler) Handle(_ context.Context, r slog.Record) error { // 7
	r.Attrs(func(a slog.Attr) bool { // 8
		h.put(a) // 9
		return true
	})
	return nil
}

func (h *handler) put(a slog.Attr) { // 15
	v := a.Value.Resolve() // 16
	h.buf = append(h.buf, v.String()...) // 17
}

func first(r *slog.Record) (s string) { // 20
	r.Attrs(func(a slog.Attr) bool { s = a.String(); return false }) // 21
	return s
}

func serve(n int) { // 25
	slog.Info("served", "n", strconv.Itoa(n)) // 26
}

type server struct{ log *slog.Logger }

func (s *server) Handle(n int) { // 31
	s.log.Info("served", "n", n) // 32
}

type forward struct{ slog.Handler }

func (f forward) each(r []slog.Attr) { // 37
	for _, a := range r {
		_ = a.String() // 39
	}
}
`

// What takes a record of log/slog apart is the handler that others log to: only those
// others have a statement that logs.
func TestLoggingInAHandler(t *testing.T) {
	for _, test := range []struct {
		name, frames string
		line         int // of the finding; 0: none
	}{
		{"the record's attributes", "log/slog.(*Logger).LogAttrs m/app.(*handler).Handle:8 log/slog.Record.Attrs runtime.growslice", 0},
		{"in its literal", "log/slog.(*Logger).LogAttrs m/app.(*handler).Handle:8 log/slog.Record.Attrs m/app.(*handler).Handle.func1:9 m/app.(*handler).put:16 log/slog.Value.Resolve fmt.Sprint", 0},
		{"a helper of the handler", "m/app.(*handler).put:17 log/slog.Value.String fmt.Sprint", 0},
		{"a function of the record", "m/app.first:21 log/slog.(*Record).Attrs fmt.Sprint", 0},
		{"a handler by embedding", "m/app.forward.each:39 log/slog.Attr.String fmt.Sprint", 0},
		{"who logs to it", "m/app.serve:26 log/slog.Info log/slog.(*Logger).log m/app.(*handler).Handle:8 log/slog.Record.Attrs fmt.Sprint", 26},
		{"another method of that name", "m/app.(*server).Handle:32 log/slog.(*Logger).Info fmt.Sprint", 32},
	} {
		s := app(t, handlerSource, known, []stack{{frames: test.frames, n: 500}, {frames: "m/app.work:99", n: 500}}, nil)
		found := said(t, "logging", s)
		if test.line == 0 && len(found) > 0 {
			t.Errorf("%s: it speaks: %s", test.name, describe(found[0]))
		}
		if test.line != 0 && (len(found) != 1 || found[0].Line != test.line) {
			t.Errorf("%s: %+v", test.name, found)
		}
	}
}
