package app

import (
	"fmt"
	"strings"
)

// pprofWord tells what users of go tool pprof who type its word or flag are
// looking for; "" where it is none: -top is whet top, top10 is whet top
// -nodecount 10.
func pprofWord(arg string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	switch word {
	case "pprof":
		return "whet PROFILE"
	case "text":
		return "whet top"
	case "traces":
		return "whet raw -stacks"
	case "proto":
		return "whet merge"
	case "topproto":
		return "whet top -topproto"
	case "comments":
		return "whet raw -comments"
	case "dot":
		return "whet graph -dot"
	case "callgrind", "kcachegrind":
		return "whet graph -callgrind"
	case "svg", "png", "gif", "ps", "eps", "pdf", "evince", "eog", "gv":
		return "whet graph"
	case "web":
		return "whet graph -html"
	case "http":
		return "whet flame or whet graph -html, which write pages"
	}
	name := strings.TrimRight(word, "0123456789")
	digits := word[len(name):]
	switch {
	case lookup(name) == nil:
		return ""
	case digits != "":
		return fmt.Sprintf("whet %s -nodecount %s", name, digits)
	case name == arg:
		return "" // a verb of ours
	}
	return "whet " + name
}
