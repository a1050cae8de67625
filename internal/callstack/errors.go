package callstack

import "fmt"

// MergeError names a profile that cannot be merged with the first.
type MergeError struct {
	Index      int // position in the list given to Merge, from 0
	Have, Want []ValueType
}

func (e *MergeError) Error() string {
	return fmt.Sprintf("merge: profile %d holds %v, the first one %v", e.Index+1, e.Have, e.Want)
}
