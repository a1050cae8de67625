package tune

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"whet/internal/capture"
	"whet/internal/capture/process"
	"whet/internal/dotwhet"
	loadformat "whet/internal/format/load"
	"whet/internal/gobench"
	"whet/internal/load"
	"whet/internal/loadresult"
	"whet/internal/program"
	"whet/internal/quantity"
	"whet/internal/record"
	"whet/internal/recording"
)

// ServiceOptions configure the measurement of a server under load. Start from
// DefaultServiceOptions.
type ServiceOptions struct {
	Common

	Load  load.Options
	Pprof string        // base address of the instruments; "" is that of the load
	Ready time.Duration // how long the server may take until it answers
	// Patience is the time for profiles beyond the load's end: a target that hangs must
	// not delay its own end.
	Patience time.Duration
	// TracePass is the duration of the second load for execution traces; 0: as computed
	// by passTime; negative: no second load, and the trace is taken during the first.
	TracePass time.Duration
	// Server is the command that starts the server: a main package's directory,
	// which is built with the agent in it, or a program; and its arguments.
	// Empty: it runs already.
	Server []string
}

// DefaultServiceOptions returns the default options of whet tune for a service.
func DefaultServiceOptions() ServiceOptions {
	o := ServiceOptions{Common: Common{Dir: ".", Now: time.Now}, Load: load.DefaultOptions(), Ready: 30 * time.Second, Patience: 15 * time.Second}
	o.Load.Concurrency, o.Load.Duration, o.Load.Warmup = 64, 20*time.Second, 5*time.Second
	return o
}

// shortestLoad leaves each instrument its second.
const shortestLoad = 3 * time.Second

// Validate reports the first option that cannot be used.
func (o *ServiceOptions) Validate() error {
	if err := o.Load.Validate(); err != nil {
		return err
	}
	switch {
	case o.Load.Duration < shortestLoad:
		return fmt.Errorf("-d %v is too short for a CPU profile and a trace: give at least %v", o.Load.Duration, shortestLoad)
	case o.Ready <= 0:
		return fmt.Errorf("-ready %v: give a positive time", o.Ready)
	case len(o.Server) > 0 && o.Server[0] == "":
		return errors.New("the command after -- is empty: name the server's package or program")
	}
	return o.validateReach()
}

// validateReach checks the options that are used only once the server runs.
func (o *ServiceOptions) validateReach() error {
	if _, err := capture.TLSConfig(o.Load.CAFile, o.Load.Insecure); err != nil {
		return fmt.Errorf("-cacert: %w", err)
	}
	if path, ok := strings.CutPrefix(o.Pprof, unixPrefix); o.Pprof == "" || ok && path != "" {
		return nil
	}
	u, err := url.Parse(o.Pprof)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Errorf("-pprof %q: give a URL like http://localhost:6060, or unix:/path of an agent's socket", recording.Redacted(o.Pprof))
	}
	return nil
}

// unixPrefix precedes the path of a socket, as in agent.Config.Listen.
const unixPrefix = "unix:"

// serviceRecorder is a run of RecordService.
type serviceRecorder struct {
	session
	o      ServiceOptions
	result loadformat.Service
	taken  instrumentData
	costs  []Cost // of RecordCost

	server *running       // nil: it runs already, or does no more
	agent  *program.Agent // in it; nil: none
	loaded bool           // load was driven
}

// RecordService drives a server with load, takes its profiles meanwhile, and writes the
// recording. Errors are as for Record.
func RecordService(ctx context.Context, o ServiceOptions) (Outcome, error) {
	o.Load.Now = o.Now
	if err := o.Validate(); err != nil {
		return Outcome{}, err
	}
	o.Load.Loops = loops(&o.Load, len(o.Server) > 0, runtime.GOMAXPROCS(0))
	r := &serviceRecorder{session: newSession(o.Common), o: o}
	if err := r.create(recording.TargetService, dotwhet.Name("", serviceName(o.Load.URL))); err != nil {
		return Outcome{}, err
	}
	defer r.w.Discard()
	err := r.record(ctx)
	return r.measured(ctx, err, r.loaded)
}

// loops returns the number of event loops that drive the load. On a machine of its own
// the generator has one for each processor, which is 0. On the server's machine it
// takes processor time from the server, and a loop with few connections wakes up for
// each response: there it gets at most half of the processors, and no loop with fewer
// than connectionsALoop. That is enough for the load to stay ahead, because reading a
// response takes a fraction of the time of making it; if it is not, the result says
// that the generator was the bottleneck.
func loops(o *load.Options, started bool, processors int) int {
	if o.Loops > 0 || !started && !sameHost(o.URL, "http://localhost") {
		return o.Loops
	}
	return max(min(processors/2, o.Concurrency/connectionsALoop), 1)
}

const connectionsALoop = 16

func (r *serviceRecorder) record(ctx context.Context) error {
	defer r.stopServer()
	if err := r.prepare(ctx); err != nil {
		return err
	}
	target, err := r.reach(ctx)
	if err != nil {
		return err
	}
	err = r.measure(ctx, target)
	if target != nil {
		target.Close()
	}
	r.stopServer()
	loadformat.ServicePart.Set(&r.w.Manifest, &r.result)
	r.store(&r.taken)
	r.w.AddOutput(r.out.Bytes())
	if r.target != nil {
		r.addSources(ctx, err != nil)
	}
	return err
}

// prepare builds and starts the server, where there is one to start, and finds
// the source of one that runs already.
func (r *serviceRecorder) prepare(ctx context.Context) error {
	if len(r.o.Server) == 0 {
		r.findSources(ctx)
		r.describe(nil)
		r.w.Manifest.Host.GOMAXPROCS = 0 // until the target says it
		return nil
	}
	name, args := r.o.Server[0], r.o.Server[1:]
	command := process.Command{Path: name, Args: args, Dir: r.c.Dir, Grace: grace, Stdout: r.out, Stderr: r.out}
	var env []string
	if isPackage(r.c.Dir, name) {
		if err := r.buildServer(ctx, name); err != nil {
			return err
		}
		a, err := program.NewAgent(program.Options{Serve: true, BlockRate: blockRate, MutexFraction: mutexFraction})
		if err != nil {
			return err
		}
		r.agent = a
		command.Path, env = r.bin.Path, []string{a.Env()}
	} else {
		r.findSources(ctx)
	}
	r.describe(args)
	if r.bin != nil {
		r.addDiff(ctx)
	}
	r.progress(Progress{Stage: "starting the server"})
	if answers(ctx, r.o.Load) {
		r.w.Warn("%s answered before the command was started: another server may have received the load; stop it", recording.Redacted(r.o.Load.URL))
	}
	server, err := start(command, env...)
	switch {
	case process.NotFound(err):
		return fmt.Errorf("start %s: no such program; name a Go package by its directory, as in -- ./cmd/server", name)
	case err != nil:
		return fmt.Errorf("start %s: %w", name, err)
	}
	r.server, r.result.Started, r.result.Args = server, true, args
	return nil
}

// answers reports whether a server runs already. One that accepts connections has
// time for its answer, as a busy machine needs it.
func answers(ctx context.Context, o load.Options) bool {
	ctx, refused := context.WithCancel(ctx)
	defer refused()
	return load.Ready(ctx, o, 2*time.Second, func(last string) {
		if last == loadresult.Refused {
			refused()
		}
	}) == nil
}

func (r *serviceRecorder) buildServer(ctx context.Context, name string) error {
	if err := r.resolve(ctx, name); err != nil {
		return err
	}
	r.rename(dotwhet.Name(r.target.Family(), r.target.ImportPath))
	r.progress(Progress{Stage: "building the server"})
	return r.addBinary(binaryName(r.target), func(out string) (*gobench.Binary, error) {
		return program.Build(ctx, r.target, r.build, out)
	})
}

// findSources takes the user's module as the server's: the files named by its profiles
// are looked for there.
func (r *serviceRecorder) findSources(ctx context.Context) {
	t, err := gobench.Module(ctx, r.c.Dir, r.build)
	if err != nil {
		return // outside of any module: profiles name files that nothing is known of
	}
	r.target = t
	r.frames = record.NewFrames(t, &gobench.Binary{}, r.origin)
}

// isPackage reports whether a command is the directory of a Go package.
func isPackage(dir, name string) bool {
	if !filepath.IsAbs(name) {
		if name != "." && name != ".." && !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
			return false
		}
		name = filepath.Join(dir, name)
	}
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

// reach waits until the server answers, and finds its instruments.
func (r *serviceRecorder) reach(ctx context.Context) (*capture.Target, error) {
	r.progress(Progress{Stage: "waiting for an answer"})
	waiting, stop := r.whileServed(ctx)
	defer stop()
	if err := load.Ready(waiting, r.o.Load, r.o.Ready, func(last string) {
		r.progress(Progress{Stage: fmt.Sprintf("%s, waiting up to %s s", last, quantity.Count(r.o.Ready.Seconds()))})
	}); err != nil {
		if dead := r.died(); dead != nil {
			return nil, dead
		}
		return nil, err
	}
	o := capture.TargetOptions{Base: r.o.Pprof, CAFile: r.o.Load.CAFile, Insecure: r.o.Load.Insecure, Now: r.c.Now,
		Patience: -1} // a profiler in use is waited for during the load
	socket, isSocket := strings.CutPrefix(r.o.Pprof, unixPrefix)
	switch {
	case r.agent != nil:
		o.Base, o.Socket, o.Token = "", r.agent.Socket(), r.agent.Token()
	case isSocket:
		o.Base, o.Socket, o.Header = "", socket, r.o.Load.Header // the user chose the listener
	default:
		if o.Base == "" {
			o.Base = origin(r.o.Load.URL)
		}
		if sameHost(o.Base, r.o.Load.URL) {
			o.Header = r.o.Load.Header
		}
	}
	target, err := capture.Find(ctx, o)
	switch {
	case err == nil:
		r.result.Instruments, r.result.Pprof = target.Kind, target.Address()
		if n := target.GOMAXPROCS(); n > 0 {
			r.w.Manifest.Host.GOMAXPROCS = n
		}
		return target, nil
	case r.o.Pprof != "" || ctx.Err() != nil:
		return nil, err // the user said where they are
	}
	// The load alone is a result: the state of the server is unknown.
	r.result.Instruments = "none"
	r.w.Manifest.Unknown = append(r.w.Manifest.Unknown, recording.Unknown{
		What: "where the server spends its time and memory", Why: err.Error(),
		How: `start it through whet (whet tune URL -- ./cmd/server), or import _ "net/http/pprof" in it and give its URL with -pprof`})
	return nil, nil
}

// whileServed returns a context that ends with the server too.
func (r *serviceRecorder) whileServed(ctx context.Context) (context.Context, func()) {
	if r.server == nil {
		return context.WithCancel(ctx)
	}
	return r.server.While(ctx)
}

// died says how a server ended that should not have.
func (r *serviceRecorder) died() error {
	if r.server == nil || !r.server.Ended() {
		return nil
	}
	r.server.stop()
	said := process.LastWords(r.out.Bytes())
	if said != "" {
		said = ": " + said
	}
	return errors.New("the server " + r.server.Early(said))
}

// stopServer ends the started server with all its process group. It may be called
// again.
func (r *serviceRecorder) stopServer() {
	if r.server != nil {
		alive := !r.server.Ended()
		if alive {
			r.progress(Progress{Stage: "stopping the server"})
		}
		if res := r.server.stop(); res != nil {
			if alive && res.Signal == "killed" {
				r.w.Warn("the server did not end within %v of SIGTERM, and was killed", grace)
			}
			if r.result.TargetPeakBytes == nil && res.MaxRSSBytes > 0 {
				r.result.TargetPeakBytes = &res.MaxRSSBytes
			}
			r.addGC(r.server.gc, "", r.w.Since(res.Start))
		}
		r.server = nil
	}
	if r.agent != nil {
		r.agent.Remove()
		r.agent = nil
	}
}
