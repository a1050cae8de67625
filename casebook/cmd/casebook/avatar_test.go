package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"whet/casebook/avatar"
	"whet/casebook/avatar/avatartest"
)

// The constant is what best answers to one name, whatever is asked for. It is
// found as stages are, and named beside them.
func TestAvatarConstant(t *testing.T) {
	s, constant, err := find("avatar", "constant")
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(s.stages, func(st stage) bool { return st.name == "constant" }) {
		t.Error("the constant is among the stages")
	}
	if _, _, err := find("avatar", "other"); err == nil || !strings.HasSuffix(err.Error(), "quiet, best; beside them there is constant") {
		t.Error(err)
	}
	answer := func(stage, target string) *httptest.ResponseRecorder {
		_, st, err := find("avatar", stage)
		if err != nil {
			t.Fatal(err)
		}
		h, _, err := st.serve(environment{log: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		return w
	}
	want := answer("best", avatartest.Target("Ann Lee"))
	avatartest.CheckPicture(t, want.Body.Bytes(), "Ann Lee", avatar.DefaultSize)
	for _, target := range []string{avatartest.Target("Ann Lee"), avatartest.Target("Bob") + "?size=16", avatar.Path} {
		h, _, err := constant.serve(environment{log: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		if w.Code != http.StatusOK || !slices.Equal(w.Body.Bytes(), want.Body.Bytes()) || w.Header().Get("Content-Length") != want.Header().Get("Content-Length") {
			t.Errorf("%s is answered %d, %d bytes, want the %d bytes that best answers for Ann Lee", target, w.Code, w.Body.Len(), want.Body.Len())
		}
	}
}
