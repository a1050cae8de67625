package app

import (
	"flag"

	"whet/internal/cli"
	"whet/internal/dotwhet"
)

func declareKeep(fs *flag.FlagSet, keep *int) {
	fs.IntVar(keep, "keep", dotwhet.Keep, "without -o: keep the last `n` recordings of .whet, and remove older ones that have no name of yours")
}

func checkKeep(verb string, keep int) error {
	if keep < 1 {
		return cli.UsageError("%s: -keep %d: at least the new recording is kept", verb, keep)
	}
	return nil
}
