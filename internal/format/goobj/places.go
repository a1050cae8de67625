package goobj

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// Places are where the code of a function comes from, as it can ask the runtime.
type Places struct {
	Size    uint64    // bytes of code
	Start   int32     // line of the function
	Files   []FileRun // by PC
	Lines   []byte    // the table of lines by PC
	Calls   []byte    // the table of inlined calls by PC
	Inlined []InlinedCall
}

// FileRun is code that comes from one file, up to the next one.
type FileRun struct {
	File string
	Size uint64 // in units of the processor's shortest instruction
}

// InlinedCall is a call whose function stands in its place.
type InlinedCall struct {
	Parent int32 // number of the call before that this one was inlined with, -1 for none
	File   string
	Line   int32
	PC     int32
	Func   Ref
}

// Equal compares all but the functions that are called, whose names other
// objects may have.
func (p *Places) Equal(q *Places) bool {
	return p.Start == q.Start && slices.Equal(p.Files, q.Files) && bytes.Equal(p.Lines, q.Lines) && bytes.Equal(p.Calls, q.Calls) &&
		slices.EqualFunc(p.Inlined, q.Inlined, func(a, b InlinedCall) bool {
			a.Func, b.Func = Ref{}, Ref{}
			return a == b
		})
}

// CallAt returns the number of the inlined call that the code at an offset is of, -1 for
// none.
func (p *Places) CallAt(off uint64) int {
	runs, _ := runsOf(p.Calls)
	var all uint64
	for _, r := range runs {
		all += r.size
	}
	if all == 0 {
		return -1
	}
	unit := p.Size / all // bytes of the shortest instruction
	for _, r := range runs {
		if off < r.size*unit {
			return int(r.value)
		}
		off -= r.size * unit
	}
	return -1
}

// Places returns those of a function that is defined here; ok is false where they
// have another form.
func (o *Object) Places(i int) (p Places, ok bool) {
	ok, p.Size = true, uint64(o.Symbol(i).Size)
	info := false
	for j := range o.NumAux(i) {
		x := o.Aux(i, j)
		k, local := o.Local(x.Ref)
		switch x.Kind {
		case AuxFuncInfo, AuxPcfile, AuxPcline, AuxPcinline:
			if !local || k >= o.defs {
				return p, false
			}
		}
		switch x.Kind {
		case AuxFuncInfo:
			info = true
			ok = ok && o.inlined(&p, o.Data(k))
		case AuxPcfile:
			ok = ok && o.fileRuns(&p, o.Data(k))
		case AuxPcline:
			p.Lines = o.Data(k)
		case AuxPcinline:
			p.Calls = o.Data(k)
		}
	}
	return p, ok && info
}

// inlined reads what a function's AuxFuncInfo says of places: after twelve bytes
// its line, the numbers of its files, and the calls of six numbers each.
func (o *Object) inlined(p *Places, data []byte) bool {
	const head, callSize = 12, 6 * 4
	number := func(at int) int32 { return int32(binary.LittleEndian.Uint32(data[at:])) }
	if len(data) < head+8 {
		return false
	}
	p.Start = number(head)
	at := int64(head+8) + 4*int64(uint32(number(head+4)))
	if at+4 > int64(len(data)) {
		return false
	}
	n := int64(uint32(number(int(at))))
	if at += 4; at+n*callSize != int64(len(data)) {
		return false
	}
	for range n {
		b := data[at:]
		call := InlinedCall{Parent: number(int(at)), Line: number(int(at) + 8), Func: ref(b[12:]), PC: number(int(at) + 20)}
		var ok bool
		if call.File, ok = o.file(binary.LittleEndian.Uint32(b[4:])); !ok || o.checkTarget(call.Func) != nil || int(call.Parent) >= len(p.Inlined) {
			return false
		}
		p.Inlined = append(p.Inlined, call)
		at += callSize
	}
	return true
}

// fileRuns reads the table of the numbers of files.
func (o *Object) fileRuns(p *Places, data []byte) bool {
	runs, ok := runsOf(data)
	for _, r := range runs {
		run, found := FileRun{Size: r.size}, true
		if r.value >= 0 {
			run.File, found = o.file(uint32(r.value))
		}
		p.Files, ok = append(p.Files, run), ok && found
	}
	return ok
}

// run is code with one value in a table by PC.
type run struct {
	value int64
	size  uint64
}

// runsOf reads a table by PC: pairs of how much the value grows, from -1 on, and for how
// long it stands. A zero ends it.
func runsOf(data []byte) (runs []run, ok bool) {
	value := int64(-1)
	for first := true; len(data) > 0; first = false {
		delta, n := binary.Varint(data)
		if n <= 0 {
			return nil, false
		}
		if data = data[n:]; delta == 0 && !first {
			return runs, len(data) == 0
		}
		size, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, false
		}
		data = data[n:]
		if value += delta; value < -1 || value > math.MaxUint32 {
			return nil, false
		}
		runs = append(runs, run{value, size})
	}
	return runs, len(runs) == 0 // it was empty
}

// file returns the name of a source file by its number.
func (o *Object) file(n uint32) (name string, ok bool) {
	if int64(n) >= int64(o.count(blockFiles)) {
		return "", false
	}
	return string(o.string(o.at[blockFiles] + n*stringSize)), true
}
