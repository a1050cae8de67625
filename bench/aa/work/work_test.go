package work

import (
	"encoding/json"
	"sort"
	"strconv"
	"strings"
	"testing"
)

var (
	sinkBytes  []byte
	sinkInt    int
	sinkString string
)

type record struct {
	Name  string   `json:"name"`
	Count int      `json:"count"`
	Tags  []string `json:"tags"`
}

// BenchmarkJSON allocates and goes through reflection.
func BenchmarkJSON(b *testing.B) {
	r := record{Name: "visited", Count: 42, Tags: []string{"a", "b", "c"}}
	for i := 0; i < b.N; i++ {
		sinkBytes, _ = json.Marshal(&r)
	}
}

// BenchmarkSort computes without allocating.
func BenchmarkSort(b *testing.B) {
	values := make([]int, 1000)
	for i := 0; i < b.N; i++ {
		x := uint32(i)
		for j := range values {
			x = x*1664525 + 1013904223
			values[j] = int(x)
		}
		sort.Ints(values)
	}
	sinkInt = values[0]
}

// BenchmarkMap waits for memory.
func BenchmarkMap(b *testing.B) {
	m := make(map[string]int)
	keys := make([]string, 4096)
	for i := range keys {
		keys[i] = "key" + strconv.Itoa(i)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		m[keys[i%len(keys)]]++
	}
	sinkInt = len(m)
}

// BenchmarkLoop is a tight loop, which feels where the linker puts it.
func BenchmarkLoop(b *testing.B) {
	text := strings.Repeat("the quick brown fox ", 50)
	for i := 0; i < b.N; i++ {
		n := 0
		for j := 0; j < len(text); j++ {
			if text[j] == 'o' {
				n++
			}
		}
		sinkInt = n
	}
}

func TestWork(t *testing.T) {
	if sinkString = strconv.Itoa(7); sinkString != "7" {
		t.Error(sinkString)
	}
}
