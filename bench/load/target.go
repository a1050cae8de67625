package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/capture/process"
	"whet/internal/load"
)

// answer is the body of every answer of both targets.
const answer = "whet is whetting\n"

// target is a server that runs, on the processor that the generators leave it.
type target struct {
	name    string
	url     string
	h2      string // of nginx, over HTTP/2 without TLS
	running *process.Running
	stdin   io.Closer // what the server reads; its end ends it
}

// cpu returns what the target has used so far.
func (t *target) cpu() (time.Duration, error) {
	used, ok := process.GroupCPU(t.running.PID())
	if !ok {
		return 0, fmt.Errorf("the system does not tell how much CPU time %s has used", t.name)
	}
	return used, nil
}

func (t *target) stop() {
	if t.stdin != nil {
		t.stdin.Close()
	}
	t.running.Stop()
}

// bench is what stands around all rounds: the programs, and a directory for
// what they need.
type bench struct {
	dir       string // temporary
	whet      string // built
	server    string // built
	generator []int  // processors
	target    []int
	length    time.Duration // of one run
	viaLoad   bool          // this program drives by package load instead of whet
	started   func(pid int) // of the next generator; nil: nothing
}

func newBench(ctx context.Context, length time.Duration, processors []int, viaLoad bool) (*bench, error) {
	for _, tool := range []string{"wrk", "hey", "h2load", "nginx"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("%s is not on the PATH: on Debian, apt-get install wrk hey nghttp2-client nginx-light", tool)
		}
	}
	if len(processors) < 2 {
		return nil, fmt.Errorf("two processors are needed, one for the generator and one for its target, but of this system %d are known", len(processors))
	}
	dir, err := os.MkdirTemp("", "whet-bench-load-")
	if err != nil {
		return nil, err
	}
	b := &bench{
		dir: dir, length: length, viaLoad: viaLoad,
		target: processors[:1], generator: processors[1:2],
		whet: filepath.Join(dir, "whet"), server: filepath.Join(dir, "server"),
	}
	for _, build := range [][2]string{{"./cmd/whet", b.whet}, {"./bench/load/server", b.server}} {
		if err := ledger.Build(ctx, build[0], build[1]); err != nil {
			b.close()
			return nil, err
		}
	}
	if err := b.certificate(); err != nil {
		b.close()
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// certificate makes a self-signed one with a P-256 key, as most sites have.
func (b *bench) certificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "whet bench"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(b.dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// start starts a target by name, "nginx" or "net/http".
func (b *bench) start(ctx context.Context, name string, secure bool) (*target, error) {
	var t *target
	var err error
	if name == "nginx" {
		t, err = b.nginx(secure)
	} else {
		t, err = b.netHTTP(secure)
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	if err := ready(ctx, t); err != nil {
		t.stop()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return t, nil
}

// nginx answers with a constant from its configuration, by one worker.
func (b *bench) nginx(secure bool) (*target, error) {
	ports, err := load.FreePorts(2)
	if err != nil {
		return nil, err
	}
	scheme, listen, ssl := "http", fmt.Sprintf("127.0.0.1:%d", ports[0]), ""
	if secure {
		scheme, listen = "https", listen+" ssl"
		ssl = "ssl_certificate cert.pem; ssl_certificate_key key.pem; ssl_protocols TLSv1.2 TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;" // OpenSSL and Go would choose two
	}
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;" // else its worker may not enter the temporary directory
	}
	config := fmt.Sprintf(`%s
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid %[2]s/nginx.pid;
error_log %[2]s/nginx.log crit;
events { worker_connections 16384; }
http {
	access_log off;
	keepalive_requests 1000000000;
	keepalive_timeout 1h;
	http2_max_concurrent_streams 256;
	client_body_temp_path %[2]s/body; proxy_temp_path %[2]s/proxy; fastcgi_temp_path %[2]s/fastcgi;
	uwsgi_temp_path %[2]s/uwsgi; scgi_temp_path %[2]s/scgi;
	server {
		listen %[3]s backlog=4096;
		listen 127.0.0.1:%[6]d http2;
		%[4]s
		default_type text/plain;
		location / { return 200 "%[5]s"; }
	}
}
`, user, b.dir, listen, ssl, strings.ReplaceAll(answer, "\n", `\n`), ports[1])
	file := filepath.Join(b.dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	running, err := process.Start(process.Command{
		Path: "nginx", Args: []string{"-p", b.dir, "-c", file, "-e", filepath.Join(b.dir, "nginx.log")}, Processors: b.target, Stderr: os.Stderr,
	})
	if err != nil {
		return nil, err
	}
	return &target{name: "nginx", url: fmt.Sprintf("%s://127.0.0.1:%d/", scheme, ports[0]), h2: fmt.Sprintf("http://127.0.0.1:%d/", ports[1]), running: running}, nil
}

// netHTTP is bench/load/server.
func (b *bench) netHTTP(secure bool) (*target, error) {
	args := []string{"-answer", answer}
	if secure {
		args = append(args, "-cert", filepath.Join(b.dir, "cert.pem"), "-key", filepath.Join(b.dir, "key.pem"))
	}
	input, stdin := io.Pipe()
	out, stdout := io.Pipe()
	running, err := process.Start(process.Command{Path: b.server, Args: args, Processors: b.target, Stdin: input, Stdout: stdout, Stderr: os.Stderr})
	if err != nil {
		return nil, err
	}
	t := &target{name: "net/http", running: running, stdin: stdin}
	go func() {
		<-running.Done()
		stdout.Close()
		input.Close()
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	go io.Copy(io.Discard, out)
	if err != nil {
		t.stop()
		return nil, fmt.Errorf("it says no address: %w", err)
	}
	t.url = strings.TrimSpace(url)
	return t, nil
}

// ready waits until the target answers.
func ready(ctx context.Context, t *target) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // this program made the certificate
	}}
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(r)
		if err == nil {
			body, readErr := io.ReadAll(io.LimitReader(resp.Body, 1000))
			resp.Body.Close()
			if readErr != nil || resp.StatusCode != http.StatusOK || string(body) != answer {
				return fmt.Errorf("it answers %s, %q", resp.Status, body)
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w", err)
		case <-t.running.Done():
			return fmt.Errorf("it has ended: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
