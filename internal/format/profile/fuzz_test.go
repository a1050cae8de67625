package profile

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
)

// refusedHere are the reasons to refuse what google/pprof accepts: it lets
// sums wrap round, reads profiles that name no sample type, and has no limits.
var refusedHere = []string{"overflows an int64", "has no sample type", "too large to read", "too large for this analysis"}

// FuzzRead holds Read to four promises: what it accepts, it writes so that it
// and google/pprof read the same model again; what google/pprof accepts, it
// accepts with the same samples, but for refusedHere; where it dropped
// anything, it says so. And a part of a profile is what the whole has of it.
func FuzzRead(f *testing.F) {
	f.Add(small().Bytes())
	f.Add(small().body(profileSample, num(1, 99), num(2, 9)).Bytes())
	f.Add(small().body(profileSample, num(1, 1), num(2, 1<<64-9)).body(profileSample, []byte{0x08}).Bytes())
	f.Add(small().body(profilePeriodType, num(1, 1)).body(profileMapping, num(1, 1), num(5, 3)).Bytes())
	f.Add(small().body(profileLocation, num(1, 3), num(3, 7), line(1, 7), num(5, 1)).body(profileSample, num(1, 3), num(2, 1)).Bytes())
	for _, name := range []string{"http.goroutine.pb.gz", "http.block.pb.gz", "http.heap.pb.gz"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		raw, err := unpacked(data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	limits := Limits{Limits: callstack.Limits{MaxBytes: 1 << 20, MaxMemory: 1 << 22}, MaxFrames: 1 << 16}
	f.Fuzz(func(t *testing.T, data []byte) {
		if isGzip(data) {
			return // the messages are the point; packing has tests of its own
		}
		packed, err := Read(bytes.NewReader(data), int64(len(data)), limits)
		p, framesErr := ReadFrames(data, limits)
		if err == nil {
			rewrite(t, packed, limits)
			sameParts(t, data, limits)
			err = framesErr
		} else if framesErr == nil || framesErr.Error() != err.Error() {
			t.Fatalf("Read says %v, ReadFrames %v", err, framesErr)
		}
		g, googleErr := google.ParseUncompressed(data)
		if googleErr == nil {
			googleErr = g.CheckValid()
		}
		if googleErr == nil {
			switch {
			case err != nil && !slices.ContainsFunc(refusedHere, func(s string) bool { return strings.Contains(err.Error(), s) }):
				t.Fatalf("google/pprof accepts it, whet says: %v", err)
			case err == nil:
				compare(t, p, g)
				compareExactly(t, packed, g)
			}
		}
		if err != nil {
			return
		}
		if googleErr != nil && len(p.Warnings) == 0 && !quietly(googleErr) {
			t.Errorf("accepted without a warning, google/pprof says: %v", googleErr)
		}
		var out bytes.Buffer
		if err := Write(&out, p.Profile); err != nil {
			t.Fatal(err)
		}
		again, err := ReadFrames(out.Bytes(), limits)
		if err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
		sameModel(t, again, p)
		rewritten, err := google.ParseData(out.Bytes())
		if err != nil {
			t.Fatalf("google/pprof refuses what was written: %v", err)
		}
		if a, b := theirs(rewritten), ours(p); !reflect.DeepEqual(a, b) {
			t.Errorf("google/pprof reads back other samples (-google/pprof +whet):\n%.2000s", cmp.Diff(a, b))
		}
	})
}

// rewrite holds Write to writing what both read back.
func rewrite(t *testing.T, p *callstack.Profile, limits Limits) {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, p); err != nil {
		t.Fatal(err)
	}
	again, err := Read(bytes.NewReader(out.Bytes()), int64(out.Len()), limits)
	if err != nil {
		t.Fatalf("what was written is refused: %v", err)
	}
	want := exact(p)
	if got := exact(again); !reflect.DeepEqual(want, got) {
		t.Errorf("samples after writing (-want +got):\n%.4000s", cmp.Diff(want, got))
	}
	before, after := p.Meta, again.Meta
	before.Warnings, after.Warnings = nil, nil
	if before.DefaultType == len(before.Types)-1 {
		before.DefaultNamed, after.DefaultNamed = false, false // a name that no column has
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("head after writing (-want +got):\n%s", diff)
	}
	g, err := google.ParseData(out.Bytes())
	if err != nil {
		t.Fatalf("google/pprof refuses what was written: %v", err)
	}
	if got := exactly(g); !reflect.DeepEqual(want, got) {
		t.Errorf("google/pprof reads back other samples (-want +google/pprof):\n%.4000s", cmp.Diff(want, got))
	}
}

// quietly are google/pprof's reasons that concern no sample: records which
// none refers to, and fields that are not read here.
func quietly(err error) bool {
	for _, s := range []string{"nil function", "malformed profile format", "inconsistent", "type mismatch"} {
		if strings.Contains(err.Error(), s) {
			return true
		}
	}
	return false
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"compile_stdcmd_merged.cpu.pb.gz", "goroutine_1k.pb.gz"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ReadFrames(data, DefaultLimits()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
