package typeview

import "go/types"

// maxExpanded bounds how many named types, instances among them, are met while
// types are checked: a few generic ones can stand for any number. The standard
// library has some ten thousand in all.
const maxExpanded = 1 << 17

// checkFinite refuses types that contain themselves, or that hold an endless
// chain of embedded instances: package types goes round in them for ever, as the
// compiler has seen to it that there are none.
func (c *content) checkFinite(declared []*types.Named) {
	for _, t := range declared {
		c.fields(t, 0)
	}
	seen := make(map[*types.Named]bool)
	for _, t := range declared {
		c.embedded(t, seen, 0)
	}
}

// fields returns how many fields a value holds in the end, structs and arrays in it
// counted by what they hold.
func (c *content) fields(t types.Type, depth int) int {
	if depth > c.limits.MaxDepth {
		fail("type %.100s contains itself, or is more than %d deep", t, c.limits.MaxDepth)
	}
	sum := 1
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		n, known := c.finite[t]
		switch {
		case known && n == 0:
			fail("type %.100s contains itself", t)
		case known:
			return n
		}
		if len(c.finite) > maxExpanded {
			fail("its types refer to more than %d others", maxExpanded)
		}
		c.finite[t] = 0
		if u := t.Underlying(); u != nil {
			sum = c.fields(u, depth+1)
		}
		c.finite[t] = sum
	case *types.Array:
		sum = c.fields(t.Elem(), depth+1)
	case *types.Struct:
		for f := range t.Fields() {
			if sum += c.fields(f.Type(), depth+1); sum > c.limits.MaxParts {
				fail("a struct holds more than %d fields", c.limits.MaxParts)
			}
		}
	}
	return sum
}

// embedded follows the fields that a struct embeds.
func (c *content) embedded(t types.Type, seen map[*types.Named]bool, depth int) {
	if depth > c.limits.MaxDepth {
		fail("type %.100s embeds more than %d others, one in the other", t, c.limits.MaxDepth)
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		if seen[named] {
			return
		}
		if len(seen) > maxExpanded {
			fail("its types embed more than %d others", maxExpanded)
		}
		seen[named] = true
		t = named.Underlying()
	}
	if s, ok := t.(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Embedded() {
				c.embedded(f.Type(), seen, depth+1)
			}
		}
	}
}
