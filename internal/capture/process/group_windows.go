package process

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object: killing it kills every process in it, and so does
// closing its last handle, also when that happens because we were killed.
// A child that the command starts before it was assigned to the job escapes.
type group struct {
	job windows.Handle
	pid uint32
}

func newGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		windows.CloseHandle(job)
		return nil, os.NewSyscallError("SetInformationJobObject", err)
	}
	return &group{job: job}, nil
}

func (g *group) started(p *os.Process) {
	g.pid = uint32(p.Pid)
	// Fails only for a process that has ended already.
	_ = p.WithHandle(func(handle uintptr) {
		_ = windows.AssignProcessToJobObject(g.job, windows.Handle(handle))
	})
}

func (g *group) terminate() { _ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, g.pid) }
func (g *group) quit()      { g.terminate() }
func (g *group) kill()      { _ = windows.TerminateJobObject(g.job, 1) }
func (g *group) close()     { windows.CloseHandle(g.job) }

func (g *group) awaits() bool { return false }
func (g *group) await(int)    {}

func exitSignal(*os.ProcessState) string { return "" }
func peakRSS(*os.ProcessState) int64     { return 0 }
func ownPeakRSS() int64                  { return 0 }
func peakNow(int) int64                  { return 0 }
