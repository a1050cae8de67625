package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whet/internal/cli"
	"whet/internal/document"
	"whet/internal/dotwhet"
	"whet/internal/gobench"
	"whet/internal/quantity"
	"whet/internal/recording"
	"whet/internal/worktree"
)

// pruneResult is the result for one recording.
type pruneResult struct {
	Recording string `json:"recording"`
	Freed     int64  `json:"freed_bytes"`
	Why       string `json:"why"` // why its binary stays; "" where it went
}

type pruneDocument struct {
	document.Head
	Recordings []pruneResult `json:"recordings"`
}

// pruneRecordings drops the binaries that a build of the tree as it is gives again,
// byte for byte.
func pruneRecordings(ctx context.Context, e *cli.Env, place dotwhet.Dir, asJSON bool) error {
	list, err := place.List()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "whet-prune-")
	if err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	defer os.RemoveAll(tmp)
	at, dirty := "", true
	if text, ok := worktree.Ask(ctx, ".", "rev-parse", "HEAD"); ok {
		at = strings.TrimSpace(text)
		if status, ok := worktree.Ask(ctx, ".", "status", "--porcelain", "-z"); ok {
			dirty = worktree.IsDirty(status)
		}
	}
	doc := pruneDocument{document.New(document.Pruned, nil), []pruneResult{}}
	status := e.Status()
	built := make(map[string][sha256.Size]byte) // by package and flags
	for i := range list {
		status.Show("building " + list[i].Manifest.Build.Package)
		p := pruneResult{Recording: list[i].Path}
		p.Why, err = unlike(ctx, &list[i], at, dirty, filepath.Join(tmp, "x.test"), built)
		if err == nil && p.Why == "" {
			p.Freed, err = recording.DropBinary(list[i].Path, "the binary was dropped: a build of revision "+at+" reproduces it")
			if errors.Is(err, recording.ErrRead) {
				p.Why, err = err.Error(), nil
			}
		}
		if ctx.Err() != nil {
			status.Clear()
			return cli.MeasuringError(ctx.Err(), "interrupted")
		}
		if err != nil {
			p.Why = err.Error()
		}
		doc.Recordings = append(doc.Recordings, p)
	}
	status.Clear()
	if asJSON {
		return document.Write(e.Stdout, &doc)
	}
	if len(doc.Recordings) == 0 {
		_, err := fmt.Fprintln(e.Stdout, dotwhet.None)
		return err
	}
	for _, p := range doc.Recordings {
		text := p.Why
		if p.Why == "" {
			text = "freed " + quantity.Bytes(float64(p.Freed))
		}
		if _, err := fmt.Fprintf(e.Stdout, "%s  %s\n", e.Path(p.Recording), text); err != nil {
			return fmt.Errorf("print what was pruned: %w", err)
		}
	}
	return nil
}

// unlike says why a recording's binary stays, "" where the tree gives it again.
func unlike(ctx context.Context, entry *dotwhet.Entry, at string, dirty bool, out string, built map[string][sha256.Size]byte) (string, error) {
	m := &entry.Manifest
	i := slices.IndexFunc(m.Artifacts, func(a recording.Artifact) bool { return a.Kind == recording.KindBinary })
	switch {
	case i < 0:
		return "it has no binary", nil
	case m.Partial != "":
		return "it is partial", nil
	case m.Kind != recording.TargetBenchmark:
		return "its program was built with whet's agent, so a plain build differs", nil
	case m.Build.Revision == "" || m.Build.Dirty == nil || *m.Build.Dirty:
		return "it was recorded with uncommitted changes", nil
	case at != m.Build.Revision:
		return fmt.Sprintf("it is of revision %.12s, not the current one", m.Build.Revision), nil
	case dirty:
		return "the tree has uncommitted changes", nil
	}
	rec, err := recording.Open(entry.Path)
	if err != nil {
		return "", err
	}
	data, err := rec.Read(m.Artifacts[i])
	rec.Close()
	if err != nil {
		return "", err
	}
	key := fmt.Sprint(m.Build.Package, m.Build.Flags)
	sum, ok := built[key]
	if !ok {
		o := gobench.BuildOptions{Flags: m.Build.Flags}
		target, err := gobench.Resolve(ctx, ".", m.Build.Package, o)
		if err != nil {
			return "", err
		}
		b, err := gobench.Build(ctx, target, o, out)
		if err != nil {
			return "", err
		}
		text, err := os.ReadFile(b.Path)
		if err != nil {
			return "", fmt.Errorf("prune: %w", err)
		}
		sum = sha256.Sum256(recording.Slim(text))
		built[key] = sum
	}
	if sha256.Sum256(recording.Slim(data)) != sum {
		return "a build gives a different binary: Go version, environment or directory differ", nil
	}
	return "", nil
}
