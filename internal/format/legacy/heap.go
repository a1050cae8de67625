package legacy

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"whet/internal/callstack"
	"whet/internal/lazyregexp"
)

var heapLine = lazyregexp.Pattern{Text: `(-?\d+): *(-?\d+) *\[ *(\d+): *(\d+) *] @([ x0-9a-f]*)`}

// heap reads the lines after a heap profile's first:
//
//	heap profile: 217: 15022536 [247: 20131880] @ heap/1048576
//	8: 896 [8: 896] @ 0x40a72b 0x40ae8a
//
// that is: objects and bytes in use, and in brackets those ever allocated,
// first of all samples, then of each.
func (r *reader) heap() error {
	head := heapHead.Regexp().FindStringSubmatch(r.lines.text)
	var rate int64
	if head[6] != "" {
		var err error
		if rate, err = strconv.ParseInt(head[6], 10, 64); err != nil {
			return fmt.Errorf("line %d: the sampling rate %s is too large", r.lines.number, head[6])
		}
	}
	r.allocs = true
	scaled := false
	switch head[5] {
	case "heap": // Go and gperftools write twice the mean distance
		rate, scaled = rate/2, true
	case "heap_v2", "heapz_v2":
		scaled = true
	case "heapprofile", "growth", "growthz", "fragmentation", "fragmentationz":
		rate = 1
	default:
		return fmt.Errorf("line %d: %q is not a known kind of heap profile", r.lines.number, head[5])
	}
	r.meta.PeriodType = callstack.ValueType{Type: "space", Unit: "bytes"}
	r.meta.Period = rate
	sampled := strings.HasPrefix(head[5], "heap")
	both := sampled && (head[3] != head[1] && head[3] != "0" || head[4] != head[2] && head[4] != "0")
	if both {
		r.meta.Types = types("alloc_objects", "count", "alloc_space", "bytes", "inuse_objects", "count", "inuse_space", "bytes")
	} else {
		r.meta.Types = types("objects", "count", "space", "bytes")
	}

	var inUse float64 // bytes
	err := r.stacks(r.lines.next(), isMapsHead, func(line string) error {
		m := heapLine.Regexp().FindStringSubmatch(line)
		if m == nil {
			return errMalformed
		}
		numbers := m[1:3]
		if both {
			numbers = []string{m[3], m[4], m[1], m[2]}
		}
		stack, values, err := parse(m[5], numbers...)
		if err != nil {
			return err
		}
		used := float64(values[len(values)-1])
		var size int64 // of a block
		for i := 0; i < len(values); i += 2 {
			count, bytes := values[i], values[i+1]
			if count == 0 && bytes != 0 {
				return errMalformed
			}
			if count == 0 {
				continue
			}
			size = bytes / count
			if !scaled {
				continue
			}
			var ok bool
			if values[i], values[i+1], ok = scale(count, bytes, rate); !ok {
				return errSum
			}
		}
		r.sample(stack, values...)
		r.samples.label(callstack.Label{Key: "bytes", Num: size})
		inUse += used
		return nil
	})
	if total, notNumber := strconv.ParseFloat(head[2], 64); notNumber == nil && inUse < total {
		r.say("its stacks hold %.0f bytes in use, but its first line says %.0f: it was cut off, or damaged", inUse, total)
	}
	return err
}

// scale estimates what a sample stands for. The sampler takes a block of s
// bytes with the probability 1 − exp(−s/R), R being the mean distance of
// samples in bytes; count blocks of bytes/count each, divided by it, are what
// there was. A rate of 1 took every block, and none says nothing.
func scale(count, bytes, rate int64) (int64, int64, bool) {
	if bytes == 0 {
		return 0, 0, true
	}
	if rate <= 1 {
		return count, bytes, true
	}
	s := float64(bytes) / float64(count)
	by := 1 / (1 - math.Exp(-s/float64(rate)))
	c, b := float64(count)*by, float64(bytes)*by
	if !(math.Abs(c) < 1<<63 && math.Abs(b) < 1<<63) {
		return 0, 0, false
	}
	return int64(c), int64(b), true
}
