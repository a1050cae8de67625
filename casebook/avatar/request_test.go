package avatar

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/avatar/ann%20lee?size=99", nil)
	got, err := Read(httptest.NewRecorder(), r, time.Second)
	// FNV-1a of "ann lee" is worked out by hash/fnv in TestColourOf's way.
	want := Request{Name: "ann lee", Picture: Picture{Initials: [2]rune{'A', 'L'}, Colour: colourOf("ann lee"), Size: 99}}
	if err != nil || got != want {
		t.Errorf("request is %+v, %v, want %+v", got, err, want)
	}
}

// What is refused says what is wrong and what to do, on one line.
func TestRefusal(t *testing.T) {
	for _, tt := range []struct {
		err    error
		status int
		text   string
	}{
		{refuse(400, "the name is not UTF-8"), 400, "the name is not UTF-8"},
		{fmt.Errorf("outside: %w", refuse(413, "too large")), 413, "too large"},
		{refuse(405, "use GET or HEAD"), 405, "use GET or HEAD"},
		{context.DeadlineExceeded, 503, "the picture took too long: ask again"},
		{fmt.Errorf("draw: %w", context.Canceled), 503, "the picture took too long: ask again"},
		{errors.New("a secret of the inside"), 500, "the picture could not be drawn"},
	} {
		w := httptest.NewRecorder()
		if got := Refuse(w, tt.err); got != tt.status || w.Code != tt.status || w.Body.String() != tt.text+"\n" {
			t.Errorf("%v is answered %d (returned %d) %q, want %d %q", tt.err, w.Code, got, w.Body.String(), tt.status, tt.text)
		}
	}
	for _, target := range []string{"/avatar/a%0Ab", "/avatar/" + strings.Repeat("a", 65), "/avatar/-", "/avatar/Ann?size=%0A9", "/avatar/%ff"} {
		w := httptest.NewRecorder()
		_, err := Read(w, httptest.NewRequest(http.MethodGet, target, nil), time.Second)
		if Refuse(w, err); w.Code != 400 || strings.Count(w.Body.String(), "\n") != 1 || w.Body.Len() > 120 {
			t.Errorf("%s is answered %d %q", target, w.Code, w.Body.String())
		}
	}
}

// broken is a body whose connection is lost.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset by peer") }
func (broken) Close() error             { return nil }

func TestBrokenBody(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/avatar/Ann", nil)
	r.Body = broken{}
	w := httptest.NewRecorder()
	_, err := Read(w, r, time.Second)
	if Refuse(w, err) != http.StatusBadRequest {
		t.Errorf("a body that breaks off is answered %d: %v", w.Code, err)
	}
	r.Body = nil
	if _, err := Read(w, r, time.Second); err != nil {
		t.Errorf("without a body: %v", err)
	}
}
