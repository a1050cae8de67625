package profiles

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"

	"whet/internal/recording"
)

func ofBenchmark(name string) string {
	if name == "" {
		return ""
	}
	return " of " + name
}

func profilesIn(rec *recording.Recording) []string {
	var out []string
	for _, a := range rec.Artifacts {
		if strings.HasSuffix(a.Path, ".pb.gz") {
			if name := a.Kind + ofBenchmark(a.Benchmark); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	if len(out) == 0 {
		return []string{"none"}
	}
	return out
}

// IsExecutable recognises a binary by its first bytes.
func IsExecutable(path string) bool {
	// Four bytes read from a pipe are lost to its next reader.
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4)
	if _, err := io.ReadFull(f, head); err != nil {
		return false
	}
	return slices.ContainsFunc([]string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xfe\xed\xfa\xcf", "\xca\xfe\xba\xbe"}, func(magic string) bool {
		return bytes.HasPrefix(head, []byte(magic))
	})
}
