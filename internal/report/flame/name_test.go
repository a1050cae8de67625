package flame

import (
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"main.größe": "main.größe", "a\nb\tc": `a\nb\tc`, "\x1b[2J": `\x1b[2J`, "\u009b": `\u009b`, "a\u202eb": `a\u202eb`, "\U000f0000": `\U000f0000`, "\xff\x80": `\xff\x80`,
		"x" + strings.Repeat("ä", 5000): "x" + strings.Repeat("ä", 2047) + "… (10001 bytes)",
	} {
		if got := visible(in); got != want {
			t.Errorf("%.40q is shown as %.40q, want %.40q", in, got, want)
		}
	}
}

func TestPackageOf(t *testing.T) {
	for name, want := range map[string]string{
		"main.main":                   "main",
		"runtime.mallocgc":            "runtime",
		"github.com/x/y.(*T).m.func1": "github.com/x/y",
		"slices.SortFunc[go.shape.[]github.com/x/y.T,go.shape.int]": "slices",
		"gopkg.in/yaml%2ev3.Unmarshal":                              "gopkg.in/yaml%2ev3",
		"a/b.T[c/d.E].m":                                            "a/b",
		"gogo":                                                      "",
		"0x4a5b6c":                                                  "",
		"":                                                          "",
		"(unknown)":                                                 "",
	} {
		if got := PackageOf(name); got != want {
			t.Errorf("PackageOf(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPackageGroups(t *testing.T) {
	for _, c := range []struct {
		pkg, module string
		want        int
	}{
		{"whet/internal/x", "whet", groupOwn}, {"whet", "whet", groupOwn}, {"main", "", groupOwn}, {"whet_test", "whet", groupOwn},
		{"whetstone/x", "whet", groupOther}, {"example.com/m/v2/x", "example.com/m", groupOwn}, {"example.com/more", "example.com/m", groupOther},
		{"runtime", "whet", groupRuntime}, {"internal/runtime/maps", "whet", groupRuntime}, {"runtime/pprof", "whet", groupStd},
		{"net/http", "whet", groupStd}, {"github.com/x/y", "", groupOther}, {"mytool/x", "", groupOwn}, {"", "whet", groupNone},
	} {
		if got := packageGroup(c.pkg, c.module); got != c.want {
			t.Errorf("packageGroup(%q, %q) = %d, want %d", c.pkg, c.module, got, c.want)
		}
	}
}
