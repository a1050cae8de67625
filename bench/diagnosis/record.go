package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"whet/internal/recording"
)

// recording returns where a case's recording lies.
func (l *lab) recording(c *Case) string { return filepath.Join(l.recordings, c.Name+".whet") }

// record lets whet tune measure a case, as a user would call it.
func (l *lab) record(ctx context.Context, c *Case, budget time.Duration) error {
	dir, err := l.checkout(ctx, c)
	defer os.RemoveAll(filepath.Join(l.tmp, c.Name))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	args := []string{"tune", "-json", "-o", l.recording(c)}
	switch c.Kind {
	case kindProgram:
		args = append(args, "-count", "3", "-budget", (3 * budget).String(), target(c.Package), "--")
		args = append(args, c.Args...)
	case kindService:
		addr, err := freeAddr()
		if err != nil {
			return err
		}
		if c.Header != "" {
			args = append(args, "-H", c.Header)
		}
		args = append(args, "-d", (budget / 2).String(), "-warmup", "2s", "-c", "16", "http://"+addr+c.URL, "--", target(driverPackage), addr)
	default:
		args = append(args, "-run", "^$", "-bench", c.Bench, "-budget", budget.String(), target(c.Package))
	}
	_, err = command(ctx, dir, l.whet, args...)
	return err
}

// recordOnly records a case, unless that was done, and returns how many samples
// it has, or why it has none.
func (l *lab) recordOnly(ctx context.Context, c *Case, o *options, have bool) string {
	if o.again || !have {
		if err := l.record(ctx, c, o.budget); err != nil {
			return l.plain(err)
		}
	}
	rec, err := recording.Open(l.recording(c))
	if err != nil {
		return l.plain(err)
	}
	defer rec.Close()
	n, err := samples(rec)
	if err != nil {
		return l.plain(err)
	}
	return fmt.Sprintf("%d samples of CPU time", n)
}

// target returns a package as an operand.
func target(pkg string) string {
	if pkg == "." {
		return pkg
	}
	return "./" + pkg
}

// freeAddr returns an address of the loopback interface that nothing listens on.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}
