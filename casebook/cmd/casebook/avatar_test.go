package main

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whet/casebook/avatar"
	"whet/casebook/avatar/avatartest"
	ofConstant "whet/casebook/avatar/constant"
)

// The constant is what best answers to one of the names of the load, whatever is
// asked for, and is as long as best's answers to all of them are on the average.
// It is found as stages are, and named beside them.
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
	serve := func(st stage) func(target string) *httptest.ResponseRecorder {
		h, _, err := st.serve(environment{log: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		return func(target string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
			return w
		}
	}
	_, best, err := find("avatar", "best")
	if err != nil {
		t.Fatal(err)
	}
	answer, ceiling := serve(best), serve(constant)
	got := ceiling(avatar.Path)
	names := ofConstant.Names()
	same, sum := 0, 0
	for _, name := range names {
		w := answer(avatartest.Target(name))
		avatartest.CheckPicture(t, w.Body.Bytes(), name, avatar.DefaultSize)
		if sum += w.Body.Len(); slices.Equal(w.Body.Bytes(), got.Body.Bytes()) {
			same++
		}
	}
	if mean := float64(sum) / float64(len(names)); same == 0 || math.Abs(float64(got.Body.Len())-mean) > 0.02*mean {
		t.Errorf("the constant of %d bytes is the answer to %d of %d names, whose mean is %.0f: want one of them within 2 %% of that", got.Body.Len(), same, len(names), mean)
	}
	for _, target := range []string{avatartest.Target("Ann Lee"), avatartest.Target("Bob") + "?size=16"} {
		w := ceiling(target)
		if w.Code != http.StatusOK || !slices.Equal(w.Body.Bytes(), got.Body.Bytes()) || w.Header().Get("Content-Length") != strconv.Itoa(got.Body.Len()) {
			t.Errorf("%s is answered %d, %d bytes of %s, want the %d bytes of the constant", target, w.Code, w.Body.Len(), w.Header().Get("Content-Length"), got.Body.Len())
		}
	}
}
