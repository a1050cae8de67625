package app

import "whet/internal/cli"

// commands is the table of verbs, in the order help shows them.
func commands() []*cli.Command {
	list := []*cli.Command{
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
