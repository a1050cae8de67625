package lazyregexp

import (
	"sync"
	"testing"
)

var digits = Pattern{Text: `^[0-9]+$`}

// TestOnce: the first caller compiles it, for all.
func TestOnce(t *testing.T) {
	var wg sync.WaitGroup
	first := digits.Regexp()
	for range 8 {
		wg.Go(func() {
			if re := digits.Regexp(); re != first || !re.MatchString("12") || re.MatchString("1a") {
				t.Error(re)
			}
		})
	}
	wg.Wait()
	defer func() {
		if recover() == nil {
			t.Error("what is no expression was compiled")
		}
	}()
	broken := Pattern{Text: "("}
	broken.Regexp()
}
