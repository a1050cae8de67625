package docs

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/compare"
	"whet/internal/document"
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

// TestProveKeys: the page explains every key that a proof can have, those too
// that no command of the page's brings about.
func TestProveKeys(t *testing.T) {
	var r compare.Result
	fill(reflect.ValueOf(&r).Elem())
	r.Schema = document.Prove
	data, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, paths, err := Keys(data)
	if err != nil {
		t.Fatal(err)
	}
	documented := DocumentedKeys(string(page))[document.Prove]
	for _, path := range Undocumented(paths, documented) {
		t.Errorf("%s: json.md does not explain %s", document.Prove, path)
	}
	for _, path := range Undocumented(documented, append(paths, "old.*", "new.*", "host.*")) {
		if base, ok := strings.CutSuffix(path, ".*"); !ok || !slices.Contains(paths, base) {
			t.Errorf("%s: json.md explains %s, which no document has", document.Prove, path)
		}
	}
}

// fill sets everything below a value, one element in each list.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint64:
		v.SetUint(1)
	}
}
