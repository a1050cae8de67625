package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"
	"go.uber.org/goleak"

	"whet/internal/callstack"
)

// inPieces reads data in pieces of n bytes.
func inPieces(data []byte, n int) (*callstack.Profile, error) {
	s := newSource(bytes.NewReader(data), int64(len(data)))
	s.room = int64(headroom + n)
	return s.read(DefaultLimits(), Want{}, new(damage))
}

// However the pieces of a message are cut, it is read the same: records in two
// pieces and in many, a stack like the one before in the piece before, records
// longer than the headroom.
func TestPieces(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	long := small()
	for i := range 3 {
		ids := make([][]byte, 40_000+i)
		for j := range ids {
			ids[j] = num(1, uint64(1+(i+j)%2))
		}
		long.body(profileSample, append(ids, num(2, 1))...)
	}
	long.strings(strings.Repeat("x", 3*headroom), "")
	many := small()
	for i := range uint64(3000) {
		many.body(profileSample, num(1, 1+i%2), num(1, 1+i/2%2), num(1, 1+i/7%2), num(1, 1+i/100%2), num(2, i), label(num(1, 1), num(3, i/50)))
	}
	raw := many.Bytes()
	inputs := map[string][]byte{
		"many":    raw,
		"members": slices.Concat(zip(raw), zip(raw), []byte("rest")),
		"parts":   slices.Concat(zip(raw[:5000]), zip(raw[5000:])),
		"cut":     zip(raw)[:7000],
		"broken":  append(slices.Clip(raw), 0x0f),
		"long":    long.Bytes(),
	}
	for _, name := range fixtures(t) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) < 20_000 {
			inputs[filepath.Base(name)] = data
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, data := range inputs {
		want, wantErr := inPieces(data, len(data)*100)
		// What a file is, is told by its first 512 bytes: no piece is smaller.
		for _, n := range []int{512, 513 + r.IntN(100), 1000 + r.IntN(1000), 30_000 + r.IntN(30_000)} {
			got, err := inPieces(data, n)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("%s in pieces of %d: %v, want %v", name, n, err, wantErr)
			}
			if err != nil {
				continue
			}
			if !reflect.DeepEqual(want.Meta, got.Meta) || !reflect.DeepEqual(exact(want), exact(got)) {
				t.Errorf("%s in pieces of %d is another profile", name, n)
			}
		}
	}
}

// Sample types that stand after samples count as those before them.
func TestTypesBehindSamples(t *testing.T) {
	var m message
	m.body(profileSample, num(1, 1), num(2, 5), num(2, 50))
	m.body(profileSampleType, num(1, 1), num(2, 2))
	m.body(profileSample, num(1, 2), num(2, 7), num(2, 70))
	m.body(profileLocation, num(1, 1), line(1, 7), line(2, 3))
	m.body(profileLocation, num(1, 2), line(2, 4))
	m.body(profileSampleType, num(1, 2), num(2, 1))
	m.body(profileFunction, num(1, 1), num(2, 3), num(4, 5))
	m.body(profileFunction, num(1, 2), num(2, 4), num(4, 5))
	m.strings("", "cpu", "nanoseconds", "main.f", "main.main", "f.go")
	g, err := google.ParseUncompressed(m.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{m.Bytes(), zip(m.Bytes())} {
		p := mustReadSamples(t, data)
		compareExactly(t, p, g)
		if len(p.Warnings) > 0 {
			t.Errorf("warnings %q", p.Warnings)
		}
	}
	twice := mustReadSamples(t, slices.Concat(zip(m.Bytes()), zip(m.Bytes())))
	if twice.Len() != 2 || twice.Total(0) != 24 || twice.Total(1) != 240 {
		t.Errorf("twice: %d samples, %d and %d", twice.Len(), twice.Total(0), twice.Total(1))
	}
}

// failing is a file that cannot be read from an offset on.
type failing struct {
	data []byte
	from int64
}

var errDisk = errors.New("input/output error")

func (f *failing) ReadAt(b []byte, off int64) (int, error) {
	n, err := bytes.NewReader(f.data[:f.from]).ReadAt(b, off)
	if err == io.EOF {
		err = errDisk
	}
	return n, err
}

// What cannot be read is no damage to read around.
func TestFailingFile(t *testing.T) {
	for name, data := range map[string][]byte{
		"plain": small().Bytes(), "gzip": zip(small().Bytes()), "members": slices.Concat(zip(small().Bytes()), zip(small().Bytes())),
	} {
		for from := range data {
			if _, err := Read(&failing{data, int64(from)}, int64(len(data)), DefaultLimits()); !errors.Is(err, errDisk) {
				t.Errorf("%s, from byte %d on: %v", name, from, err)
			}
		}
	}
}

// Many small members take little memory each, and add up.
func TestManyMembers(t *testing.T) {
	one := zip(small().Bytes())
	p := mustReadSamples(t, bytes.Repeat(one, 500))
	if p.Len() != 2 || p.Total(0) != 500*12 {
		t.Errorf("%d samples, %d in all", p.Len(), p.Total(0))
	}
}
