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
	if known, ok := pprofWords[word]; ok {
		return known
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

var pprofWords = map[string]string{
	"pprof": "whet PROFILE", "text": "whet top", "topproto": "whet top -topproto",
	"traces": "whet raw -stacks", "comments": "whet raw -comments", "proto": "whet merge",
	"dot": "whet graph -dot", "callgrind": "whet graph -callgrind", "kcachegrind": "whet graph -callgrind",
	"svg": "whet graph", "png": "whet graph", "gif": "whet graph", "ps": "whet graph", "eps": "whet graph", "pdf": "whet graph",
	"evince": "whet graph", "eog": "whet graph", "gv": "whet graph", "web": "whet graph -html",
	"http": "whet flame or whet graph -html, which write pages",
	// What is no word of pprof's, and is tried all the same.
	"report": "whet diagnose RECORDING, or whet tune TARGET", "show": "whet diagnose RECORDING, or whet top PROFILE",
}
