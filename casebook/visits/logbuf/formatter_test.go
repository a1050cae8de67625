package logbuf

import (
	"testing"
	"time"

	"github.com/sirupsen/logrus"
)

// logrus always hands a buffer along; an entry that somebody else formats has
// none.
func TestFormatWithoutBuffer(t *testing.T) {
	e := &logrus.Entry{Time: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Level: logrus.InfoLevel, Message: "msg=visited"}
	got, err := formatter{}.Format(e)
	if want := "time=\"2026-11-20T10:00:00Z\" level=info msg=visited\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
