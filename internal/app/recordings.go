package app

import (
	"context"
	"flag"
	"strings"

	"whet/internal/cli"
	"whet/internal/dotwhet"
)

func recordingsCommand() *cli.Command {
	return &cli.Command{
		Name:      "recordings",
		ReadsOnly: true,
		Short:     "list the recordings that @ and @NAME stand for",
		Long: `
Recordings lists what is in .whet in the module's root, where recordings go without -o, the newest
first: @ is the newest, @2 the one before it, @NAME the newest of that name.`,
		Examples: []string{"whet recordings", "whet recordings -json", "whet diff @2 @"},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			asJSON := fs.Bool("json", false, "print one JSON document")
			operands := fs.Bool("operands", false, "print what stands for each alone (@, @2, @NAME), a word a line: completion asks")
			return func(ctx context.Context, e *cli.Env, rest []string) error {
				if len(rest) > 0 {
					return cli.UsageError("recordings: it lists all there are, and %s is no flag: whet diagnose shows one", strings.Join(rest, " "))
				}
				place, err := dotwhet.Of(".")
				if err != nil {
					return err
				}
				if *operands {
					return place.PrintOperands(e.Stdout)
				}
				return place.Print(e.Stdout, *asJSON)
			}
		},
	}
}

func declareKeep(fs *flag.FlagSet, keep *int) {
	fs.IntVar(keep, "keep", dotwhet.Keep, "without -o: keep the last `n` recordings of .whet, and remove older ones that have no name of yours")
}

func checkKeep(verb string, keep int) error {
	if keep < 1 {
		return cli.UsageError("%s: -keep %d: at least the new recording is kept", verb, keep)
	}
	return nil
}
