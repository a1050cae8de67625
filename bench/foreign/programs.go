package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// program is one that is traced.
type program struct {
	ProgramTrace
	take func(ctx context.Context, m *measurer, p *program, out string) error
}

// programs are the programs whose traces are read: Go's compiler, a web server with HTTP/2,
// the benchmark of a key-value store, a static file server, the test of a message broker.
var programs = []program{
	{ProgramTrace{Name: "go build", What: "the compiler on net/http, -traceprofile"}, takeCompiler},
	{ProgramTrace{Name: "caddy", Module: "github.com/caddyserver/caddy/v2", Version: "v2.11.9", What: "gzips a text of 256 KiB over HTTP/2 (h2c), 8 connections of 4 streams, for 1 s"}, takeCaddy},
	{ProgramTrace{Name: "bbolt", Module: "go.etcd.io/bbolt", Version: "v1.5.0", What: "BenchmarkDBBatch: 1,000 goroutines that write, one transaction each or in batches"}, takeBolt},
	{ProgramTrace{Name: "fasthttp fileserver", Module: "github.com/valyala/fasthttp", Version: "v1.73.0", What: "its example, a file of 64 KiB over HTTP/1.1, 16 connections, for 1 s"}, takeFiles},
	{ProgramTrace{Name: "nats-server", Module: "github.com/nats-io/nats-server/v2", Version: "v2.15.3", What: "tests of queue subscribers and requests across clustered servers, package test"}, takeBroker},
}

// checkout copies a module out of the module cache.
func (m *measurer) checkout(ctx context.Context, p *program) (string, error) {
	dir := filepath.Join(m.tmp, strings.NewReplacer("/", "_").Replace(p.Module))
	out, err := m.output(ctx, m.tmp, "go", "mod", "download", "-json", p.Module+"@"+p.Version)
	if err != nil {
		return "", err
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, os.DirFS(got.Dir))
}

func takeCompiler(ctx context.Context, m *measurer, p *program, out string) error {
	_, err := m.output(ctx, m.tmp, "go", "build", "-gcflags=net/http=-traceprofile="+out, "net/http")
	return err
}

// test runs tests of a package of the module and traces them.
func (m *measurer) test(ctx context.Context, p *program, pkg, out string, args ...string) error {
	dir, err := m.checkout(ctx, p)
	if err != nil {
		return err
	}
	binary := filepath.Join(m.tmp, "test.exe")
	if _, err := m.output(ctx, dir, "go", "test", "-c", "-o", binary, pkg); err != nil {
		return err
	}
	_, err = m.output(ctx, filepath.Join(dir, pkg), binary, append(args, "-test.trace", out)...)
	return err
}

func takeBolt(ctx context.Context, m *measurer, p *program, out string) error {
	return m.test(ctx, p, ".", out, "-test.run", "^$", "-test.bench", "DBBatch", "-test.benchtime", "1x")
}

func takeBroker(ctx context.Context, m *measurer, p *program, out string) error {
	return m.test(ctx, p, "./test", out, "-test.run", "^TestRequestsAcrossRoutes|^TestQueueDistributionAcrossRoutes$|^TestClusterQueueSubs$|^TestNewRouteQueueSubsDistribution$|^TestServerRestartAndQueueSubs$")
}

func takeCaddy(ctx context.Context, m *measurer, p *program, out string) error {
	dir, err := m.checkout(ctx, p)
	if err != nil {
		return err
	}
	root := filepath.Join(m.tmp, "caddy-root")
	if err := text(filepath.Join(root, "page.txt"), 256<<10); err != nil {
		return err
	}
	service, admin := free(), free()
	config := fmt.Sprintf(`{"admin":{"listen":%q},"logging":{"logs":{"default":{"level":"ERROR"}}},"storage":{"module":"file_system","root":%q},"apps":{"http":{"servers":{"s":{"listen":[%q],"automatic_https":{"disable":true},"protocols":["h1","h2c"],"routes":[{"handle":[{"handler":"encode","encodings":{"gzip":{}}},{"handler":"file_server","root":%q}]}]}}}}}`,
		admin, root, service, root)
	file := filepath.Join(m.tmp, "caddy.json")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return err
	}
	return m.serve(ctx, dir, "./cmd/caddy", []string{"run", "--config", file}, "http://"+service+"/page.txt", "http://"+admin+"/debug/pprof/trace?seconds=1", out,
		"-h2c", "-c", "32", "-streams", "4", "-H", "Accept-Encoding: gzip")
}

// traced gives a program an address for its trace.
const traced = `package main

import (
	"net/http"
	"net/http/pprof"
	"os"
)

func init() {
	go http.ListenAndServe(os.Getenv("TRACE_ADDRESS"), http.HandlerFunc(pprof.Trace))
}
`

func takeFiles(ctx context.Context, m *measurer, p *program, out string) error {
	dir, err := m.checkout(ctx, p)
	if err != nil {
		return err
	}
	root := filepath.Join(m.tmp, "files-root")
	if err := text(filepath.Join(root, "page.txt"), 64<<10); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "examples/fileserver/zz_traced.go"), []byte(traced), 0o600); err != nil {
		return err
	}
	service, trace := free(), free()
	m.env = []string{"TRACE_ADDRESS=" + trace}
	return m.serve(ctx, dir, "./examples/fileserver", []string{"-addr", service, "-dir", root}, "http://"+service+"/page.txt", "http://"+trace+"/?seconds=1", out, "-c", "16")
}

// serve builds and starts a service, loads it with whet load and takes its trace meanwhile.
func (m *measurer) serve(ctx context.Context, dir, pkg string, args []string, url, traceURL, out string, load ...string) error {
	binary := filepath.Join(m.tmp, "service.exe")
	if _, err := m.output(ctx, dir, "go", "build", "-o", binary, pkg); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	service := exec.CommandContext(ctx, binary, args...)
	service.Dir, service.Env = m.tmp, append(os.Environ(), append(m.env, "HOME="+m.tmp)...)
	if err := service.Start(); err != nil {
		return err
	}
	defer func() {
		stop()
		service.Wait()
	}()
	if err := answers(ctx, url); err != nil {
		return err
	}
	loaded := make(chan error, 1)
	loading, end := context.WithCancel(ctx)
	go func() {
		_, err := m.output(loading, m.tmp, m.whet, append(append([]string{"load", "-d", "60s"}, load...), url)...)
		loaded <- err
	}()
	err := fetch(ctx, traceURL, out)
	end()
	<-loaded
	return err
}

// answers waits until a service does.
func answers(ctx context.Context, url string) error {
	for {
		resp, err := http.Get(url)
		if err == nil {
			resp.Body.Close()
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the service does not answer: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func fetch(ctx context.Context, url, out string) error {
	// The load has begun by then.
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(2 * time.Second):
	}
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, resp.Body); err != nil {
		return err
	}
	return f.Close()
}

// free returns an address of this machine that nothing listens on.
func free() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "127.0.0.1:0"
	}
	defer l.Close()
	return l.Addr().String()
}

// text writes a file of so many bytes that compresses as prose does.
func text(name string, size int) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "Line %d of a page that is %d times as long, %x.\n", i, i*i%977, i*2654435761%1000003)
	}
	return os.WriteFile(name, []byte(b.String()[:size]), 0o600)
}
