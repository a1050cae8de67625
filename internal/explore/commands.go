package explore

import (
	"whet/internal/cli"
)

// Commands returns the verbs that look at profiles, in the order help shows
// them.
func Commands() []*cli.Command {
	var list []*cli.Command
	for _, v := range profileVerbs() {
		list = append(list, v.command())
	}
	return append(list, linesCommand(), diffCommand(), traceCommand(), promptVerb())
}

// profileVerbs returns the table of the views of profiles.
func profileVerbs() []*profileVerb {
	return []*profileVerb{
		topView(),
		treeView(),
		peekView(),
		listView(),
		weblistView(),
		disasmView(),
		graphView(),
		flameView(),
		tagsView(),
		rawView(),
		mergeView(),
	}
}
