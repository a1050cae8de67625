package profile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/callstack"
)

// message builds a profile record by record, so that tests can break it.
type message struct{ bytes.Buffer }

func (m *message) body(num uint64, fields ...[]byte) *message {
	b := bytes.Join(fields, nil)
	m.Write(appendTag(nil, num, wireBytes))
	m.Write(binary.AppendUvarint(nil, uint64(len(b))))
	m.Write(b)
	return m
}

func (m *message) strings(list ...string) *message {
	for _, s := range list {
		m.body(profileString, []byte(s))
	}
	return m
}

// num returns a scalar field; unlike appendScalar it writes zero too.
func num(field, v uint64) []byte {
	return binary.AppendUvarint(appendTag(nil, field, wireVarint), v)
}

func line(function, at uint64) []byte {
	var m message
	m.body(4, num(1, function), num(2, at))
	return m.Bytes()
}

// label returns a label of a sample.
func label(fields ...[]byte) []byte { return new(message).body(3, fields...).Bytes() }

// The smallest whole profile: main.f at f.go:7 inlined into main.main at
// f.go:3, two samples of 5 and 7 ns; the second one in main.main alone.
func small() *message {
	m := new(message)
	m.body(profileSampleType, num(1, 1), num(2, 2))
	m.body(profileSample, num(1, 1), num(2, 5))
	m.body(profileSample, num(1, 2), num(2, 7))
	m.body(profileLocation, num(1, 1), line(1, 7), line(2, 3))
	m.body(profileLocation, num(1, 2), line(2, 4))
	m.body(profileFunction, num(1, 1), num(2, 3), num(4, 5))
	m.body(profileFunction, num(1, 2), num(2, 4), num(4, 5))
	m.strings("", "cpu", "nanoseconds", "main.f", "main.main", "f.go")
	return m
}

func zip(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// stacks prints samples as "leaf<root value".
func stacks(p *callstack.Frames) []string {
	var out []string
	for s := p.Stacks(nil); s.Next(); {
		var names []string
		for _, f := range s.Stack {
			name := p.Frame(f).Function
			if name == "" {
				name = "?"
			}
			if p.Frame(f).Inlined {
				name += "(inlined)"
			}
			names = append(names, name)
		}
		for t := range p.Types {
			names = append(names, strconv.FormatInt(s.Value(t), 10))
		}
		out = append(out, strings.Join(names, " "))
	}
	return out
}

// leaf returns the first sample's.
func leaf(p *callstack.Frames) *callstack.Frame {
	s := p.Stacks(nil)
	s.Next()
	return p.Frame(s.Stack[0])
}

func TestReadWorkedExample(t *testing.T) {
	for name, data := range map[string][]byte{"raw": small().Bytes(), "gzip": zip(small().Bytes())} {
		p := mustRead(t, data)
		want := []string{"main.f(inlined) main.main 5", "main.main 7"}
		if diff := cmp.Diff(want, stacks(p)); diff != "" || len(p.Warnings) > 0 {
			t.Errorf("%s: %v, (-want +got):\n%s", name, p.Warnings, diff)
		}
		f := leaf(p)
		if f.File != "f.go" || f.Line != 7 {
			t.Errorf("%s: leaf %+v", name, *f)
		}
	}
}

func TestReadAroundDamage(t *testing.T) {
	whole := []string{"main.f(inlined) main.main 5", "main.main 7"}
	for _, c := range []struct {
		name    string
		data    []byte
		stacks  []string
		warning string
	}{
		{"trailing byte", append(zip(small().Bytes()), 'x'), whole, "1 byte after the profile"},
		{"trailing member cut off", append(zip(small().Bytes()), zip(small().Bytes())[:30]...), whole, "30 bytes after the profile"},
		{"trailing member with a wrong checksum", func() []byte {
			second := zip(small().Bytes())
			second[len(second)-5] ^= 1
			return append(zip(small().Bytes()), second...)
		}(), whole, "bytes after the profile"},
		{"location not in the table", small().body(profileSample, num(1, 2), num(1, 99), num(2, 9)).Bytes(),
			append(slices.Clone(whole), "main.main ? 9"), "1 sample refers to a location or function that is not in the file"},
		{"leaf not in the table, and another in its place", small().body(profileSample, num(1, 99), num(1, 2), num(2, 9)).body(profileSample, num(1, 2), num(1, 2), num(2, 1)).Bytes(),
			append(slices.Clone(whole), "? main.main 9", "main.main main.main 1"), "1 sample refers to a location or function that is not in the file"},
		{"location 0", small().body(profileSample, num(1, 0), num(2, 9)).Bytes(),
			append(slices.Clone(whole), "? 9"), "1 sample refers to"},
		{"function not in the table", small().body(profileLocation, num(1, 3), num(3, 0xabc), line(77, 7), line(2, 3)).
			body(profileSample, num(1, 3), num(2, 9)).body(profileSample, num(1, 3), num(2, 1)).Bytes(),
			append(slices.Clone(whole), "?(inlined) main.main 9", "?(inlined) main.main 1"), "2 samples refer to"},
		{"broken records nobody uses", small().body(profileLocation, num(1, 3), line(77, 7)).body(profileFunction, num(1, 9), num(2, 1000)).Bytes(), whole, ""},
		{"two values for one type", small().body(profileSample, num(1, 2), num(2, 9), num(2, 9)).Bytes(), whole,
			"1 sample does not have the 1 value that the profile declares and was dropped: totals are too low"},
		{"no value", small().body(profileSample, num(1, 2)).body(profileSample, num(1, 2)).Bytes(), whole, "2 samples do not have"},
		{"malformed sample", small().body(profileSample, []byte{0x08}).Bytes(), whole, "1 sample is malformed and was dropped"},
		{"sample with a length beyond its end", small().body(profileSample, []byte{0x0a, 0x7f, 1}).Bytes(), whole, "1 sample is malformed"},
		{"malformed location", small().body(profileLocation, []byte{0x22, 0x05}).Bytes(), whole, "1 function, location or mapping is malformed"},
		{"name beyond the table", small().body(profileFunction, num(1, 3), num(2, 1000)).body(profileLocation, num(1, 3), line(3, 1)).
			body(profileSample, num(1, 3), num(2, 9)).Bytes(), append(slices.Clone(whole), "? 9"), "1 name is not in the file's string table"},
		{"negative value", small().body(profileSample, num(1, 2), num(2, 1<<64-9)).Bytes(),
			append(slices.Clone(whole), "main.main -9"), "1 sample has a negative value"},
		{"cut in gzip's trailer", func() []byte { z := zip(small().Bytes()); return z[:len(z)-6] }(), whole, "the file is truncated"},
		{"cut in a record nothing needs", append(small().Bytes(), 0x22, 0x7f), whole, "the file is truncated"},
		{"unknown fields", small().body(99, []byte("x")).body(0, []byte("y")).Bytes(), whole, ""},
		{"sparse id", small().body(profileLocation, num(1, 1<<60), line(1, 1)).body(profileSample, num(1, 1<<60), num(1, 2), num(2, 1)).
			body(profileSample, num(1, 1), num(1, 1<<60), num(2, 2)).Bytes(),
			append(slices.Clone(whole), "main.f main.main 1", "main.f(inlined) main.main main.f 2"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustRead(t, c.data)
			if diff := cmp.Diff(c.stacks, stacks(p)); diff != "" {
				t.Errorf("samples (-want +got):\n%s", diff)
			}
			switch got := strings.Join(p.Warnings, "; "); {
			case c.warning == "" && got != "":
				t.Errorf("warnings %q, want none", got)
			case !strings.Contains(got, c.warning), strings.Count(got, ";") > 0:
				t.Errorf("warnings %q, want one with %q", got, c.warning)
			}
		})
	}
}

func TestReadSaysWhatIsMissing(t *testing.T) {
	var none message
	none.body(profileSampleType, num(1, 1), num(2, 2)).strings("", "cpu", "nanoseconds")
	p := mustRead(t, none.Bytes())
	if p.Len() != 0 || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "no samples") {
		t.Errorf("%d samples, warnings %q", p.Len(), p.Warnings)
	}

	var bare message
	bare.body(profileSampleType, num(1, 1), num(2, 2)).body(profileMapping, num(1, 1), num(5, 3)).
		body(profileLocation, num(1, 1), num(2, 1), num(3, 0x401234)).body(profileSample, num(1, 1), num(2, 5)).
		strings("", "cpu", "nanoseconds", "/bin/x")
	p = mustRead(t, bare.Bytes())
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "no function names") {
		t.Errorf("warnings %q", p.Warnings)
	}
	if f := *leaf(p); f != (callstack.Frame{Address: 0x401234, Object: "/bin/x"}) {
		t.Errorf("frame %+v", f)
	}
}

func TestReadRefuses(t *testing.T) {
	tight := DefaultLimits()
	tight.MaxBytes = 100
	few := DefaultLimits()
	few.MaxMemory = 100
	shallow := DefaultLimits()
	shallow.MaxFrames = 2
	bomb := zip(make([]byte, 1<<20))
	legacy := make([]byte, 64)
	binary.LittleEndian.PutUint64(legacy[8:], 3)
	flipped := zip(small().Bytes())
	flipped[len(flipped)-6] ^= 1
	for _, c := range []struct {
		name   string
		data   []byte
		limits Limits
		want   string
	}{
		{"empty", nil, DefaultLimits(), "the file is empty"},
		{"empty gzip", zip(nil), DefaultLimits(), "is empty"},
		{"blanks", []byte(" \n"), DefaultLimits(), "only white space"},
		{"text", []byte("hello, world, this is no profile"), DefaultLimits(), "not a pprof profile"},
		{"trace", []byte("go 1.26 trace\x00\x00\x00rest"), DefaultLimits(), "execution trace"},
		{"packed trace", zip([]byte("go 1.26 trace\x00\x00\x00rest")), DefaultLimits(), "execution trace"},
		{"html", []byte("\n<!DOCTYPE html><html>"), DefaultLimits(), "web page"},
		{"goroutines debug=1", []byte("goroutine profile: total 12\n"), DefaultLimits(), "debug=1"},
		{"goroutines debug=2", []byte("goroutine 1 [running]:\n"), DefaultLimits(), "debug=2"},
		{"heap text", []byte("heap profile: 1: 2 [3: 4] @ heap/1048576\n"), DefaultLimits(), "text format"},
		{"mutex text", []byte("--- mutex:\ncycles/second=1\n"), DefaultLimits(), "text format"},
		{"legacy cpu", legacy, DefaultLimits(), "before Go 1.9"},
		{"program", []byte("\x7fELF\x02\x01\x01"), DefaultLimits(), "a program"},
		{"program for two processors", []byte("\xca\xfe\xba\xbe\x00\x00\x00\x02"), DefaultLimits(), "a program"},
		{"coverage", []byte("mode: set\na.go:1.2,3.4 1 1\n"), DefaultLimits(), "coverage"},
		{"collector's log", []byte("gc 1 @0.012s 2%: 0.01+0.3+0.02 ms clock\n"), DefaultLimits(), "garbage collector"},
		{"pointer", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:1\n"), DefaultLimits(), "git lfs pull"},
		{"JSON", []byte("{\"schema\": \"whet/top/1\"}"), DefaultLimits(), "JSON"},
		{"picture", []byte("<svg xmlns=\"http://www.w3.org/2000/svg\">"), DefaultLimits(), "picture"},
		{"zstd", []byte("\x28\xb5\x2f\xfd...."), DefaultLimits(), "zstd"},
		{"cut gzip header", zip(small().Bytes())[:5], DefaultLimits(), "cut off"},
		{"cut gzip", zip(small().Bytes())[:40], DefaultLimits(), "cut off"},
		{"cut message", small().Bytes()[:60], DefaultLimits(), "cut off"},
		{"cut strings", small().Bytes()[:small().Len()-3], DefaultLimits(), "cut off"},
		{"damaged deflate", append(slices.Clone(zip(small().Bytes())[:10]), 0xff, 0xff, 0xff), DefaultLimits(), "damaged"},
		{"checksum", flipped, DefaultLimits(), "checksum"},
		{"bomb", bomb, tight, "too large"},
		{"large", small().Bytes(), tight, "too large"},
		{"records", small().Bytes(), few, callstack.ErrMemory.Error()},
		{"frames", small().Bytes(), shallow, "expand to 3 frames"},
		{"no string table", new(message).body(profileSampleType, num(1, 0)).Bytes(), DefaultLimits(), "no string table"},
		{"no sample type", new(message).strings("").Bytes(), DefaultLimits(), "no sample type"},
		{"string table without the empty string", new(message).strings("cpu").Bytes(), DefaultLimits(), "string table"},
		{"wire type", []byte{0x0f}, DefaultLimits(), "byte 0 has an unknown wire type"},
		{"wrong type", append(small().Bytes(), num(profileSample, 1)...), DefaultLimits(), "wrong type"},
		{"id twice", small().body(profileLocation, num(1, 1)).Bytes(), DefaultLimits(), "two locations have the id 1"},
		{"id 0", small().body(profileFunction, num(2, 1)).Bytes(), DefaultLimits(), "reserved id 0"},
		{"several without compression", append(append(small().Bytes(), num(profileTime, 5)...), num(profileTime, 6)...), DefaultLimits(), "second profile"},
		{"no sample fits", new(message).body(profileSampleType, num(1, 0)).body(profileSample, num(1, 1)).strings("").Bytes(), DefaultLimits(), "none of its 1 samples"},
		{"overflow", small().body(profileSample, num(1, 1), num(2, math.MaxInt64)).Bytes(), DefaultLimits(), "overflows an int64"},
		{"overflow round to below 63 bits", small().body(profileSample, num(1, 1), num(2, math.MaxInt64)).body(profileSample, num(1, 1), num(2, math.MaxInt64)).
			body(profileSample, num(1, 1), num(2, math.MaxInt64-20)).Bytes(), DefaultLimits(), "overflows an int64"},
		{"overflow downwards", small().body(profileSample, num(1, 1), num(2, 1<<63)).Bytes(), DefaultLimits(), "overflows an int64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ReadFrames(c.data, c.limits)
			if err == nil {
				t.Fatalf("accepted: %v, warnings %q", stacks(p), p.Warnings)
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q, want one line with %q", err, c.want)
			}
		})
	}
}

// Every cut of a file is refused or said; no cut gives other figures unsaid.
func TestReadEveryCut(t *testing.T) {
	for name, data := range map[string][]byte{"raw": small().Bytes(), "gzip": zip(small().Bytes())} {
		for n := range data {
			p, err := ReadFrames(data[:n], DefaultLimits())
			if err == nil && len(p.Warnings) == 0 {
				t.Errorf("%s cut after %d of %d bytes: accepted without a warning: %v", name, n, len(data), stacks(p))
			}
		}
	}
}

func TestReadAddsUpMembers(t *testing.T) {
	p := mustRead(t, append(zip(small().Bytes()), zip(small().Bytes())...))
	want := []string{"main.f(inlined) main.main 10", "main.main 14"}
	if diff := cmp.Diff(want, stacks(p)); diff != "" || len(p.Warnings) > 0 {
		t.Errorf("two members: %v, (-want +got):\n%s", p.Warnings, diff)
	}

	// One message in pieces, as parallel compressors write it.
	raw := small().Bytes()
	p = mustRead(t, slices.Concat(zip(raw[:50]), zip(raw[50:90]), zip(raw[90:])))
	want = []string{"main.f(inlined) main.main 5", "main.main 7"}
	if diff := cmp.Diff(want, stacks(p)); diff != "" || len(p.Warnings) > 0 {
		t.Errorf("one in pieces: %v, (-want +got):\n%s", p.Warnings, diff)
	}
	p = mustRead(t, slices.Concat(zip(raw[:50]), zip(raw[50:]), []byte("rest")))
	if len(p.Warnings) != 1 || !strings.HasPrefix(p.Warnings[0], "4 bytes after") {
		t.Errorf("one in pieces and a rest: warnings %q", p.Warnings)
	}

	other := new(message).body(profileSampleType, num(1, 1), num(2, 2)).body(profileSample, num(2, 1)).strings("", "delay", "nanoseconds")
	if _, err := ReadFrames(append(zip(raw), zip(other.Bytes())...), DefaultLimits()); err == nil {
		t.Error("profiles of different types were added up")
	}
}

func TestReadSaysTheDamageOfAllMembers(t *testing.T) {
	broken := small().body(profileSample, num(1, 2)).Bytes()
	p := mustRead(t, append(zip(broken), zip(broken)...))
	if len(p.Warnings) != 1 || !strings.HasPrefix(p.Warnings[0], "2 samples do not have") {
		t.Errorf("warnings %q", p.Warnings)
	}
	limits := DefaultLimits()
	limits.MaxBytes = 2*int64(small().Len()) - 1
	if _, err := ReadFrames(append(zip(small().Bytes()), zip(small().Bytes())...), limits); err == nil {
		t.Error("two members beyond the limit together were accepted")
	}
}

func TestLabels(t *testing.T) {
	m := small()
	m.body(profileSample, num(1, 2), num(2, 1),
		label(num(1, 6), num(2, 7), num(3, 5)), // both: the string counts
		label(num(1, 6), num(3, 5), num(4, 8)),
		label(num(1, 6), num(4, 8)), // zero bytes
		label(num(1, 6)))
	m.strings("key", "text", "bytes")
	want := []callstack.Label{{Key: "key", Str: "text"}, {Key: "key", Num: 5, Unit: "bytes"}, {Key: "key", Unit: "bytes"}, {Key: "key"}}
	p := mustRead(t, m.Bytes())
	var out bytes.Buffer
	if err := Write(&out, p.Profile); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*callstack.Frames{"read": p, "written": mustRead(t, out.Bytes())} {
		s := p.Stacks(nil)
		for s.Next() && s.Index() < 2 {
		}
		if diff := cmp.Diff(want, s.Labels()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What real profiles lack: frames without names in and out of mappings, and
// more strings than a byte counts.
func TestWriteOddProfiles(t *testing.T) {
	b := callstack.NewBuilder(callstack.ValueType{Type: "a", Unit: "count"}, callstack.ValueType{Type: "a", Unit: "bytes"})
	p := b.Profile()
	p.DefaultType = 1 // the second of its name: only its place says so
	p.Mappings = []callstack.Mapping{{File: "/bin/x", BuildID: "1"}, {File: "/lib/y"}, {File: "/lib/y", BuildID: "2"}, {}}
	for i := range 300 {
		p.Comments = append(p.Comments, strconv.Itoa(i))
	}
	p.Comments = append(p.Comments, "")
	p.DropFrames, p.KeepFrames, p.DocURL = "d", "k", "https://example.com"
	p.TimeNanos, p.Duration, p.Period, p.PeriodType = -5, 1<<40, 7, callstack.ValueType{Type: "space", Unit: "bytes"}
	for i, f := range []callstack.Frame{
		{}, {Address: 1}, {Address: 1, Object: "/lib/y"}, {Address: 1, Object: "/lib/unlisted"}, {Line: 5}, {Address: 9, File: "f.go", Start: 3},
		{Function: "f"}, {Function: "f", File: "f.go", Line: 1, Start: 1},
	} {
		b.AddFrames([]callstack.Frame{f}, nil, int64(i), -int64(i))
		inlined := f
		inlined.Inlined = true
		b.AddFrames([]callstack.Frame{inlined, {Function: "main"}}, nil, 1, 1)
	}
	b.AddFrames(nil, []callstack.Label{{Key: "k", Str: "v"}}, 1, 1)
	var out bytes.Buffer
	if err := Write(&out, p); err != nil {
		t.Fatal(err)
	}
	if n := len(p.Mappings); n != 5 || p.Mappings[4] != (callstack.Mapping{File: "/lib/unlisted"}) {
		t.Errorf("mappings %+v", p.Mappings)
	}
	sameModel(t, mustRead(t, out.Bytes()), b.Frames())
}

func TestDefaultType(t *testing.T) {
	types := []callstack.ValueType{{Type: "a"}, {Type: "b"}, {Type: "b"}, {Type: "c"}}
	for name, want := range map[string]int{"": 3, "a": 0, "b": 1, "none": 3} {
		if got := defaultType(types, name); got != want {
			t.Errorf("default type %q: %d, want %d", name, got, want)
		}
	}
}

// TestBomb: a small file that unpacks to much is given up early.
func TestBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte{0x32, 0}); err != nil { // the empty string
		t.Fatal(err)
	}
	entries := bytes.Repeat(new(message).body(profileString, make([]byte, 1021)).Bytes(), 1<<10)
	for range anyRatio>>20 + 1 {
		if _, err := w.Write(entries); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFrames(b.Bytes(), DefaultLimits()); err == nil || err.Error() != tooLarge(anyRatio).Error() {
		t.Errorf("%d bytes that unpack to %d MiB: %v", b.Len(), anyRatio>>20+1, err)
	}
	raised := DefaultLimits()
	raised.MaxRatio = 0
	if _, err := ReadFrames(b.Bytes(), raised); err == nil || !strings.Contains(err.Error(), "no sample type") {
		t.Errorf("with the bound raised: %v", err)
	}
}
