package exectrace

// liveTable finds goroutines by their numbers, in slots that stay where they
// are while the goroutine lives. It grows with those that live at once, not
// with those that ever did.
//
// It is a hash table with linear probing whose gaps are closed on removal
// (Knuth, The Art of Computer Programming, volume 3, algorithm 6.4R): a trace
// looks a goroutine up with every second event.
type liveTable struct {
	slots []goroutine
	free  []int32
	index []int32 // slot + 1, 0 for none; its length is a power of two
	shift uint
	count int
}

func newLiveTable() liveTable {
	return liveTable{index: make([]int32, 1<<10), shift: 64 - 10}
}

// home returns where a number's entry would best stand (Fibonacci hashing).
func (t *liveTable) home(id int64) int {
	return int(uint64(id) * 0x9e3779b97f4a7c15 >> t.shift)
}

// find returns the slot of a goroutine, -1 for none.
func (t *liveTable) find(id int64) int32 {
	mask := len(t.index) - 1
	for i := t.home(id); ; i = (i + 1) & mask {
		slot := t.index[i] - 1
		if slot < 0 || t.slots[slot].id == id {
			return slot
		}
	}
}

// add makes a slot for a goroutine that has none.
func (t *liveTable) add(id int64) int32 {
	if 2*t.count >= len(t.index) {
		t.grow()
	}
	var slot int32
	if last := len(t.free) - 1; last >= 0 {
		slot, t.free = t.free[last], t.free[:last]
	} else {
		slot = int32(len(t.slots))
		t.slots = append(t.slots, goroutine{})
	}
	t.slots[slot] = goroutine{id: id}
	t.count++
	t.enter(slot)
	return slot
}

func (t *liveTable) enter(slot int32) {
	mask := len(t.index) - 1
	i := t.home(t.slots[slot].id)
	for t.index[i] != 0 {
		i = (i + 1) & mask
	}
	t.index[i] = slot + 1
}

func (t *liveTable) grow() {
	old := t.index
	t.index = make([]int32, 2*len(old))
	t.shift--
	for _, entry := range old {
		if entry != 0 {
			t.enter(entry - 1)
		}
	}
}

// remove frees a slot.
func (t *liveTable) remove(slot int32) {
	mask := len(t.index) - 1
	gap := t.home(t.slots[slot].id)
	for t.index[gap] != slot+1 {
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; t.index[i] != 0; i = (i + 1) & mask {
		// An entry may fill the gap if that lies between its home and where it is.
		if home := t.home(t.slots[t.index[i]-1].id); (i-home)&mask >= (i-gap)&mask {
			t.index[gap] = t.index[i]
			gap = i
		}
	}
	t.index[gap] = 0
	t.slots[slot].state = Gone
	t.free = append(t.free, slot)
	t.count--
}
