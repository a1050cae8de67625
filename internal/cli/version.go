package cli

import "runtime/debug"

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
