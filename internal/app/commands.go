package app

// commands is the table of verbs, in the order help shows them.
func commands() []*command {
	list := []*command{
		tuneCommand(),
		recordCommand(),
		diagnoseCommand(),
		proveCommand(),
		loadCommand(),
		benchCommand(),
		compareCommand(),
	}
	for _, v := range profileVerbs() {
		list = append(list, v.command())
	}
	return append(list, diffCommand(), promptVerb(), doctorCommand(), completionCommand())
}
