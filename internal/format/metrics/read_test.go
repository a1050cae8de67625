package metrics_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/format/metrics"
)

func n(v int64) *int64 { return &v }

// full has a value of its own in every field, by reflection, so that a new
// field cannot be forgotten.
func full(t *testing.T, at, pid, base int64) metrics.Row {
	t.Helper()
	row := metrics.Row{TimeNs: at, PID: pid}
	v := reflect.ValueOf(&row).Elem()
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.Pointer {
			v.Field(i).Set(reflect.ValueOf(n(base + int64(i))))
		}
	}
	return row
}

func lines(t *testing.T, rows ...metrics.Row) []byte {
	t.Helper()
	var out []byte
	for _, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, line...), '\n')
	}
	return out
}

func TestReadWhatWasWritten(t *testing.T) {
	want := []metrics.Row{full(t, 0, 7, 100), full(t, 100, 7, 200), {TimeNs: 200, PID: 7, Goroutines: n(0)}}
	got, warnings, err := metrics.Read(lines(t, want...), 10)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("warnings %q, error %v", warnings, err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Missing and null are unknown; zero is a measurement.
func TestReadUnknown(t *testing.T) {
	rows, _, err := metrics.Read([]byte(`{"t_ns":5,"goroutines":null,"threads":0,"something_new":3}`+"\n"), 10)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]metrics.Row{{TimeNs: 5, Threads: n(0)}}, rows); d != "" {
		t.Error(d)
	}
}

func TestReadAroundDamage(t *testing.T) {
	good := `{"t_ns":1,"pid":3}`
	for _, tt := range []struct {
		name, in string
		rows     int
		warnings []string
		err      string
	}{
		{"empty", "", 0, nil, ""},
		{"blank lines", "\n \n" + good + "\r\n\n", 1, nil, ""},
		{"cut off", good + "\n" + `{"t_ns":2,"pi`, 1, []string{"the last row was cut off"}, ""},
		{"no newline at the end", good + "\n" + good, 2, nil, ""},
		{"garbage between", good + "\nhello\n[]\n" + good + "\n", 2,
			[]string{"2 lines are not rows and were left out, the first at line 2: invalid character 'h' looking for beginning of value"}, ""},
		{"no time", good + "\n{}\n", 1, []string{"1 lines are not rows and were left out, the first at line 2: t_ns is missing or not a time"}, ""},
		{"negative time", `{"t_ns":-1}` + "\n", 0, nil, "read metrics: none of 1 lines is a row: line 1: t_ns is missing or not a time"},
		{"far future", `{"t_ns":9223372036854775807}` + "\n", 0, nil, "read metrics: none of 1 lines is a row: line 1: t_ns is missing or not a time"},
		{"below zero", `{"t_ns":1,"goroutines":-5}` + "\n", 0, nil, "read metrics: none of 1 lines is a row: line 1: a counter is negative"},
		{"a word", `{"t_ns":1,"goroutines":"many"}` + "\n", 0, nil, "read metrics: none of 1 lines is a row: line 1: goroutines cannot be string"},
		{"a long line", `{"t_ns":1,"x":"` + strings.Repeat("a", 64<<10) + `"}` + "\n", 0, nil, "read metrics: none of 1 lines is a row: line 1: 65553 bytes are more than the limit of 65536 for a row"},
		{"HTML", "<html>\n<body>\n", 0, nil, "read metrics: none of 2 lines is a row: line 1: invalid character '<' looking for beginning of value"},
		{"beyond the limit", strings.Repeat(good+"\n", 4), 3, []string{"rows after the first 3 were left out"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows, warnings, err := metrics.Read([]byte(tt.in), 3)
			if len(rows) != tt.rows {
				t.Errorf("%d rows, want %d", len(rows), tt.rows)
			}
			if d := cmp.Diff(tt.warnings, warnings); d != "" {
				t.Error(d)
			}
			if got := text(err); got != tt.err {
				t.Errorf("error %q, want %q", got, tt.err)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Every counter alone shows a restart, and no state does.
func TestRestarted(t *testing.T) {
	a := full(t, 10, 7, 1000)
	typ := reflect.TypeOf(a)
	counting := false
	for i := range typ.NumField() {
		f := typ.Field(i)
		counting = counting || f.Name == "AllocBytes" // the fields from here on are counters
		if f.Type.Kind() != reflect.Pointer {
			continue
		}
		b := full(t, 20, 7, 1000)
		reflect.ValueOf(&b).Elem().Field(i).Set(reflect.ValueOf(n(1)))
		if got := metrics.Restarted(&a, &b); got != counting {
			t.Errorf("%s falls: restarted %v", f.Name, got)
		}
		reflect.ValueOf(&b).Elem().Field(i).SetZero()
		if metrics.Restarted(&a, &b) {
			t.Errorf("%s unknown: restarted", f.Name)
		}
	}
	if b := full(t, 20, 8, 2000); !metrics.Restarted(&a, &b) {
		t.Error("another process: not restarted")
	}
	if b := full(t, 20, 0, 2000); metrics.Restarted(&a, &b) {
		t.Error("an unknown process: restarted")
	}
	if b := full(t, 9, 7, 2000); !metrics.Restarted(&a, &b) {
		t.Error("an earlier time: not restarted")
	}
}

func TestSplit(t *testing.T) {
	rows := []metrics.Row{full(t, 10, 7, 100), full(t, 20, 7, 200), full(t, 30, 8, 50), full(t, 40, 8, 60), full(t, 50, 8, 40)}
	got, warnings, err := metrics.Read(lines(t, rows...), 100)
	if err != nil || len(got) != 5 || len(warnings) != 0 {
		t.Fatalf("%d rows, error %v, warnings %q", len(got), err, warnings)
	}
	var sizes []int
	for _, part := range metrics.Split(got) {
		sizes = append(sizes, len(part))
	}
	if d := cmp.Diff([]int{2, 2, 1}, sizes); d != "" {
		t.Error(d)
	}
}

// FuzzRead: the rows of any input, written again, are read as they are, and
// Split keeps each of them, in order, in parts that hold no restart.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"t_ns":1,"pid":3,"goroutines":4,"alloc_bytes":9}`+"\n"+`{"t_ns":2,"pid":3,"alloc_bytes":3}`+"\n"), 5)
	f.Add([]byte("{}\n\n{\"t_ns\":0}\nnull\n{\"t_ns\":1e3}"), 2)
	f.Add([]byte(`{"t_ns":5,"T_NS":6,"pid":-1}`), 1)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		rows, _, err := metrics.Read(data, limit)
		if err != nil && len(rows) > 0 {
			t.Fatal("rows beside an error")
		}
		if len(rows) > max(limit, 0) {
			t.Fatalf("%d rows, and the limit is %d", len(rows), limit)
		}
		again, warnings, err := metrics.Read(lines(t, rows...), len(rows))
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		if d := cmp.Diff(rows, again); d != "" {
			t.Fatal(d)
		}
		parts := metrics.Split(rows)
		var joined []metrics.Row
		for _, part := range parts {
			for i := range part[1:] {
				if metrics.Restarted(&part[i], &part[i+1]) {
					t.Fatal("a restart inside a part")
				}
			}
			joined = append(joined, part...)
		}
		if d := cmp.Diff(rows, joined); d != "" {
			t.Fatal(d)
		}
	})
}
