package view

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"

	"whet/internal/analyze/selection"
)

// made builds a profile through google/pprof, so that both programs can read
// it: the frames of a location up to one that is not inlined.
type made struct {
	p         google.Profile
	functions map[string]*google.Function
}

func newMade(types ...string) *made {
	m := &made{functions: make(map[string]*google.Function)}
	for i := 0; i < len(types); i += 2 {
		m.p.SampleType = append(m.p.SampleType, &google.ValueType{Type: types[i], Unit: types[i+1]})
	}
	return m
}

// madeFrame is a frame of a stack that is written leaf first.
type madeFrame struct {
	function, file string
	line           int64
	inlined        bool
}

func at(function string, line int64) madeFrame {
	return madeFrame{function: function, file: "/x/" + function + ".go", line: line}
}

func (f madeFrame) in() madeFrame {
	f.inlined = true
	return f
}

func (m *made) sample(values []int64, frames ...madeFrame) *google.Sample {
	sample := &google.Sample{Value: values}
	var loc *google.Location
	for _, f := range frames {
		key := f.function + "\x00" + f.file
		if m.functions[key] == nil {
			fn := &google.Function{ID: uint64(len(m.p.Function) + 1), Name: f.function, SystemName: f.function, Filename: f.file, StartLine: 1}
			m.functions[key] = fn
			m.p.Function = append(m.p.Function, fn)
		}
		if loc == nil {
			loc = &google.Location{ID: uint64(len(m.p.Location) + 1)}
			m.p.Location = append(m.p.Location, loc)
			sample.Location = append(sample.Location, loc)
		}
		loc.Line = append(loc.Line, google.Line{Function: m.functions[key], Line: f.line, Column: 7})
		if !f.inlined {
			loc = nil
		}
	}
	m.p.Sample = append(m.p.Sample, sample)
	return sample
}

func (m *made) subject(t testing.TB) *fixture {
	t.Helper()
	var b bytes.Buffer
	if err := m.p.Write(&b); err != nil {
		t.Fatal(err)
	}
	g, err := google.ParseData(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return newSubject(t, g, b.Bytes())
}

func values(v ...int64) []int64 { return v }

// oddProfiles returns what the fixtures lack: recursion, negative values, a diff
// base, drop expressions, frames without names, labels of all kinds, nothing at
// all.
func oddProfiles() map[string]*made {
	recursion := newMade("cpu", "nanoseconds")
	recursion.sample(values(5e6), at("a", 3), at("a", 4), at("b", 9), at("a", 3), at("main", 2))
	recursion.sample(values(7e6), at("a", 3).in(), at("b", 9), at("main", 2))
	recursion.sample(values(1e6), at("main", 3))
	recursion.sample(values(2e6), at("c", 3).in(), at("c", 4).in(), at("c", 5), at("main", 2)) // c inlined only into itself
	recursion.sample(values(3e6), at("b", 9), at("a", 5), at("b", 8), at("a", 3), at("main", 2))
	recursion.p.TimeNanos, recursion.p.DurationNanos = 1700000000123456789, 2e9
	recursion.p.Comments = []string{"built by hand", "#hidden"}
	recursion.p.PeriodType, recursion.p.Period = &google.ValueType{Type: "cpu", Unit: "nanoseconds"}, 10000000
	recursion.p.DocURL = "https://example.com/doc"

	negative := newMade("alloc_objects", "count", "alloc_space", "bytes")
	negative.sample(values(5, 4096), at("a", 3), at("main", 2))
	negative.sample(values(-5, -4096), at("a", 3), at("other", 2))
	negative.sample(values(-9, -100000), at("b", 3), at("main", 2))
	negative.sample(values(0, 10), at("c", 3).in(), at("a", 1), at("main", 2))
	negative.sample(values(4, 0), at("d", 3), at("a", 1), at("main", 2))
	negative.p.DefaultSampleType = "alloc_objects"

	base := newMade("cpu", "nanoseconds")
	base.sample(values(5e9), at("a", 3), at("main", 2))
	base.sample(values(-3e9), at("a", 3), at("main", 2)).Label = map[string][]string{"pprof::base": {"true"}}
	base.sample(values(-1e9), at("b", 3), at("main", 2)).Label = map[string][]string{"pprof::base": {"true"}}

	drop := newMade("cpu", "nanoseconds")
	drop.sample(values(5e9), at("runtime.x", 3), at("runtime.y", 3), at("user", 2), at("runtime.main", 1))
	drop.sample(values(3e9), at("runtime.x", 3).in(), at("user", 3), at("runtime.main", 1))
	drop.p.DropFrames, drop.p.KeepFrames = `runtime\..*`, `runtime\.main`

	bare := newMade("cpu", "nanoseconds")
	libc := &google.Mapping{ID: 1, Start: 0x1000, Limit: 0x2000, File: "/usr/lib/libc.so.6", BuildID: "abc", HasFunctions: true, HasInlineFrames: true}
	anonymous := &google.Mapping{ID: 2, Start: 0x3000, Limit: 0x4000}
	bare.p.Mapping = []*google.Mapping{libc, anonymous}
	for i, m := range []*google.Mapping{libc, libc, anonymous, nil} {
		loc := &google.Location{ID: uint64(len(bare.p.Location) + 1), Mapping: m, Address: uint64(0x1000 + i), IsFolded: i == 1}
		bare.p.Location = append(bare.p.Location, loc)
		s := bare.sample(values(int64(i+1)*1e6), at("main", 2))
		s.Location = append([]*google.Location{loc}, s.Location...)
	}

	labels := newMade("widgets", "widgets", "delay", "microseconds")
	many := labels.sample(values(3, 1e6), at("a", 3), at("main", 2))
	many.Label = map[string][]string{"endpoint": {"/b", "/a"}, "worker": {"1"}}
	many.NumLabel = map[string][]int64{"bytes": {4096, 1 << 20}, "request": {7}, "depth": {0, 3}}
	many.NumUnit = map[string][]string{"bytes": {"bytes", "bytes"}, "depth": {"", "levels"}}
	few := labels.sample(values(2, 5e5), at("b", 3), at("main", 2))
	few.NumLabel = map[string][]int64{"bytes": {4097}}
	few.NumUnit = map[string][]string{"bytes": {"kilobytes"}}
	labels.sample(values(0, 1e4), at("c", 3), at("main", 2)).Label = map[string][]string{"endpoint": {"/zero"}}
	labels.sample(values(1, 3600e6), at("a", 3), at("main", 2))

	return map[string]*made{
		"recursion": recursion, "negative": negative, "base": base, "drop": drop, "bare": bare, "labels": labels,
		"empty": newMade("cpu", "nanoseconds"),
	}
}

func TestTextsOfOddProfilesAreThoseOfPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the second implementation of many profiles")
	}
	forget(t)
	more := []optionSet{
		{Options: selection.Options{TagRoot: []string{"worker", "endpoint", "bytes"}, Unit: "kb"}},
		{Options: selection.Options{TagLeaf: []string{"depth", "endpoint"}, Granularity: "lines"}},
		{Options: selection.Options{TagFocus: "bytes=1kb:8kb"}},
		{Options: selection.Options{AllFrames: true, Hide: "main"}},
		{Options: selection.Options{Show: "^a$", NoInlines: true, Unit: "hour"}},
	}
	for name, m := range oddProfiles() {
		s := m.subject(t)
		for i, a := range slices.Concat(combinations, more) {
			for _, v := range texts {
				if i < len(combinations) && i%3 == 1 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d%s", name, i, strings.SplitN(v.command, "=", 2)[0]), func(t *testing.T) {
					s.sameText(t, v, &a)
				})
			}
		}
	}
}
