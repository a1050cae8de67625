package flame

import "testing"

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
