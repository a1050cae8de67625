package diagnose

import "whet/internal/recording"

const (
	// perCall is how many blocks an iteration has to make at least for them to
	// be made in calls: a pool makes fewer.
	perCall = 0.1
	// seldom is the same where iterations are not known: so many in the whole
	// run are made in calls and not once.
	seldom = 50
)

// MadeInCalls reports whether a number of blocks in the allocation profile says
// that such a block is made again and again.
func (s *Subject) MadeInCalls(blocks int64) bool {
	if s.AllocIterations > 0 && s.Kind != recording.TargetProgram { // a run may make one, and no more
		return float64(blocks) >= perCall*float64(s.AllocIterations)
	}
	return blocks >= seldom
}
