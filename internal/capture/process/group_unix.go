//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// group is the process group that the command leads.
type group struct{ pgid int }

func newGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithUs(cmd.SysProcAttr)
	return &group{}, nil
}

func (g *group) started(p *os.Process) { g.pgid = p.Pid }

// An error of kill means that the group is gone, which is what was wanted.
func (g *group) terminate() { _ = syscall.Kill(-g.pgid, syscall.SIGTERM) }
func (g *group) quit()      { _ = syscall.Kill(g.pgid, syscall.SIGQUIT) }
func (g *group) kill()      { _ = syscall.Kill(-g.pgid, syscall.SIGKILL) }
func (g *group) close()     {}

func exitSignal(st *os.ProcessState) string {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal().String()
	}
	return ""
}
