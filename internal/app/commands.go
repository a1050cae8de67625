package app

import (
	"slices"

	"whet/internal/agentcopy"
	"whet/internal/cli"
	"whet/internal/collector"
	"whet/internal/doctor"
	"whet/internal/drive"
	"whet/internal/escape"
	"whet/internal/explore"
)

// commands returns the table of verbs, in the order help shows them.
func commands() []*cli.Command {
	return slices.Concat([]*cli.Command{
		tuneCommand(),
		recordCommand(),
		diagnoseCommand(),
		proveCommand(),
		drive.Command(),
		benchCommand(),
		compareCommand(),
	}, explore.Commands(), []*cli.Command{collector.Command(), escape.Command(), recordingsCommand(), agentcopy.Command(), doctor.Command(), completionCommand()})
}
