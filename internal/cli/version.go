package cli

import (
	"cmp"
	"fmt"
	"runtime/debug"
)

// Version is whet's own version: the module's, or the revision it was built
// from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version, revision, dirty := info.Main.Version, "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			revision = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	switch {
	case version != "" && version != "(devel)":
		return version
	case revision != "":
		return "devel-" + revision + dirty
	}
	return "devel"
}

// Built describes a build of whet, a line each: its version, its revision with the
// date of that, and the Go that built it.
func Built(version string, info *debug.BuildInfo) string {
	set := make(map[string]string)
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	revision := "unknown"
	if set["vcs.revision"] != "" {
		revision = set["vcs.revision"] + " of " + cmp.Or(set["vcs.time"], "an unknown date")
	}
	if set["vcs.modified"] == "true" {
		revision += ", changed since"
	}
	return fmt.Sprintf("whet %s\nrevision %s\nbuilt with %s for %s/%s\n", version, revision, info.GoVersion, set["GOOS"], set["GOARCH"])
}
