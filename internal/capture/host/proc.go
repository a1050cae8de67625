package host

import (
	"bytes"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxFile bounds what is read of one file of /proc: cpuinfo of a machine with
// many processors is the largest.
const maxFile = 4 << 20

func readFile(root fs.FS, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// cpuModel reads /proc/cpuinfo. x86 and many others name the model; arm64
// numbers its maker and part.
func cpuModel(cpuinfo []byte) string {
	values := cpuValues(cpuinfo)
	for _, key := range []string{"model name", "cpu model", "uarch", "cpu", "Model", "Hardware"} {
		if v := values[key]; v != "" {
			return v
		}
	}
	if maker, part := values["CPU implementer"], values["CPU part"]; maker != "" && part != "" {
		return "implementer " + maker + " part " + part
	}
	return ""
}

// threadsPerCore reads /proc/cpuinfo of x86: "siblings" are a package's processors, "cpu
// cores" its cores. Nil: it does not tell.
func threadsPerCore(cpuinfo []byte) *int {
	values := cpuValues(cpuinfo)
	siblings, err1 := strconv.Atoi(values["siblings"])
	cores, err2 := strconv.Atoi(values["cpu cores"])
	if err1 != nil || err2 != nil || cores <= 0 || siblings < cores {
		return nil
	}
	threads := siblings / cores
	return &threads
}

// cpuValues returns the first values of /proc/cpuinfo, those of one processor, by their keys.
func cpuValues(cpuinfo []byte) map[string]string {
	values := map[string]string{}
	for line := range bytes.Lines(cpuinfo) {
		key, value, ok := strings.Cut(string(line), ":")
		key, value = strings.TrimSpace(key), strings.Join(strings.Fields(value), " ")
		if _, have := values[key]; ok && !have && value != "" {
			values[key] = value
		}
	}
	return values
}

// memTotal reads /proc/meminfo: "MemTotal:  8035840 kB", where kB is 1,024.
func memTotal(meminfo []byte) *int64 {
	for line := range bytes.Lines(meminfo) {
		f := strings.Fields(string(line))
		if len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil && n > 0 && n <= math.MaxInt64>>10 {
				n <<= 10
				return &n
			}
		}
	}
	return nil
}

// parseTicks reads the first line of /proc/stat: user, nice, system, idle,
// iowait, irq, softirq, steal, guest, guest_nice (proc_stat(5)). The last two
// are contained in the first two.
func parseTicks(stat []byte) *ticks {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	f := strings.Fields(string(line))
	if len(f) < 9 || f[0] != "cpu" {
		return nil
	}
	var t ticks
	for i, s := range f[1:9] {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil || t.total+n < t.total {
			return nil
		}
		t.total += n
		switch i {
		case 3, 4: // waiting for a disk is idle too
			t.idle += n
		case 7:
			t.steal = n
		}
	}
	return &t
}

// parseLoad reads the average over one minute from /proc/loadavg.
func parseLoad(loadavg []byte) *float64 {
	f := strings.Fields(string(loadavg))
	if len(f) < 3 {
		return nil
	}
	v, err := strconv.ParseFloat(f[0], 64)
	if err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// swapped reads pages in and out, since the machine started, from /proc/vmstat.
func swapped(vmstat []byte) *int64 {
	var sum *int64
	for line := range bytes.Lines(vmstat) {
		f := strings.Fields(string(line))
		if len(f) != 2 || f[0] != "pswpin" && f[0] != "pswpout" {
			continue
		}
		if n, err := strconv.ParseInt(f[1], 10, 64); err == nil && n >= 0 {
			if sum == nil {
				sum = new(int64)
			}
			*sum += n
		}
	}
	return sum
}

// Governors returns the frequency governors of the processors below root, each once,
// without "performance", which keeps the frequency constant.
func Governors(root fs.FS) []string {
	files, _ := fs.Glob(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	var out []string
	for _, f := range files {
		data, err := readFile(root, f)
		name := strings.TrimSpace(string(data))
		if err == nil && name != "" && name != "performance" && len(name) < 32 && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
