package worktree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Commit returns the full name of a revision's commit. The error for an unknown
// revision suggests similar names.
func (r *Repo) Commit(ctx context.Context, revision string) (string, error) {
	if revision == "" || strings.HasPrefix(revision, "-") || strings.ContainsAny(revision, "\x00\n") {
		return "", fmt.Errorf("%q is not a revision", printable(revision))
	}
	named, err := r.git(ctx, "rev-parse", "--verify", "--quiet", revision)
	if err == nil {
		// In one go with the name this would be part of what :/text looks for.
		var commit []byte
		if commit, err = r.git(ctx, "rev-parse", "--verify", "--quiet", strings.TrimSpace(string(named))+"^{commit}"); err == nil {
			return strings.TrimSpace(string(commit)), nil
		}
	}
	var refused *refusal
	switch {
	case !errors.As(err, &refused):
		return "", err
	case len(named) > 0 && refused.said != "":
		return "", fmt.Errorf("%s is not a commit: %w", printable(revision), err)
	}
	text := "no revision " + printable(revision)
	switch _, headless := r.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); {
	case headless != nil && strings.HasPrefix(revision, "HEAD"):
		return "", errors.New(text + ": nothing is committed yet: commit, or name two directories")
	case refused.said != "": // an ambiguous short name, a reflog that does not go so far back
		text += ": " + refused.said
	}
	if near := r.near(ctx, revision); len(near) > 0 {
		text += "; there is " + strings.Join(near, ", ")
	}
	if r.shallow {
		text += "; this is a shallow clone: `git fetch --unshallow` fetches the rest of its history"
	}
	return "", errors.New(text)
}

// near returns the names of branches and tags that look most like name.
func (r *Repo) near(ctx context.Context, name string) []string {
	const (
		most   = 3
		looked = 5000
	)
	out, err := r.git(ctx, "for-each-ref", "--format=%(refname:short)", fmt.Sprintf("--count=%d", looked))
	if err != nil {
		return nil
	}
	type candidate struct {
		name     string
		distance int
	}
	var all []candidate
	for ref := range strings.FieldsSeq(string(out)) {
		d := distance(strings.ToLower(name), strings.ToLower(ref))
		if d <= max(1, len(name)/3) || len(name) >= 3 && strings.Contains(ref, name) {
			all = append(all, candidate{printable(ref), d})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.distance - b.distance })
	var names []string
	for _, c := range all[:min(len(all), most)] {
		names = append(names, c.name)
	}
	return names
}

// distance is Levenshtein's: how many bytes must be inserted, deleted or
// replaced to make b of a. Names are cut off where nobody would compare them.
func distance(a, b string) int {
	const most = 100
	a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
