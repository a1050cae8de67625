package exectrace

import (
	"testing"

	"pgregory.net/rapid"
)

// A table of live goroutines is a map from numbers to slots that stay.
func TestLiveTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, want := newLiveTable(), make(map[int64]int32)
		numbers := rapid.Int64Range(1, rapid.SampledFrom([]int64{8, 5000, 1 << 62}).Draw(t, "numbers"))
		for range rapid.IntRange(0, 3000).Draw(t, "steps") {
			id := numbers.Draw(t, "id")
			slot, ok := want[id]
			switch got := table.find(id); {
			case ok && got != slot, !ok && got >= 0:
				t.Fatalf("goroutine %d is in slot %d, want %d %t", id, got, slot, ok)
			case ok:
				table.remove(slot)
				delete(want, id)
			default:
				want[id] = table.add(id)
			}
		}
		for id, slot := range want {
			if table.find(id) != slot || table.slots[slot].id != id {
				t.Fatalf("goroutine %d is not in slot %d", id, slot)
			}
		}
		if table.count != len(want) || len(table.slots) != len(want)+len(table.free) {
			t.Fatalf("%d live, %d slots, %d free, want %d", table.count, len(table.slots), len(table.free), len(want))
		}
	})
}
