package load

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"whet/internal/loadresult"
	"whet/internal/printable"
)

// loadColumns are those of the CSV file: a row a second, times in nanoseconds.
var loadColumns = []string{
	"start_ns", "length_ns", "due", "in_time", "requests", "answered", "errors", "body_bytes",
	"service_p50_ns", "service_p99_ns", "service_max_ns", "response_p50_ns", "response_p99_ns", "response_max_ns", "kinds",
}

// WriteCSV writes a row for each second of a load. kinds are those of the
// errors, as "timeout=3;status 5xx=1"; what a closed loop has not is empty.
func WriteCSV(w io.Writer, r *loadresult.Result) error {
	c := csv.NewWriter(w)
	rows := [][]string{loadColumns}
	for i := range r.Seconds {
		rows = append(rows, loadRow(r, &r.Seconds[i]))
	}
	if err := c.WriteAll(rows); err != nil {
		return fmt.Errorf("write load as CSV: %w", err)
	}
	return nil
}

func loadRow(r *loadresult.Result, s *loadresult.Second) []string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	quantiles := func(q loadresult.Quantiles) []string {
		if q.Max == 0 {
			return []string{"", "", ""}
		}
		return []string{number(int64(q.P50)), number(int64(q.P99)), number(int64(q.Max))}
	}
	row := []string{number(int64(s.Start.Sub(r.Start))), number(int64(s.Length)), "", "",
		number(s.Requests), number(s.Answered), number(s.Errors), number(s.Bytes)}
	response := quantiles(loadresult.Quantiles{})
	if r.Open {
		row[2], row[3] = number(s.Due), number(s.InTime)
		response = quantiles(s.Response)
	}
	row = append(row, quantiles(loadresult.Quantiles{P50: s.P50, P99: s.P99, Max: s.Max})...)
	row = append(row, response...)
	var failed []string
	for _, kind := range kinds(s.Kinds) {
		failed = append(failed, printable.Line(kind)+"="+number(s.Kinds[kind]))
	}
	cell := strings.Join(failed, ";")
	if strings.IndexAny(cell, "=+-@") == 0 {
		cell = "'" + cell // a recording may come from others, and a spreadsheet would calculate it
	}
	return append(row, cell)
}
