package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"whet/internal/capture/process"
)

// Bounds on what git may take and print. The list of a tree's files is the
// longest answer that is read: a million files of a hundred bytes each.
const (
	gitLimit = 10 * time.Minute
	gitKept  = 256 << 20
	errKept  = 64 << 10
)

// local are the variables by which a caller of git, a hook that runs whet for
// one, points it at another repository, as `git rev-parse --local-env-vars`
// lists them; the configuration in the environment stays.
var local = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE",
	"GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX",
	"GIT_SHALLOW_FILE", "GIT_COMMON_DIR", "GIT_INTERNAL_SUPER_PREFIX", "GIT_CONFIG",
}

// setting is one of git's, which has the last word over those of files.
type setting struct{ key, value string }

// harmless keeps git from running the programs of a configuration and from changing
// the repository: no monitor, no hooks, no split index, no housekeeping.
var harmless = []setting{
	{"core.fsmonitor", "false"},
	{"core.hooksPath", os.DevNull},
	{"core.splitIndex", "false"},
	{"core.untrackedCache", "false"},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
}

// environment returns what git runs with: our own, less what points elsewhere, and
// the settings.
func environment(own []string, settings []setting, more ...string) []string {
	count := 0
	env := slices.DeleteFunc(slices.Clone(own), func(e string) bool {
		name, value, _ := strings.Cut(e, "=")
		if name == "GIT_CONFIG_COUNT" {
			count, _ = strconv.Atoi(value)
			return true
		}
		return slices.Contains(local, name)
	})
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", count+i, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", count+i, s.value))
	}
	env = append(env,
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", count+len(settings)),
		"GIT_OPTIONAL_LOCKS=0",    // status would rewrite the index
		"GIT_ALLOW_PROTOCOL=none", // a partial clone would fetch, and store
		"GIT_TERMINAL_PROMPT=0", "GIT_LITERAL_PATHSPECS=0", "LC_ALL=C")
	return append(env, more...)
}

// ErrNoGit means that git is not installed.
var ErrNoGit = errors.New("git is not in PATH: install it, or compare two directories")

// refusal is what git, or the go command, said when it failed.
type refusal struct {
	said   string // its first line, without "fatal: "
	status string
}

func (e *refusal) Error() string {
	if e.said == "" {
		return "it ended with " + e.status
	}
	return e.said
}

// git runs git in dir and returns what it printed.
func git(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	out := process.NewBounded(gitKept, 0)
	if err := gitTo(ctx, out, dir, env, args...); err != nil {
		return nil, err
	}
	head, _, dropped := out.Parts()
	if dropped > 0 {
		return nil, fmt.Errorf("git %s printed more than %d MiB", args[0], gitKept>>20)
	}
	return head, nil
}

// gitTo runs git in dir. Git before 2.31 takes settings from its command line
// alone: a repository's monitor is a program of its owner's.
func gitTo(ctx context.Context, out io.Writer, dir string, env []string, args ...string) error {
	errs := process.NewBounded(errKept, 0)
	res, err := process.Run(ctx, process.Command{
		Path: "git", Args: append([]string{"-c", "core.fsmonitor=false"}, args...), Dir: dir, Env: env, Stdout: out, Stderr: errs, Timeout: gitLimit,
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && process.NotFound(err) && isDir(dir):
		return ErrNoGit
	case err != nil:
		return fmt.Errorf("start git: %w", err)
	case !res.OK():
		return &refusal{said: complaint(errs.Bytes()), status: res.Status()}
	}
	return nil
}

// Bounds on a question that is not worth a wait.
const (
	askLimit = 5 * time.Second
	askKept  = 1 << 20
)

// Ask asks git in a directory and returns the first MiB of the answer. Anything
// but a plain answer is none: no git, no repository, another owner's.
func Ask(ctx context.Context, dir string, args ...string) (string, bool) {
	ctx, stop := context.WithTimeout(ctx, askLimit)
	defer stop()
	out := process.NewBounded(askKept, 0)
	err := gitTo(ctx, out, dir, environment(os.Environ(), harmless), args...)
	head, _, _ := out.Parts()
	return string(head), err == nil
}

// complaint returns the first line of what git said that tells what is wrong, fit
// for one line of a terminal.
func complaint(said []byte) string {
	first := ""
	for line := range bytes.Lines(said) {
		text := strings.TrimSpace(string(line))
		rest, fatal := strings.CutPrefix(text, "fatal: ")
		if !fatal {
			rest, fatal = strings.CutPrefix(text, "error: ")
		}
		if fatal {
			first = rest
			break
		}
		if first == "" {
			first = text
		}
	}
	return printable(first)
}

// printable makes a text of others' fit for one line of a terminal.
func printable(text string) string {
	const most = 300
	text = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// fields splits what git prints with -z.
func fields(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func isDir(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}
