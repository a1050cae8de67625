package exectrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
)

// Limits bound the resources of Read. Reading stops at the first limit, with the result
// so far and a warning.
type Limits struct {
	MaxBytes      int64 // of the trace
	MaxEvents     int   // handed out
	MaxGoroutines int   // that live at once
	MaxFrames     int   // of all distinct stacks together
	MaxStrings    int   // distinct reasons, types of tasks and regions, labels
	MaxBatches    int   // of a generation
}

// DefaultLimits are far above any trace seen: a busy service writes some
// 20 MB, with 4 million events, in a second.
func DefaultLimits() Limits {
	return Limits{MaxBytes: 64 << 30, MaxEvents: 16e9, MaxGoroutines: 4e6, MaxFrames: 1 << 24, MaxStrings: 1 << 20, MaxBatches: 1 << 20}
}

// Source is the source of a trace, read at several offsets at once: a bytes.Reader, or
// an io.SectionReader over a file.
type Source interface {
	io.ReaderAt
	Size() int64
}

// headerSize is the length of "go 1.26 trace\0\0\0".
const headerSize = 16

// newest is the newest format that is known: Go 1.newest writes it.
const newest = 26

// Read passes every event of a trace to each, in batches, and ends early with each's
// error. Other errors give in one line the reason that nothing can be read; if
// something was read, the summary's warnings list what is missing.
func Read(src Source, limits Limits, each func(*Batch) error) (Summary, error) {
	return reading(src, limits, func(j *joiner, from input) error {
		j.each = each
		if from.old != nil {
			return j.readOld(from.old)
		}
		j.most = max(2, runtime.GOMAXPROCS(0))
		return j.readGenerations(from.index, j.start, j.join)
	})
}

// input is the source of a trace's events. Traces in the old format have no
// generations.
type input struct {
	old   *io.SectionReader
	index *index
}

func reading(src Source, limits Limits, run func(*joiner, input) error) (Summary, error) {
	size, cut := src.Size(), errors.New("it is cut off")
	if size > limits.MaxBytes {
		size, cut = limits.MaxBytes, fmt.Errorf("it is larger than the limit of %d bytes", limits.MaxBytes)
	}
	head := make([]byte, headerSize)
	n, err := src.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Summary{}, fmt.Errorf("read the execution trace: %w", err)
	}
	version, minor, err := checkHeader(head[:n])
	if err != nil {
		return Summary{}, err
	}
	j := &joiner{limits: limits, names: newNames(limits), states: make(map[int64]State), procs: make(map[int32]State)}
	j.summary.GoVersion = version
	var from input
	if minor < 22 {
		from.old = io.NewSectionReader(src, 0, size)
	} else {
		from.index = newIndex(src, size, minor, limits.MaxBatches, cut)
	}
	err = run(j, from)
	if err != nil && !errors.Is(err, errPartial) {
		return j.summary, err
	}
	if j.jump.ns > longJumpNs {
		j.warn("times jump by %v at %.3f s: the process was stopped, or a clock or the trace is damaged",
			time.Duration(j.jump.ns).Round(time.Second), float64(j.jump.at)/1e9)
	}
	if j.summary.Events == 0 {
		if len(j.summary.Warnings) > 0 {
			return Summary{}, errors.New("read the execution trace: " + j.summary.Warnings[0])
		}
		return Summary{}, errors.New("the execution trace has no events: nothing ran, or it was cut off before the first was written")
	}
	return j.summary, nil
}

// checkHeader says what other files are.
func checkHeader(head []byte) (version string, minor int, err error) {
	if len(head) == 0 {
		return "", 0, errors.New("the execution trace is empty: the process may have ended while it was taken")
	}
	version, _, isTrace := strings.Cut(string(head), " trace\x00")
	if n, err := fmt.Sscanf(version, "go 1.%d", &minor); !isTrace || n != 1 || err != nil || version != fmt.Sprintf("go 1.%d", minor) {
		if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
			return "", 0, errors.New("the file is packed with gzip, and an execution trace is not: it may be a profile")
		}
		return "", 0, errors.New("the file is not a Go execution trace: it does not begin with \"go 1.NN trace\"")
	}
	version = strings.TrimPrefix(version, "go ")
	switch minor {
	case 11, 19, 21, 22, 23, 25, newest:
		return version, minor, nil
	}
	if minor > newest {
		return "", 0, fmt.Errorf("the execution trace has the format of Go %s, which is newer than this whet knows (1.%d): use a newer whet", version, newest)
	}
	return "", 0, fmt.Errorf("the execution trace has the format of Go %s, which is unknown: known are those of Go 1.11, 1.19, 1.21, 1.22, 1.23, 1.25 and 1.26", version)
}
