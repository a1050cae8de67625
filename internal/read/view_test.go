package read

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whet/internal/format/typeview"
	"whet/internal/recording"
)

// A typed view that is damaged is a warning, and none is nothing.
func TestView(t *testing.T) {
	var whole bytes.Buffer
	if err := typeview.Write(&whole, &typeview.View{GOARCH: "arm64"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		data []byte
		want string // of the warning
		view bool
	}{
		{"whole", whole.Bytes(), "", true},
		{"none", nil, "", false},
		{"cut", whole.Bytes()[:whole.Len()-1], "build/types.bin: unpack the typed view: unexpected EOF: findings that need types are missing", false},
		{"newer", []byte("whet/types/2\n"), "is of schema", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, err := recording.Create(filepath.Join(t.TempDir(), "x.whet"), time.Unix(0, 0))
			if err != nil {
				t.Fatal(err)
			}
			w.Manifest.Kind = recording.TargetProgram
			if test.data != nil {
				if err := w.Write(recording.Artifact{Path: "build/types.bin", Kind: recording.KindTypes}, test.data); err != nil {
					t.Fatal(err)
				}
			}
			path, err := w.Finish(0, "")
			if err != nil {
				t.Fatal(err)
			}
			rec, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer rec.Close()
			a := Recording(rec, ParsedParts{})
			if v := a.View(); (v != nil) != test.view || v != nil && v.GOARCH != "arm64" {
				t.Errorf("the view is %+v", v)
			}
			warnings := strings.Join(a.warnings, "\n")
			if test.want == "" && strings.Contains(warnings, "types") || !strings.Contains(warnings, test.want) {
				t.Errorf("warnings %q, want %q", warnings, test.want)
			}
		})
	}
}
