//go:build !unix

package prove

import "time"

// usedCPU is unknown here.
func usedCPU() time.Duration { return 0 }
