package wall

// item is time in one state at one place.
type item struct {
	at    *node // nil: somewhere under the goroutine's root
	class class
	task  taskType
	ns    int64
	n     int64 // intervals
}

// ledger is time that waits for its group: of a request until its handler is
// known, of a goroutine until its root function is. Items are merged once there
// are many, so that it grows with the distinct places and not with time.
type ledger struct {
	items   []item
	mergeAt int
}

const mergeItems = 256

func (l *ledger) add(at *node, c class, task taskType, ns int64) { l.put(item{at, c, task, ns, 1}) }

func (l *ledger) put(it item) {
	if last := len(l.items) - 1; last >= 0 && l.items[last].at == it.at && l.items[last].class == it.class && l.items[last].task == it.task {
		l.items[last].ns += it.ns
		l.items[last].n += it.n
		return
	}
	l.items = append(l.items, it)
	if len(l.items) >= max(l.mergeAt, mergeItems) {
		l.merge()
	}
}

func (l *ledger) merge() {
	type key struct {
		at    *node
		class class
		task  taskType
	}
	index := make(map[key]int)
	merged := l.items[:0]
	for _, it := range l.items {
		k := key{it.at, it.class, it.task}
		i, ok := index[k]
		if !ok {
			index[k] = len(merged)
			merged = append(merged, it)
			continue
		}
		merged[i].ns += it.ns
		merged[i].n += it.n
	}
	l.items = merged
	l.mergeAt = 2 * len(merged)
}

// move takes over all of another's items.
func (l *ledger) move(from *ledger) {
	for _, it := range from.items {
		l.put(it)
	}
	from.items = nil
}
