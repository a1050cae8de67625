package app

// profileVerbs is the table of the views of profiles, in the order help shows their verbs.
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
