package program

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Options configure the agent of one run.
type Options struct {
	Serve      bool // answer on the socket
	Continuous bool // profile from the start to the end
	Trace      bool // with short execution traces in between

	BlockRate      time.Duration // a wait that long is sampled once on average; 0: no block profile
	MutexFraction  int           // one in so many contentions is sampled; 0: no mutex profile
	MemProfileRate int           // bytes allocated for each sample; 0: the program's own
}

// environment is the agent's side of Options.
type environment struct {
	Dir            string `json:"dir"`
	Token          string `json:"token"`
	Serve          bool   `json:"serve"`
	Continuous     bool   `json:"continuous"`
	BlockRateNs    int64  `json:"block_rate_ns"`
	MutexFraction  int    `json:"mutex_fraction"`
	MemProfileRate int    `json:"mem_profile_rate"`
	Trace          bool   `json:"trace"`
}

const (
	ticket = "ticket" // taken by the process whose agent this is
	socket = "s"
	// maxSocket is what every system allows as the path of a Unix socket, less
	// the zero byte.
	maxSocket = 103
)

// Agent is the agent of one run: its directory, its secret, its settings.
type Agent struct {
	dir, token, env string
}

// NewAgent makes a directory that nobody else can read. Remove removes it.
func NewAgent(o Options) (*Agent, error) {
	if o.BlockRate < 0 || o.MutexFraction < 0 || o.MemProfileRate < 0 {
		return nil, fmt.Errorf("prepare the agent: rates %v, %d and %d: give no negative rate", o.BlockRate, o.MutexFraction, o.MemProfileRate)
	}
	dir, err := makeDir()
	if err != nil {
		return nil, fmt.Errorf("prepare the agent: %w", err)
	}
	secret := make([]byte, 16)
	rand.Read(secret)
	a := &Agent{dir: dir, token: hex.EncodeToString(secret)}
	text, err := json.Marshal(environment{
		Dir: dir, Token: a.token, Serve: o.Serve, Continuous: o.Continuous, Trace: o.Trace,
		BlockRateNs: o.BlockRate.Nanoseconds(), MutexFraction: o.MutexFraction, MemProfileRate: o.MemProfileRate,
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, ticket), nil, 0o600)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the agent: %w", err), a.Remove())
	}
	a.env = "WHET_AGENT=" + string(text)
	return a, nil
}

// makeDir makes the directory where its socket's path is short enough: in the
// system's own place for temporary files when TMPDIR is a long one.
func makeDir() (string, error) {
	for _, parent := range []string{"", "/tmp"} {
		dir, err := os.MkdirTemp(parent, "whet-")
		if err != nil {
			return "", fmt.Errorf("make its directory: %w: set TMPDIR to a writable directory", err)
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return "", err
		}
		if len(filepath.Join(dir, socket)) <= maxSocket {
			return dir, nil
		}
		if err := os.Remove(dir); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("the path of %s is too long for a socket: set TMPDIR to a shorter path", os.TempDir())
}

// Env returns the entry for the environment of the process, KEY=value.
func (a *Agent) Env() string { return a.env }

// Dir returns the directory that the agent writes to, and Socket the socket that it
// serves; Token is the token of its requests.
func (a *Agent) Dir() string    { return a.dir }
func (a *Agent) Socket() string { return filepath.Join(a.dir, socket) }
func (a *Agent) Token() string  { return a.token }

// Started reports whether a process took the agent's settings.
func (a *Agent) Started() bool {
	_, err := os.Lstat(filepath.Join(a.dir, ticket))
	return errors.Is(err, fs.ErrNotExist)
}

// Remove removes the directory and its files.
func (a *Agent) Remove() error { return os.RemoveAll(a.dir) }
