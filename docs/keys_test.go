package docs

import (
	"slices"
	"testing"
)

func TestKeys(t *testing.T) {
	page := "# JSON\n\n## whet/tune/1, whet/diagnose/1\n\n| key | meaning |\n|---|---|\n| `schema`, `warnings` | `not.this` |\n| `findings[].line` | |\n| `host.*` | |\n\n## Other\n\n| `nobody` | |\n"
	documented := DocumentedKeys(page)
	want := []string{"schema", "warnings", "findings[].line", "host.*"}
	if len(documented) != 2 || !slices.Equal(documented["whet/tune/1"], want) || !slices.Equal(documented["whet/diagnose/1"], want) {
		t.Fatalf("documented: %q", documented)
	}
	schema, paths, err := Keys([]byte(`{"schema":"whet/tune/1","warnings":["x"],"findings":[{"line":1},{"line":2,"file":"x"}],"host":{"cores":2},"hosts":1}`))
	if err != nil || schema != "whet/tune/1" {
		t.Fatal(schema, err)
	}
	if want := []string{"findings", "findings[].file", "findings[].line", "host", "host.cores", "hosts", "schema", "warnings"}; !slices.Equal(paths, want) {
		t.Errorf("paths %q, want %q", paths, want)
	}
	if got, want := Undocumented(paths, documented[schema]), []string{"findings", "findings[].file", "hosts"}; !slices.Equal(got, want) {
		t.Errorf("undocumented %q, want %q", got, want)
	}
	if _, _, err := Keys([]byte("[]")); err == nil {
		t.Error("a list is no document")
	}
}
