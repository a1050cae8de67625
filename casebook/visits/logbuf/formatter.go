package logbuf

import (
	"bytes"
	"time"

	"github.com/sirupsen/logrus"
)

// formatter writes records whose message holds key=value pairs already. Who
// makes the message quotes the values in it.
type formatter struct{}

func (formatter) Format(e *logrus.Entry) ([]byte, error) {
	b := e.Buffer // logrus's own, from a pool too
	if b == nil {
		b = new(bytes.Buffer)
	}
	b.WriteString(`time="`)
	b.WriteString(e.Time.Format(time.RFC3339))
	b.WriteString(`" level=`)
	b.WriteString(e.Level.String())
	b.WriteByte(' ')
	b.WriteString(e.Message)
	b.WriteByte('\n')
	return b.Bytes(), nil
}
