package agentcopy

import (
	"bytes"
	"context"
	"flag"
	"fmt"

	"whet/internal/cli"
	"whet/internal/document"
)

// Command is whet agent.
func Command() *cli.Command {
	return &cli.Command{
		Name:     "agent",
		Operands: "DIR",
		Short:    "write the agent's source into your module, for programs to import",
		Long: `
Agent writes the source of whet's agent, a package that imports the standard library only, into a
directory of its own in the current module. A program that imports it
can be measured by whet wherever it runs, and builds without a clone of whet.

Run again, it replaces the agent there with this whet's version, unless somebody changed
it. The file agent.sum lists the version and the checksums of the files that whet wrote.`,
		Examples: []string{"whet agent internal/agent", "whet agent -json internal/agent"},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			asJSON := fs.Bool("json", false, "print one JSON document")
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				dir, err := cli.OneOperand("agent", "directory", operands)
				if err != nil {
					return err
				}
				c, err := Write(".", dir)
				if err != nil {
					return cli.MeasuringError(err, "interrupted")
				}
				if *asJSON {
					return document.Write(e.Stdout, c)
				}
				what := fmt.Sprintf("wrote agent version %d to", c.Version)
				switch {
				case !c.Written:
					what = fmt.Sprintf("agent version %d is already in", c.Version)
				case c.Replaced != nil:
					what = fmt.Sprintf("agent version %d replaced version %d in", c.Version, *c.Replaced)
				}
				return cli.PrintText(e.Stdout, bytes.NewBufferString(fmt.Sprintf("%s %s\nimport   %q\n", what, c.Dir, c.ImportPath)))
			}
		},
	}
}
