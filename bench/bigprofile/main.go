// Command bigprofile makes a large heap profile: what the Go compiler
// allocates while it compiles the standard library and the commands, one
// profile a package, merged.
//
//	go run ./bench/bigprofile -o big.pb.gz
//	go run ./bench/bigprofile -o cmdgo.pb.gz -rate 4096 -deps cmd/go
//
// The first takes ten minutes and more on two cores and gives some 130 MB
// unpacked, 1.4 million samples. The profiles of the packages stay in -dir:
// interrupted, it goes on where it was, since the go command does not compile
// again what its cache holds. That cache lies in -dir, too, which takes about
// 2 GB and can be deleted afterwards.
//
// Two runs do not give the same profile: sampling is by chance.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/callstack"
	"whet/internal/format/profile"
	"whet/internal/quantity"
)

func main() { ledger.Main("bigprofile", run) }

func run(ctx context.Context) error {
	out := flag.String("o", "big.pb.gz", "write the merged profile to this `file`")
	dir := flag.String("dir", "", "keep the packages' profiles and the build cache in this `directory` (default FILE.parts)")
	rate := flag.Int("rate", 1024, "one sample for so many `bytes` allocated")
	deps := flag.Bool("deps", false, "profile the packages' dependencies, too")
	limit := flag.Duration("timeout", time.Hour, "give up compiling after this long; the next run goes on")
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"std", "cmd"}
	}
	if *dir == "" {
		*dir = *out + ".parts"
	}
	parts, err := filepath.Abs(filepath.Join(*dir, fmt.Sprintf("rate%d", *rate)))
	if err != nil {
		return err
	}
	cache, err := filepath.Abs(filepath.Join(*dir, "cache"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	if err := compile(ctx, parts, cache, *rate, *deps, packages); err != nil {
		return err
	}
	n, p, err := merge(parts)
	if err != nil {
		return err
	}
	if err := write(*out, p); err != nil {
		return err
	}
	fmt.Printf("%s: %d profiles, %s samples, %s locations\n", *out, n, quantity.Count(float64(p.Len())), quantity.Count(float64(len(p.Locations))))
	return nil
}

// compile lets the compiler write a profile of each package it compiles into
// parts: given a directory, it names them after the package. The directory is
// part of the flags, and so of what the go command's cache goes by. Without a
// cache of its own it uses the user's.
func compile(ctx context.Context, parts, cache string, rate int, deps bool, packages []string) error {
	if err := os.MkdirAll(parts, 0o755); err != nil {
		return err
	}
	flags := fmt.Sprintf("-gcflags=-memprofile=%s -memprofilerate=%d", parts, rate)
	if deps {
		flags = strings.Replace(flags, "=", "=all=", 1)
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", flags}, packages...)...)
	cmd.Dir = parts // build's output, if any, is dropped with it
	cmd.Env = os.Environ()
	if cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // the go command ends its compilers
	cmd.WaitDelay = 30 * time.Second
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build %s: %w: %s", strings.Join(packages, " "), errors.Join(ctx.Err(), err), bytes.TrimSpace(errs.Bytes()))
	}
	return nil
}

// merge adds up the profiles in a directory.
func merge(parts string) (n int, sum *callstack.Profile, err error) {
	files, err := filepath.Glob(filepath.Join(parts, "*.memprof"))
	if err != nil {
		return 0, nil, err
	}
	if len(files) == 0 {
		return 0, nil, fmt.Errorf("the compiler left no profiles in %s: if they were deleted, delete the cache beside it, too", parts)
	}
	var merger *callstack.Merger
	for _, file := range files {
		p, err := read(file)
		if err != nil {
			return 0, nil, fmt.Errorf("read %s: %w", file, err)
		}
		if merger == nil {
			merger = callstack.NewMerger(&p.Meta)
		}
		if err := merger.Add(1, p); err != nil {
			return 0, nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return len(files), merger.Merged(), nil
}

func read(name string) (*callstack.Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return profile.Read(f, info.Size(), profile.DefaultLimits())
}

// write leaves a whole file or none.
func write(name string, p *callstack.Profile) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(profile.Write(f, p), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
