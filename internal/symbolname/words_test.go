package symbolname

import "testing"

func TestWords(t *testing.T) {
	for name, want := range map[string]bool{"Add": true, "AddAll": true, "Add2": true, "Address": false, "add": false, "Readd": false, "PutUint32": true} {
		if got := Begins(name, []string{"Put", "Add"}); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
