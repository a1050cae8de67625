package stats

import "strings"

// ParseUserAgent returns the operating system and the browser that a
// User-Agent claims to be, each empty where no rule knows it. The rules are
// few: the first word found, in this order and with these capitals, decides.
// They are good for the order of magnitude and are fooled by whoever wants to.
//
// Systems: Android; iPhone, iPad, iPod: iOS; Windows; CrOS: Chrome OS; Mac OS
// X: OS X; Linux. iPhones say "like Mac OS X" and Androids "Linux", so they
// come first.
//
// Browsers: Edg: Edge, in all its spellings; OPR/: Opera; Firefox/, FxiOS/:
// Firefox; Chrome/, CriOS/: Chrome; MSIE, Trident/: Internet Explorer;
// Safari/: Safari. Nearly all browsers say Safari, and most say Chrome, so
// those come late.
func ParseUserAgent(s string) (system, browser string) {
	return systemOf(s), browserOf(s)
}

func systemOf(s string) string {
	switch {
	case strings.Contains(s, "Android"):
		return "Android"
	case strings.Contains(s, "iPhone"), strings.Contains(s, "iPad"), strings.Contains(s, "iPod"):
		return "iOS"
	case strings.Contains(s, "Windows"):
		return "Windows"
	case strings.Contains(s, "CrOS"):
		return "Chrome OS"
	case strings.Contains(s, "Mac OS X"):
		return "OS X"
	case strings.Contains(s, "Linux"):
		return "Linux"
	}
	return ""
}

func browserOf(s string) string {
	switch {
	case strings.Contains(s, "Edg"):
		return "Edge"
	case strings.Contains(s, "OPR/"):
		return "Opera"
	case strings.Contains(s, "Firefox/"), strings.Contains(s, "FxiOS/"):
		return "Firefox"
	case strings.Contains(s, "Chrome/"), strings.Contains(s, "CriOS/"):
		return "Chrome"
	case strings.Contains(s, "MSIE"), strings.Contains(s, "Trident/"):
		return "Internet Explorer"
	case strings.Contains(s, "Safari/"):
		return "Safari"
	}
	return ""
}
