package gatewaytest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"whet/casebook/gateway"
)

// Records parses all records and fails the test at a bad one. Their times and
// codes are text.
func (l *Log) Records(t testing.TB) []map[string]string {
	t.Helper()
	if l.overlap.Load() {
		t.Error("two records were written to the log at once")
	}
	var records []map[string]string
	for _, line := range l.Writes {
		if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
			t.Fatalf("one write to the log is not one line: %q", line)
		}
		all, ok := Value(t, line).(map[string]any)
		if !ok || strings.Count(line, `":`) < len(all) {
			t.Fatalf("a record is %q", line)
		}
		record := make(map[string]string)
		for name, v := range all {
			switch v := v.(type) {
			case string:
				record[name] = v
			case json.Number:
				record[name] = v.String()
			default:
				t.Fatalf("%s of a record is %v", name, v)
			}
		}
		records = append(records, record)
	}
	return records
}

// checkRecord compares the record of a request, in which the downstream may have
// failed; times are cut to seconds.
func checkRecord(t testing.TB, got map[string]string, c gateway.Call, e Envelope, failure error, from time.Time) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, got["time"])
	if err != nil || at.Before(from.Truncate(time.Second)) || at.After(time.Now()) {
		t.Errorf("record is of %v, %v", got["time"], err)
	}
	want := map[string]string{
		"time": got["time"], "module": "gateway", "code": fmt.Sprint(e.Code), "business": c.Business, "session": c.Session,
		"level": "info", "message": "answered",
	}
	if e.Code != http.StatusOK {
		want["level"], want["message"], want["error"] = "warn", "refused", e.Message
	}
	if failure != nil {
		want["cause"] = failure.Error()
	}
	if !maps.Equal(got, want) {
		t.Errorf("record is %.500q, want %.500q", got, want)
	}
}
