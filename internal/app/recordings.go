package app

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"whet/internal/cli"
	"whet/internal/document"
	"whet/internal/dotwhet"
	"whet/internal/read"
	"whet/internal/recording"
	"whet/internal/sharing"
)

func recordingsCommand() *cli.Command {
	return &cli.Command{
		Name:       "recordings",
		Operands:   "[RECORDING]",
		Recordings: 1,
		Short:      "list recordings and their short names (@, @NAME), or copy one for sharing",
		Long: `
Recordings lists the recordings in .whet in the module's root, where they go without -o, the
newest first: @ is the newest, @2 the one before it, @NAME the newest of that name.

With -for-sharing it writes a copy of a recording, by default the newest, without sources and
without the names of hosts, users and directories; it keeps figures and findings. With -prune it
drops the binaries of benchmarks that a build of the current revision reproduces byte for byte.`,
		Examples: []string{"whet recordings", "whet recordings -json", "whet diff @2 @", "whet recordings -for-sharing @chi"},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			asJSON := fs.Bool("json", false, "print one JSON document")
			operands := fs.Bool("operands", false, "print only the short names (@, @2, @NAME), one a line, for shell completion")
			share := fs.Bool("for-sharing", false, "write a copy without sources and names of hosts, users and directories")
			prune := fs.Bool("prune", false, "drop the binaries that a build of the current revision reproduces")
			out := fs.String("o", "", "with -for-sharing: write the copy to `NAME.whet` (default: the recording's name with -shared, in the current directory)")
			return func(ctx context.Context, e *cli.Env, rest []string) error {
				place, err := dotwhet.Of(".")
				if err != nil {
					return err
				}
				switch {
				case *prune && (*share || *operands || len(rest) > 0):
					return cli.UsageError("recordings: -prune takes no operands or other flags: it covers all listed recordings")
				case *prune:
					return pruneRecordings(ctx, e, place, *asJSON)
				case *share:
					return shareRecording(e, place, rest, *out, *asJSON)
				case *out != "":
					return cli.UsageError("recordings: -o needs -for-sharing")
				case len(rest) > 0:
					return cli.UsageError("recordings: unexpected operand %s: it lists all recordings; whet diagnose shows one", strings.Join(rest, " "))
				case *operands:
					return place.PrintOperands(e.Stdout)
				}
				return place.Print(e.Stdout, *asJSON)
			}
		},
	}
}

// shareRecording copies the recording that an operand names, the newest without one.
func shareRecording(e *cli.Env, place dotwhet.Dir, operands []string, out string, asJSON bool) error {
	if len(operands) == 0 {
		newest, err := place.Resolve("@")
		if err != nil {
			return err
		}
		operands = []string{newest}
	}
	from, err := cli.OneOperand("recordings -for-sharing", "recording", operands)
	if err != nil {
		return err
	}
	rec, err := read.Open(from)
	if err != nil {
		return err
	}
	defer rec.Close()
	if out == "" {
		out = strings.TrimSuffix(filepath.Base(filepath.Clean(from)), dotwhet.Suffix) + "-shared" + dotwhet.Suffix
	}
	if err := recording.CheckName(out); err != nil {
		return cli.UsageError("recordings: %w", err)
	}
	copied, err := sharing.Copy(rec, out, namesHere())
	if err != nil {
		return err
	}
	if asJSON {
		return document.Write(e.Stdout, document.Object{document.Begin(document.Shared, nil), "recording", copied.Path, "left_out", copied.LeftOut})
	}
	_, err = fmt.Fprintf(e.Stdout, "left out   %s\nrecording  %s\n", strings.Join(copied.LeftOut, ", "), e.Path(copied.Path))
	return err
}

// namesHere returns what tells this machine and its user: they are in no copy for
// sharing.
func namesHere() []string {
	var names []string
	if host, err := os.Hostname(); err == nil {
		names = append(names, host)
		if short, _, ok := strings.Cut(host, "."); ok {
			names = append(names, short)
		}
	}
	if home, err := os.UserHomeDir(); err == nil && strings.Count(home, string(filepath.Separator)) > 1 { // /root is anybody's
		names = append(names, home)
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		_, name, domain := strings.Cut(u.Username, `\`)
		if !domain {
			name = u.Username
		}
		names = append(names, "/home/"+name, "/Users/"+name, `\Users\`+name)
	}
	return names
}

func declareKeep(fs *flag.FlagSet, keep *int) {
	fs.IntVar(keep, "keep", dotwhet.Keep, "without -o: keep the last `n` recordings of .whet and remove older ones with default names")
}

func checkKeep(verb string, keep int) error {
	if keep < 1 {
		return cli.UsageError("%s: -keep %d: give at least 1", verb, keep)
	}
	return nil
}
