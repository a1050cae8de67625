package app

// views is the table of them, in the order help shows their verbs.
func views() []*view {
	return []*view{
		mergeView(),
	}
}
