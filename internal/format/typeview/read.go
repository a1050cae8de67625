package typeview

import (
	"bytes"
	"errors"
	"fmt"
	"go/types"
	"io"
	"math"
	"strings"

	"github.com/klauspost/compress/gzip"

	"whet/internal/document"
)

// content is what a view has of imported packages: texts, and what is decoded of
// the packages and the types, which are numbered from 1.
type content struct {
	limits   Limits
	data     []byte
	texts    []string
	packages []packageRow
	paths    map[string]int  // their numbers
	kept     map[string]bool // paths of View.Packages
	types    []typeRow
	broken   error // what was wrong with it when more of it was decoded
	work     int   // parts decoded so far
	depth    int   // of the type that is being decoded
	later    pendingTypes
	context  *types.Context
	finite   map[*types.Named]int // fields that a type holds in the end; 0: it is being counted
}

// packageRow is a package of the view. Where it is imported, its objects lie in
// data from at on.
type packageRow struct {
	path, name     string
	kept, imported bool
	at, end        int
	reached        []int
	importing      bool // and not done
	done           bool
	pkg            *types.Package // nil: nobody asked yet, or of a kept one that there is none
}

// damage is what is wrong with a view. It travels as a panic to where Read or
// Import was called.
type damage struct{ text string }

func fail(format string, args ...any) { panic(damage{fmt.Sprintf(format, args...)}) }

// guard turns damage into an error. What go/types itself refuses is damage as well:
// no view that was written has it.
func guard(err *error) {
	switch r := recover().(type) {
	case nil:
	case damage:
		*err = fmt.Errorf("the typed view is damaged: %s", r.text)
	default:
		*err = fmt.Errorf("the typed view is damaged: %.200v", r)
	}
}

// Read reads a view. The imported packages are decoded when [View.Import] asks for
// them.
func Read(data []byte, limits Limits) (*View, error) {
	packed, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, errors.New(notView(data))
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack the typed view: %w", err)
	}
	unpacked, err := io.ReadAll(io.LimitReader(z, limits.MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("unpack the typed view: %w", err)
	case int64(len(unpacked)) > limits.MaxBytes:
		return nil, fmt.Errorf("the typed view is larger than %d bytes", limits.MaxBytes)
	}
	return parse(unpacked, limits)
}

// parse reads what a view unpacks to.
func parse(unpacked []byte, limits Limits) (v *View, err error) {
	defer guard(&err)
	v = new(View)
	v.content.limits, v.content.context, v.content.finite = limits, types.NewContext(), make(map[*types.Named]int)
	v.read(unpacked)
	return v, nil
}

// notView says what data is instead of a view of this version.
func notView(data []byte) string {
	name, _, _ := strings.Cut(document.Types, "/1")
	if line, _, ok := bytes.Cut(data[:min(len(data), 100)], []byte("\n")); ok && bytes.HasPrefix(line, []byte(name+"/")) {
		return fmt.Sprintf("the typed view is of schema %.40q, and this whet reads %s", line, document.Types)
	}
	return "it is no typed view"
}

func (v *View) read(data []byte) {
	c := &cursor{content: &v.content, data: data}
	lengths := make([]int, c.count(1))
	for i := range lengths {
		lengths[i] = c.length()
	}
	v.content.texts = make([]string, len(lengths))
	for i, n := range lengths {
		v.content.texts[i] = string(c.take(n))
	}
	v.GoVersion, v.GOARCH = c.text(), c.text()
	v.Packages = make([]Package, c.count(6))
	v.content.kept = make(map[string]bool, len(v.Packages))
	for i := range v.Packages {
		p := &v.Packages[i]
		p.Path, p.Name, p.GoVersion, p.Uncertain = c.text(), c.text(), c.text(), c.text()
		if v.content.kept[p.Path] {
			fail("package %q is there twice", p.Path)
		}
		v.content.kept[p.Path] = true
		p.Files = make([]string, c.count(1))
		for i := range p.Files {
			p.Files[i] = c.text()
		}
		for range c.count(2) {
			if p.Imports == nil {
				p.Imports = make(map[string]string)
			}
			from := c.text()
			p.Imports[from] = c.text()
		}
	}
	lengths = v.readPackages(c)
	v.readTypes(c)
	at := c.at
	for i, n := range lengths {
		p := &v.content.packages[i]
		p.at, p.end = at, at+n
		at += n
	}
	if at != len(data) {
		fail("it has %d bytes after its types, and its packages %d", len(data)-c.at, at-c.at)
	}
	v.content.data = data
}

// readPackages reads the table of packages, and returns how long the objects of
// each are.
func (v *View) readPackages(c *cursor) (lengths []int) {
	v.content.packages = make([]packageRow, c.count(3))
	v.content.paths = make(map[string]int, len(v.content.packages))
	lengths = make([]int, len(v.content.packages))
	for i := range v.content.packages {
		p := &v.content.packages[i]
		p.path, p.name = c.text(), c.text()
		if p.path == "" || v.content.paths[p.path] != 0 {
			fail("package %q is there twice, or has no path", p.path)
		}
		v.content.paths[p.path] = i + 1
		flags := c.uint()
		p.kept, p.imported = flags&isKept != 0, flags&isImported != 0
		if p.kept != v.content.kept[p.path] || p.kept && p.imported {
			fail("package %q is kept and is not", p.path)
		}
		if !p.imported {
			continue
		}
		lengths[i] = c.length()
		p.reached = make([]int, c.count(1))
		for j := range p.reached {
			p.reached[j] = c.number(len(v.content.packages))
		}
	}
	return lengths
}

// readTypes reads where the records of types lie.
func (v *View) readTypes(c *cursor) {
	n := c.count(1)
	if n > v.content.limits.MaxTypes {
		fail("it has %d types, and %d are read", n, v.content.limits.MaxTypes)
	}
	v.content.types = make([]typeRow, n)
	for i := range v.content.types {
		v.content.types[i].end = c.length()
	}
	for i := range v.content.types {
		t := &v.content.types[i]
		t.at = c.at
		c.take(t.end)
		t.end = c.at
	}
}

// cursor reads numbers and texts. What is wrong is a panic with damage.
type cursor struct {
	*content
	data []byte
	at   int
}

// record returns a cursor over a part of the view.
func (c *content) record(at, end int) *cursor { return &cursor{content: c, data: c.data[:end], at: at} }

func (c *cursor) take(n int) []byte {
	if n > len(c.data)-c.at {
		fail("it ends in the middle")
	}
	c.at += n
	return c.data[c.at-n : c.at]
}

func (c *cursor) byte() byte { return c.take(1)[0] }

func (c *cursor) uint() uint64 {
	n := uint64(0)
	for shift := 0; ; shift += 7 {
		b := c.byte()
		if shift == 63 && b > 1 {
			fail("a number has more than 64 bits")
		}
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

// length returns a number of bytes that follow somewhere.
func (c *cursor) length() int {
	n := c.uint()
	if n > uint64(len(c.data)) {
		fail("it ends in the middle: %d bytes are announced", n)
	}
	return int(n)
}

// count returns a number of parts that follow here, of so many bytes each at least.
func (c *cursor) count(size int) int {
	n := c.uint()
	if n > uint64((len(c.data)-c.at)/size) {
		fail("it ends in the middle: %d parts are announced", n)
	}
	if c.work += int(n); c.work > c.limits.MaxWork {
		fail("it has more than %d parts", c.limits.MaxWork)
	}
	return int(n)
}

// number is one of a table with so many rows, from 1.
func (c *cursor) number(rows int) int {
	n := c.uint()
	if n == 0 || n > uint64(rows) {
		fail("number %d is not in a table of %d", n, rows)
	}
	return int(n)
}

func (c *cursor) text() string { return c.texts[c.number(len(c.texts))-1] }

func (c *cursor) flag() bool { return c.uint()&1 != 0 }

func (c *cursor) int64() int64 {
	n := c.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (c *cursor) end() {
	if c.at != len(c.data) {
		fail("%d bytes are left of a record", len(c.data)-c.at)
	}
}

// arrayLength returns what an array may have of elements.
func (c *cursor) arrayLength() int64 {
	n := c.uint()
	if n > math.MaxInt64 {
		fail("an array has %d elements", n)
	}
	return int64(n)
}
