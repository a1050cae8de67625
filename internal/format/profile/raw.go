package profile

import (
	"fmt"
	"math"
	"slices"
)

// rawProfile is a decoded profile message except for its samples, which are read
// in a second pass, since locations and strings may follow them. References are
// ids and indices as in the file.
type rawProfile struct {
	strings   []string
	text      int64 // bytes of strings
	types     []typeRecord
	functions []functionRecord
	locations []locationRecord
	lines     []lineRecord // of all locations
	mappings  []mappingRecord
	functionN ids
	locationN ids
	mappingN  ids

	samples     int
	dropFrames  uint64
	keepFrames  uint64
	timeNanos   uint64
	duration    uint64
	periodType  typeRecord
	period      uint64
	comments    []uint64
	defaultType uint64
	docURL      uint64

	malformed int // records that could not be decoded
}

type typeRecord struct{ typ, unit uint64 }

type functionRecord struct{ id, name, systemName, file, start uint64 }

type locationRecord struct {
	id, mapping, address uint64
	firstLine, endLine   uint32
	folded               bool
}

type lineRecord struct {
	function     uint64
	line, column int32
}

type mappingRecord struct {
	id, start, limit, offset, file, buildID         uint64
	functions, filenames, lineNumbers, inlineFrames uint64 // known already, if not 0
}

// ids finds a record by its id. Writers number from 1, so that a slice
// does; ids far beyond the number of records go into a map.
type ids struct {
	dense  []int32 // 1 + index
	sparse map[uint64]int32
}

func (t *ids) get(id uint64) (int, bool) {
	if id < uint64(len(t.dense)) {
		return int(t.dense[id]) - 1, t.dense[id] != 0
	}
	i, ok := t.sparse[id]
	return int(i) - 1, ok
}

// fill indexes n records; kind names them in errors.
func (t *ids) fill(kind string, n int, id func(int) uint64) error {
	t.dense = make([]int32, 2*n+16)
	t.sparse = make(map[uint64]int32)
	for i := range n {
		id := id(i)
		if id == 0 {
			return fmt.Errorf("a %s has the reserved id 0", kind)
		}
		if _, twice := t.get(id); twice {
			return fmt.Errorf("two %ss have the id %d", kind, id)
		}
		if id < uint64(len(t.dense)) {
			t.dense[id] = int32(i + 1)
		} else {
			t.sparse[id] = int32(i + 1)
		}
	}
	return nil
}

// memory estimates the bytes of the tables and of the profile built from them.
func (t *rawProfile) memory() int64 {
	return t.text + 24*int64(len(t.strings)+len(t.comments)) + 128*int64(len(t.functions)+len(t.locations)) +
		64*int64(len(t.lines)) + 256*int64(len(t.mappings))
}

// index makes records found by their ids.
func (t *rawProfile) index() error {
	err := t.functionN.fill("function", len(t.functions), func(i int) uint64 { return t.functions[i].id })
	if err == nil {
		err = t.locationN.fill("location", len(t.locations), func(i int) uint64 { return t.locations[i].id })
	}
	if err == nil {
		err = t.mappingN.fill("mapping", len(t.mappings), func(i int) uint64 { return t.mappings[i].id })
	}
	if err != nil {
		return fmt.Errorf("not a pprof profile, or a damaged one: %w", err)
	}
	return nil
}

// Field numbers of message Profile.
const (
	profileSampleType  = 1
	profileSample      = 2
	profileMapping     = 3
	profileLocation    = 4
	profileFunction    = 5
	profileString      = 6
	profileDropFrames  = 7
	profileKeepFrames  = 8
	profileTime        = 9
	profileDuration    = 10
	profilePeriodType  = 11
	profilePeriod      = 12
	profileComment     = 13
	profileDefaultType = 14
	profileDocURL      = 15
)

func (t *rawProfile) field(f field) error {
	switch f.num {
	case profileSampleType, profileSample, profileMapping, profileLocation, profileFunction, profileString, profilePeriodType: // not samples and strings, then
		if f.wire != wireBytes {
			return errMismatch
		}
	}
	var err error
	switch f.num {
	case profileSampleType:
		var v typeRecord
		if err := v.decode(f.body); err != nil {
			return err // a column less would shift all others
		}
		t.types = append(t.types, v)
	case profileMapping:
		t.keep(t.mapping(f.body))
	case profileLocation:
		t.keep(t.location(f.body))
	case profileFunction:
		t.keep(t.function(f.body))
	case profileDropFrames:
		err = f.varint(&t.dropFrames)
	case profileKeepFrames:
		err = f.varint(&t.keepFrames)
	case profileTime:
		if t.timeNanos != 0 {
			return errSeveral
		}
		err = f.varint(&t.timeNanos)
	case profileDuration:
		err = f.varint(&t.duration)
	case profilePeriodType:
		t.periodType = typeRecord{}
		err = t.periodType.decode(f.body)
	case profilePeriod:
		err = f.varint(&t.period)
	case profileComment:
		t.comments, err = f.varints(t.comments)
	case profileDefaultType:
		err = f.varint(&t.defaultType)
	case profileDocURL:
		err = f.varint(&t.docURL)
	}
	return err
}

// stringRun reads the strings at the beginning of data, all that follow each
// other: one allocation holds them.
func (t *rawProfile) stringRun(data []byte) (rest []byte, err error) {
	n := len(t.strings)
	for rest = data; ; {
		f, after, err := next(rest)
		if err != nil || f.num != profileString || f.wire != wireBytes {
			break // the caller's
		}
		if n == 0 && len(f.body) > 0 {
			return nil, fmt.Errorf("begins the string table with %q instead of the empty string", shorten(f.body))
		}
		n++
		rest = after
	}
	text := string(data[:len(data)-len(rest)])
	t.text += int64(len(text))
	t.strings = slices.Grow(t.strings, n-len(t.strings))
	for len(t.strings) < n {
		f, after, _ := next(data)
		end := len(text) - (len(after) - len(rest))
		t.strings = append(t.strings, text[end-len(f.body):end])
		data = after
	}
	return rest, nil
}

// keep counts a record that could not be decoded: its framing is known, so
// reading goes on after it.
func (t *rawProfile) keep(err error) {
	if err != nil {
		t.malformed++
	}
}

// scalars decodes a message of scalar fields: to[n] is where field n+1 goes; nil:
// it is not asked for.
func scalars(data []byte, to ...*uint64) error {
	return eachField(data, func(f field) error {
		if n := int(f.num) - 1; n >= 0 && n < len(to) && to[n] != nil {
			return f.varint(to[n])
		}
		return nil
	})
}

func (v *typeRecord) decode(data []byte) error { return scalars(data, &v.typ, &v.unit) }

func (t *rawProfile) mapping(data []byte) error {
	var m mappingRecord
	err := scalars(data, &m.id, &m.start, &m.limit, &m.offset, &m.file, &m.buildID, &m.functions, &m.filenames, &m.lineNumbers, &m.inlineFrames)
	if err == nil {
		t.mappings = append(t.mappings, m)
	}
	return err
}

func (t *rawProfile) location(data []byte) error {
	l := locationRecord{firstLine: uint32(len(t.lines))}
	var folded uint64
	err := eachField(data, func(f field) error {
		switch f.num {
		case 1:
			return f.varint(&l.id)
		case 2:
			return f.varint(&l.mapping)
		case 3:
			return f.varint(&l.address)
		case 5:
			return f.varint(&folded)
		case 4:
			if f.wire != wireBytes {
				return errMismatch
			}
			var function, line, column uint64
			err := scalars(f.body, &function, &line, &column)
			t.lines = append(t.lines, lineRecord{function, int32(lineNumber(line)), int32(lineNumber(column))})
			return err
		}
		return nil
	})
	if err != nil {
		t.lines = t.lines[:l.firstLine]
		return err
	}
	l.endLine, l.folded = uint32(len(t.lines)), folded != 0
	t.locations = append(t.locations, l)
	return nil
}

func (t *rawProfile) function(data []byte) error {
	var fn functionRecord
	err := scalars(data, &fn.id, &fn.name, &fn.systemName, &fn.file, &fn.start)
	if err == nil {
		t.functions = append(t.functions, fn)
	}
	return err
}

// lineNumber is 0, unknown, for what no source file has.
func lineNumber(u uint64) int {
	if u > math.MaxInt32 {
		return 0
	}
	return int(u)
}

func shorten(b []byte) []byte {
	if len(b) > 32 {
		b = b[:32]
	}
	return b
}
