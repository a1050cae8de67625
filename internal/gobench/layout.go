package gobench

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Link links the binary again at out, with its functions in an order that the linker
// draws from the seed, and describes it with the facts about b: the two differ only in
// the order. Seed 0 is the linker's own order.
//
// Its cost is that of the go command's check of the package's dependencies and of the
// link; nothing is compiled. In a random order the binary has no debugging information
// (-w): for a test of net/http that saves 0.4 of 1.0 s of CPU time, and everything
// loaded at run time is the same byte for byte, as a test checks. The rest is the
// linker's own work, 0.5 s, and 0.1 s of the go command; calling the linker with the
// arguments printed by `go build -x` would save the latter, but depend on the internals
// of the go command.
func (b *Binary) Link(ctx context.Context, o BuildOptions, seed uint64, out string) (*Binary, error) {
	var err error
	if seed != 0 {
		if o.Flags, err = withLayout(o.Flags, b.Target.GOFLAGS, seed); err != nil {
			return nil, newError(KindUsage, "", fmt.Sprintf("link %s: %v", b.Target.ImportPath, err), "")
		}
	}
	linked := *b
	linked.Path, err = b.Target.make(ctx, o, out, "link the tests of "+b.Target.ImportPath, "test", "-c", "-vet=off")
	if err != nil {
		return nil, err
	}
	linked.BuildID = gnuBuildID(linked.Path)
	return &linked, nil
}

// CanLayOut reports whether the linker that the target is built with can draw
// an order of functions: Go's does since 1.23.
func (t *Target) CanLayOut(ctx context.Context, o BuildOptions) (bool, error) {
	// Asked for its flags the linker ends with status 2 and lists them.
	_, stderr, _, err := goCommand(ctx, t.WorkDir, o.Env, "tool", "link", "-help")
	return strings.Contains(string(stderr), "-randlayout"), err
}

// layoutSeeds is the number of orders that the linker can draw: it seeds math/rand's
// first generator, which reduces a seed modulo 2³¹−1 and replaces 0 by a
// constant. Seeds are kept apart and away from 0.
const layoutSeeds = 1<<31 - 2

// withLayout adds the linker's flags for the seed to build flags. The go
// command does not join several -ldflags: the last whose pattern matches a
// package is the one. So they go into each of those that are given, in GOFLAGS
// too, after an -ldflags of their own for the case that none matches.
func withLayout(flags []string, goflags string, seed uint64) ([]string, error) {
	layout := "-w -randlayout=" + strconv.FormatUint(seed%layoutSeeds+1, 10)
	given, err := splitQuoted(goflags)
	if err != nil {
		return nil, fmt.Errorf("read GOFLAGS: %w", err)
	}
	out := []string{"-ldflags=" + layout}
	for _, f := range given {
		if value, ok := ldflags(f); ok {
			out = append(out, "-ldflags="+joinFlags(value, layout))
		}
	}
	for i := 0; i < len(flags); i++ {
		value, ok := ldflags(flags[i])
		if !ok && isFlag(flags[i], "ldflags") && i+1 < len(flags) {
			i++
			value, ok = flags[i], true
		}
		if !ok {
			out = append(out, flags[i])
			continue
		}
		out = append(out, "-ldflags="+joinFlags(value, layout))
	}
	return out, nil
}

// joinFlags adds linker flags to the value of -ldflags, "-s -w" or
// "pattern=-s -w".
func joinFlags(value, more string) string {
	if value = strings.TrimSpace(value); value == "" {
		return more
	}
	return value + " " + more
}

// ldflags returns the value of a flag -ldflags=value.
func ldflags(flag string) (string, bool) {
	name, value, ok := strings.Cut(flag, "=")
	return value, ok && isFlag(name, "ldflags")
}

func isFlag(arg, name string) bool { return arg == "-"+name || arg == "--"+name }

// splitQuoted splits as the go command splits GOFLAGS: at blanks, but for
// fields that begin with a quote, which end with the same one.
func splitQuoted(s string) ([]string, error) {
	const blanks = " \t\n\r"
	var out []string
	for {
		s = strings.TrimLeft(s, blanks)
		if s == "" {
			return out, nil
		}
		if quote := s[0]; quote == '\'' || quote == '"' {
			end := strings.IndexByte(s[1:], quote)
			if end < 0 {
				return nil, fmt.Errorf("unterminated %c", quote)
			}
			out = append(out, s[1:1+end])
			s = s[end+2:]
			continue
		}
		end := strings.IndexAny(s, blanks)
		if end < 0 {
			end = len(s)
		}
		out = append(out, s[:end])
		s = s[end:]
	}
}
