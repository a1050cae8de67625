package avatar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Request is what a stage is asked for.
type Request struct {
	Name    string
	Picture Picture
}

// Picture is everything that decides what is drawn. It is comparable, and so
// the key to a cache: the published cache was keyed by the initials alone, and
// answered a second size, or a second person, with the first one's picture.
type Picture struct {
	Initials [2]rune // upper case; the second is 0 where there is one
	Colour   uint16  // of the background: see Background
	Size     uint16  // width and height, in pixels
}

// Text returns the initials.
func (p Picture) Text() string {
	if p.Initials[1] == 0 {
		return string(p.Initials[:1])
	}
	return string(p.Initials[:])
}

// refusal is a request that is not carried out.
type refusal struct {
	status int
	reason string
}

func (e *refusal) Error() string { return e.reason }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// Refuse answers a request that [Read] or a drawing returned an error for, and
// returns the status it was answered with.
func Refuse(w http.ResponseWriter, err error) int {
	var r *refusal
	switch {
	case errors.As(err, &r):
		if r.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", "GET, HEAD")
		}
		http.Error(w, r.reason, r.status)
		return r.status
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the picture took too long: ask again", http.StatusServiceUnavailable)
		return http.StatusServiceUnavailable
	}
	// What went wrong inside is for the log.
	http.Error(w, "the picture could not be drawn", http.StatusInternalServerError)
	return http.StatusInternalServerError
}

// Read reads a request by the rules of the case. An error is for [Refuse].
func Read(w http.ResponseWriter, r *http.Request, deadline time.Duration) (Request, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return Request{}, refuse(http.StatusMethodNotAllowed, "use GET or HEAD")
	}
	if err := dropBody(w, r, deadline); err != nil {
		return Request{}, err
	}
	name, ok := strings.CutPrefix(r.URL.Path, Path)
	if !ok {
		return Request{}, refuse(http.StatusBadRequest, "ask for %sNAME", Path)
	}
	initials, err := readInitials(name)
	if err != nil {
		return Request{}, err
	}
	size, err := readSize(r)
	if err != nil {
		return Request{}, err
	}
	return Request{Name: name, Picture: Picture{Initials: initials, Colour: colourOf(name), Size: size}}, nil
}

// dropBody reads a body that nobody asked for, so that the connection can be
// used again, within bounds.
func dropBody(w http.ResponseWriter, r *http.Request, deadline time.Duration) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	conn := http.NewResponseController(w)
	conn.SetReadDeadline(time.Now().Add(deadline)) // where there is a connection
	_, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, MaxBody))
	// A body that failed keeps its deadline: net/http goes on to read what is
	// left of it before it answers.
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return refuse(http.StatusRequestEntityTooLarge, "the body has more than %d bytes: send none", MaxBody)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(http.StatusRequestTimeout, "the body did not come: send none")
	case err != nil:
		return refuse(http.StatusBadRequest, "the body cannot be read: send none")
	}
	conn.SetReadDeadline(time.Time{})
	return nil
}

// readInitials checks a name and returns its initials.
func readInitials(name string) (initials [2]rune, err error) {
	if !utf8.ValidString(name) {
		return initials, refuse(http.StatusBadRequest, "the name is not UTF-8")
	}
	n, found := 0, false // characters so far; whether this word's initial is found
	for _, r := range name {
		n++
		switch {
		case n > MaxName:
			return initials, refuse(http.StatusBadRequest, "the name has more than %d characters", MaxName)
		case r == '/' || unicode.IsControl(r) || r > unicode.MaxLatin1 && unicode.Is(unicode.Bidi_Control, r):
			return initials, refuse(http.StatusBadRequest, "the name holds %U, which no name does", r)
		case unicode.IsSpace(r):
			found = false
		case !found && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			found = true
			if initials[0] == 0 {
				initials[0] = unicode.ToUpper(r)
			} else {
				initials[1] = unicode.ToUpper(r)
			}
		}
	}
	if initials[0] == 0 {
		return initials, refuse(http.StatusBadRequest, "the name holds no letter and no digit: ask for %sNAME", Path)
	}
	return initials, nil
}

// readSize reads the size from the query.
func readSize(r *http.Request) (uint16, error) {
	query := r.URL.RawQuery
	if query == "" {
		return DefaultSize, nil
	}
	// Its usual spelling needs no map of values.
	value, ok := strings.CutPrefix(query, "size=")
	if !ok || !isDecimal(value) {
		value = r.URL.Query().Get("size")
	}
	if value == "" {
		return DefaultSize, nil
	}
	size, err := strconv.ParseUint(value, 10, 16)
	if err != nil || !isDecimal(value) || size < MinSize || size > MaxSize {
		return 0, refuse(http.StatusBadRequest, "size is not a number of pixels from %d to %d", MinSize, MaxSize)
	}
	return uint16(size), nil
}

func isDecimal(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
