package app

// commands is the table of verbs, in the order help shows them.
func commands() []*command {
	return []*command{
		tuneCommand(),
		recordCommand(),
		diagnoseCommand(),
		proveCommand(),
		benchCommand(),
		compareCommand(),
		topCommand(),
		listCommand(),
		flameCommand(),
		doctorCommand(),
		completionCommand(),
	}
}
