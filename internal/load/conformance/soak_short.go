//go:build !soak

package conformance

import "time"

const soakTime = 5 * time.Second
