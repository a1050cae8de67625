package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// What puts load on a server is this program again, in a process of its own: so
// it can have a processor to itself, its memory and collector do not disturb
// what judges the figures, and this process stays small, which is how small the
// peak of memory of a command can be and still be told (peakOfEnded).

// roleVariable makes this program one that puts load on a server.
const roleVariable = "CASEBOOK_TABLE_ROLE"

// The roles.
const (
	driveRole = "drive"
	postRole  = "post"
)

// play plays a role: it reads its orders from in, writes what it did to out,
// and ends.
func play(ctx context.Context, role string, in io.Reader, out, stderr io.Writer) int {
	var did any
	var err error
	orders := json.NewDecoder(in)
	switch role {
	case driveRole:
		var d drive
		if err = orders.Decode(&d); err == nil {
			did, err = d.run()
		}
	case postRole:
		var o postOrders
		if err = orders.Decode(&o); err == nil {
			did, err = struct{}{}, postAll(ctx, o)
		}
	default:
		err = fmt.Errorf("%q is no role", role)
	}
	if err == nil {
		err = json.NewEncoder(out).Encode(did)
	}
	if err != nil {
		fmt.Fprintln(stderr, "load:", err)
		return failed
	}
	return done
}

// playApart plays a role in a process of its own, which launch starts, and
// decodes what it did.
func playApart(ctx context.Context, role string, orders, did any, launch func(*exec.Cmd) error) error {
	text, err := json.Marshal(orders)
	if err != nil {
		return err
	}
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &stdout, &stderr
	if err := launch(cmd); err != nil {
		return fmt.Errorf("start what puts load on it: %w", err)
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, lastLines(stderr.String(), 5))
	}
	return json.Unmarshal(stdout.Bytes(), did)
}
