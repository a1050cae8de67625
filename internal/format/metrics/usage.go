package metrics

// Peak returns the most resident memory that a process was seen with; nil:
// unknown.
func Peak(rows []Row, start, end int64) *int64 {
	var peak *int64
	for i := range rows {
		row := &rows[i]
		if row.TimeNs < start || row.TimeNs > end {
			continue
		}
		for _, b := range []*int64{row.RSSBytes, row.PeakRSSBytes} {
			if b != nil && (peak == nil || *b > *peak) {
				peak = b
			}
		}
	}
	return peak
}

// Throttled returns the time that a process was throttled between two moments; nil:
// unknown.
func Throttled(rows []Row, start, end int64) *int64 {
	var first, last *int64
	for i := range rows {
		row := &rows[i]
		if row.ThrottledNs == nil || row.TimeNs < start || row.TimeNs > end {
			continue
		}
		if last = row.ThrottledNs; first == nil || *last < *first {
			first = last
		}
	}
	if first == nil {
		return nil
	}
	ns := *last - *first
	return &ns
}

// CPU returns the CPU time that a process used between two moments, brought
// to the whole of that time where the rows cover most of it; nil: unknown.
func CPU(rows []Row, start, end int64) *int64 {
	var first, last *Row
	for i := range rows {
		row := &rows[i]
		if row.UserCPUNs == nil || row.SystemCPUNs == nil || row.TimeNs < start || row.TimeNs > end {
			continue
		}
		if first == nil || Restarted(last, row) {
			first = row
		}
		last = row
	}
	if first == nil || last.TimeNs-first.TimeNs < (end-start)/2 {
		return nil
	}
	cpu := *last.UserCPUNs + *last.SystemCPUNs - *first.UserCPUNs - *first.SystemCPUNs
	cpu = int64(float64(cpu) * float64(end-start) / float64(last.TimeNs-first.TimeNs))
	return &cpu
}
