package load

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"whet/internal/load/engine"
)

// The tables as a kernel printed them: nginx on 0.0.0.0:80, a server on
// 127.0.0.1:8080, a connection to it, and one on [::1]:8080.
const tcpTable = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 18001 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 18002 1 0000000000000000 100 0 0 10 0
   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 18003 1 0000000000000000 20 4 30 10 -1
`

const tcp6Table = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 18004 1 0000000000000000 100 0 0 10 0
`

const unixTable = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 20001 /run/x.sock
0000000000000000: 00000003 00000000 00000000 0001 03 20002 /run/x.sock
0000000000000000: 00000002 00000000 00010000 0001 01 20003
`

func TestListening(t *testing.T) {
	for _, c := range []struct {
		table string
		ip    string
		port  uint16
		want  []string
	}{
		{tcpTable, "127.0.0.1", 8080, []string{"18002"}},
		{tcpTable, "127.0.0.1", 80, []string{"18001"}},
		{tcpTable, "10.0.0.1", 8080, nil},
		{tcpTable, "", 8080, []string{"18002"}},
		{tcp6Table, "", 8080, []string{"18004"}},
		{tcp6Table, "::1", 8080, []string{"18004"}},
		{tcp6Table, "127.0.0.1", 8080, nil},
		{"garbage\n0: x:y z 0A a b c d e f\n", "", 8080, nil},
	} {
		if got := listeningTCP([]byte(c.table), net.ParseIP(c.ip), c.port); !slices.Equal(got, c.want) {
			t.Errorf("%s port %d: %v, want %v", c.ip, c.port, got, c.want)
		}
	}
	if got := listeningUnix([]byte(unixTable), "/run/x.sock"); !slices.Equal(got, []string{"20001"}) {
		t.Errorf("%v", got)
	}
}

func TestProcessors(t *testing.T) {
	p, ok := parseProcessors("0-2,8,130")
	if !ok || p.count() != 5 || p[0] != 0b1_0000_0111 || p[2] != 4 {
		t.Errorf("%v %v", p, ok)
	}
	q, _ := parseProcessors("2,9")
	if both, either := p.both(q), p.either(q); both.count() != 1 || both[0] != 4 || either.count() != 6 {
		t.Errorf("both %v, either %v", both, either)
	}
	for _, bad := range []string{"", "a", "2-1", "-1", "0-9999999999", "1024"} {
		if _, ok := parseProcessors(bad); ok {
			t.Errorf("%q are processors", bad)
		}
	}
}

// Of processor 1: 30 + 5 + 20 + 1 + 2 + 4 of 162 hundredths were used; of both
// 15 + 62 of 1077.
func TestParseUsage(t *testing.T) {
	const table = "cpu  40 5 25 1000 0 1 2 4 9 9\ncpu0 10 0 5 900 0 0 0 0 0 0\ncpu1 30 5 20 90 10 1 2 4 9 9\nintr 7\n"
	for _, c := range []struct {
		of   string
		want usage
	}{{"1", usage{62 * tick, 162 * tick}}, {"0-1", usage{77 * tick, 1077 * tick}}, {"2", usage{}}} {
		of, _ := parseProcessors(c.of)
		if got := parseUsage([]byte(table), of); got != c.want {
			t.Errorf("processors %s: %v, want %v", c.of, got, c.want)
		}
	}
	own, ok := ownProcessors()
	if u := usageOf(own); !ok || u.used <= 0 || u.all < u.used {
		t.Errorf("%v", u)
	}
}

// This process is found as the one that listens.
func TestFindTarget(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	socket := filepath.Join(t.TempDir(), "s")
	unix, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close()
	for _, a := range []engine.Address{{Network: "tcp", Dial: tcp.Addr().String()}, {Network: "unix", Dial: socket}} {
		found := findTarget([]engine.Address{a})
		if !found.known || !found.here || !found.own || !slices.Equal(found.pids, []int{os.Getpid()}) || found.ours != found.theirs || found.ours.count() == 0 {
			t.Errorf("%v: %+v", a, found)
		}
	}
	if far := findTarget([]engine.Address{{Network: "tcp", Dial: "192.0.2.1:80"}}); !far.known || far.here {
		t.Errorf("far: %+v", far)
	}
	if none := findTarget([]engine.Address{{Network: "tcp", Dial: "127.0.0.1:1"}}); none.known {
		t.Errorf("nobody listens: %+v", none)
	}
	here := engine.Address{Network: "tcp", Dial: tcp.Addr().String()}
	if most := findTarget(slices.Repeat([]engine.Address{here}, mostTargets)); !most.known {
		t.Errorf("%d addresses: %+v", mostTargets, most)
	}
	if many := findTarget(slices.Repeat([]engine.Address{here}, mostTargets+1)); many.known {
		t.Errorf("more addresses: %+v", many)
	}
	if name := findTarget([]engine.Address{{Network: "tcp", Dial: "a.example:80"}}); name.known {
		t.Errorf("a name: %+v", name)
	}
	if processTime(os.Getpid()) < 0 || processTime(-1) >= 0 {
		t.Error("no time of this process, or one of none")
	}
}

func BenchmarkFindTarget(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	a := []engine.Address{{Network: "tcp", Dial: l.Addr().String()}}
	for b.Loop() {
		findTarget(a)
	}
}

// Threads that wait for a processor say for how long, in the second of three figures.
func TestQueues(t *testing.T) {
	for text, want := range map[string]time.Duration{"25 1000 3\n": time.Microsecond, "0 0 0\n": 0, "": -1, "1 2\n": -1, "1 x 2\n": -1, "1 -5 2": -1} {
		if got, ok := parseQueue([]byte(text)); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	c := newSelfCheck(nil, 1)
	c.queue() // nothing was read yet
	if c.queued != 0 {
		t.Errorf("waited for %v before the load", c.queued)
	}
	if c.begin(0); c.threads == nil {
		t.Skip("the kernel does not say how long threads wait")
	}
	// Each thread waited for an hour less at the last look than it has now. One may
	// have ended since, and then counts no more.
	for thread := range c.threads {
		c.threads[thread] -= time.Hour
	}
	if c.queue(); c.queued < time.Hour {
		t.Errorf("waited for %v, want an hour for each thread", c.queued)
	}
	if n := testing.AllocsPerRun(100, c.queue); n != 0 {
		t.Errorf("a look allocates %v times", n)
	}
}

// The threads are those that package os finds, and their times lie between what it reads
// before and after.
func TestThreads(t *testing.T) {
	read := func() map[int]time.Duration {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		out := make(map[int]time.Duration)
		for _, thread := range threads {
			n, err := strconv.Atoi(thread.Name())
			if err != nil {
				t.Fatal(err)
			}
			var running, waited, times int64
			if _, err := fmt.Sscan(string(readProc("/proc/self/task/"+thread.Name()+"/schedstat")), &running, &waited, &times); err == nil {
				out[n] = time.Duration(waited)
			}
		}
		return out
	}
	before := read()
	if len(before) == 0 {
		t.Skip("the kernel does not say how long threads wait")
	}
	got := map[int]time.Duration{-1: 0}
	new(queues).read(got)
	for thread, last := range read() {
		first, ok := before[thread]
		if waited, found := got[thread]; ok && (!found || waited < first || waited > last) {
			t.Errorf("thread %d: waited for %v (%v), before for %v, after for %v", thread, waited, found, first, last)
		}
	}
	if _, old := got[-1]; old {
		t.Error("a thread of the last look is left")
	}
}

// FuzzDirentName: names are those that package syscall finds in as many bytes.
func FuzzDirentName(f *testing.F) {
	d, err := os.Open("/proc/self")
	if err != nil {
		f.Fatal(err)
	}
	defer d.Close()
	b := make([]byte, 8192)
	n, err := syscall.ReadDirent(int(d.Fd()), b)
	if err != nil || n < 100 {
		f.Fatal(n, err)
	}
	f.Add(b[:n])
	f.Add(b[:n-1])
	f.Add(make([]byte, 40))
	f.Fuzz(func(t *testing.T, b []byte) {
		var names []string
		left := b
		for {
			name, rest := direntName(left)
			if name == nil {
				break
			}
			if len(rest) >= len(left) {
				t.Fatalf("%d bytes are left of %d", len(rest), len(left))
			}
			left = rest
			if s := string(name); s != "." && s != ".." {
				names = append(names, s)
			}
		}
		if _, _, want := syscall.ParseDirent(b[:len(b)-len(left)], -1, nil); !slices.Equal(names, want) {
			t.Errorf("%q, want %q", names, want)
		}
	})
}
