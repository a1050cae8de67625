//go:build soak

package conformance

import "time"

const soakTime = 10 * time.Minute
