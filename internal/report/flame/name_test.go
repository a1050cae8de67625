package flame

import (
	"strings"
	"testing"

	"whet/internal/symbolname"
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

// TestPackagesOfNames: a package is whose it is, however the linker writes it
// and whatever its type arguments are of.
func TestPackagesOfNames(t *testing.T) {
	for name, want := range map[string]int{
		"gopkg.in/yaml%2ev3.(*Decoder).Decode": groupOwn, "gopkg.in/yaml%2ev3_test.F": groupOwn,
		"slices.SortFunc[go.shape.[]gopkg.in/yaml%2ev3.T]": groupStd, "type:.eq.gopkg.in/yaml%2ev3.T": groupNone,
		"example.com/p.F[gopkg.in/yaml%2ev3.T]": groupOther,
	} {
		if got := packageGroup(symbolname.Package(name), "gopkg.in/yaml.v3"); got != want {
			t.Errorf("%s is of group %d, want %d", name, got, want)
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
