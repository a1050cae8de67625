//go:build !unix

package host

import "time"

// usedCPU is unknown here: 0.
func usedCPU() time.Duration { return 0 }
