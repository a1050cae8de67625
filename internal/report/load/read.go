package load

import (
	loadformat "whet/internal/format/load"
	"whet/internal/loadresult"
	"whet/internal/recording"
)

// Read reads the load of a recording and lays it out as a run, without a name and
// without bounds. Where its logs are damaged there is all else beside the error.
func Read(rec *recording.Recording) (run Run, kept *loadformat.Load, err error) {
	kept, err = loadformat.Read(rec, func(iv loadresult.Interval) {
		if run.Course == nil {
			run.Course = NewCourse(iv.Response != nil)
		}
		run.Course.Add(iv)
	})
	if kept != nil {
		run.Plan, run.Result = kept.Plan, kept.Result
	}
	return run, kept, err
}
