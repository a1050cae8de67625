//go:build !linux && !darwin && !windows

package host

import "whet/internal/recording"

func system(*recording.Host) {}

func counters() snapshot { return snapshot{} }
