package knowledge

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/finding"
	"whet/internal/typed"
)

// people is what examples sort.
const people = `type person struct {
	name string
	age  int
}

func crowd() []person {
	all := make([]person, 300)
	for i := range all {
		all[i] = person{"name", i * 7919 % 1009}
	}
	return all
}
`

// ofSorting are the rows of packages sort, slices, maps and container.
func ofSorting() []Row {
	return []Row{
		{
			ID: "sort-in-loop", Cause: "repeated-scan", When: grownByLoop(0),
			Callees:    []string{"sort.Ints", "sort.Strings", "sort.Float64s", "slices.Sort[...]"},
			Cost:       "sorts all elements again after one was added",
			Instead:    "Sort once after the loop. If the order is needed in each round, insert the element in its place: i, _ := slices.BinarySearch(s, x), s = slices.Insert(s, i, x); if only the least is needed, use a heap.",
			Confidence: finding.Medium,
			Example: Example{Params: "list []int", Result: "[]int", Args: "rand.New(rand.NewSource(1)).Perm(200)",
				Before: "var sorted []int\nfor _, x := range list {\n\tsorted = append(sorted, x)\n\tslices.Sort(sorted)\n}\nreturn sorted",
				After:  "var sorted []int\nfor _, x := range list {\n\ti, _ := slices.BinarySearch(sorted, x)\n\tsorted = slices.Insert(sorted, i, x)\n}\nreturn sorted"},
		},
		{
			ID: "sort-by-function-in-loop", Cause: "repeated-scan", When: grownByLoop(0),
			Callees:    []string{"sort.Slice", "sort.SliceStable", "slices.SortFunc[...]", "slices.SortStableFunc[...]"},
			Cost:       "sorts all elements again after one was added",
			Instead:    "Sort once after the loop. If the order is needed in each round, insert the element in its place, with slices.BinarySearchFunc and slices.Insert; if only the least is needed, use a heap. Equal elements may come in another order.",
			Confidence: finding.Medium,
			Example: Example{Params: "list []person", Result: "int", Args: "crowd()", Decls: people,
				Before: "var sorted []person\nfor _, x := range list {\n\tsorted = append(sorted, x)\n\tsort.Slice(sorted, func(i, j int) bool { return sorted[i].age < sorted[j].age })\n}\nreturn sorted[0].age",
				After:  "var sorted []person\nfor _, x := range list {\n\ti, _ := slices.BinarySearchFunc(sorted, x, func(a, b person) int { return cmp.Compare(a.age, b.age) })\n\tsorted = slices.Insert(sorted, i, x)\n}\nreturn sorted[0].age"},
		},
		{
			ID: "sort-slice-ordered", Cause: "general-function", When: ascending, Callees: []string{"sort.Slice"},
			Cost:       "swaps elements by reflection, and compares them through a function",
			Instead:    "sort.Ints(s), sort.Strings(s) and sort.Float64s(s) compare the elements directly, as slices.Sort(s) does; NaNs come first.",
			Confidence: finding.High,
			Example: Example{Params: "list []int", Result: "int", Args: "rand.New(rand.NewSource(1)).Perm(300)",
				Before: "list = slices.Clone(list)\nsort.Slice(list, func(i, j int) bool { return list[i] < list[j] })\nreturn list[0]",
				After:  "list = slices.Clone(list)\nsort.Ints(list)\nreturn list[0]"},
		},
		{
			ID: "sort-slice-typed", Cause: "general-function", When: smallElements, Callees: []string{"sort.Slice"},
			Cost:       "swaps elements by reflection, and accesses each by its index",
			Instead:    "slices.SortFunc(s, func(a, b T) int { return cmp.Compare(a.Key, b.Key) }) is compiled for the element type; for several keys, cmp.Or returns the first difference. Neither sort is stable.",
			Confidence: finding.High,
			Example: Example{Params: "list []person", Result: "int", Args: "crowd()", Decls: people,
				Before: "list = slices.Clone(list)\nsort.Slice(list, func(i, j int) bool { return list[i].age < list[j].age })\nreturn list[0].age",
				After:  "list = slices.Clone(list)\nslices.SortFunc(list, func(a, b person) int { return cmp.Compare(a.age, b.age) })\nreturn list[0].age"},
		},
		{
			ID: "sort-slicestable-typed", Cause: "general-function", When: smallElements, Callees: []string{"sort.SliceStable"},
			Cost:       "swaps elements by reflection, and accesses each by its index",
			Instead:    "slices.SortStableFunc(s, func(a, b T) int { return cmp.Compare(a.Key, b.Key) }) is compiled for the element type, and gives the same order.",
			Confidence: finding.High,
			Example: Example{Params: "list []person", Result: "int", Args: "crowd()", Decls: people,
				Before: "list = slices.Clone(list)\nsort.SliceStable(list, func(i, j int) bool { return list[i].age < list[j].age })\nreturn list[0].age",
				After:  "list = slices.Clone(list)\nslices.SortStableFunc(list, func(a, b person) int { return cmp.Compare(a.age, b.age) })\nreturn list[0].age"},
		},
		{
			ID: "sort-reverse-typed", Cause: "general-function", Callees: []string{"sort.Sort"},
			When:       reversedSlice,
			Cost:       "compares and swaps through two interfaces",
			Instead:    "slices.SortFunc(s, func(a, b T) int { return cmp.Compare(b, a) }) sorts in descending order; for another type, compare b with a as its Less does.",
			Confidence: finding.High,
			Example: Example{Params: "list []int", Result: "[]int", Args: "rand.New(rand.NewSource(1)).Perm(300)",
				Before: "list = slices.Clone(list)\nsort.Sort(sort.Reverse(sort.IntSlice(list)))\nreturn list",
				After:  "list = slices.Clone(list)\nslices.SortFunc(list, func(a, b int) int { return cmp.Compare(b, a) })\nreturn list"},
		},
		{
			ID: "heap-typed", Cause: "general-function", When: ofHeap, Callees: []string{"container/heap.Push", "container/heap.Pop"},
			Cost:       "moves elements with methods of an interface, and passes each as an any",
			Instead:    "Use a heap for the element type: a slice with functions that sift up and down, twenty lines, in which comparisons are inlined and no element is boxed.",
			Confidence: finding.Medium,
			Example: Example{Params: "list []int", Result: "int", Args: "rand.New(rand.NewSource(1)).Perm(100)", Decls: `type ints []int

func (h ints) Len() int           { return len(h) }
func (h ints) Less(i, j int) bool { return h[i] < h[j] }
func (h ints) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ints) Push(x any)        { *h = append(*h, x.(int)) }
func (h *ints) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func push(h []int, x int) []int {
	h = append(h, x)
	for i := len(h) - 1; i > 0 && h[i] < h[(i-1)/2]; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	return h
}
`,
				Before: "h := make(ints, 0, len(list))\nfor _, x := range list {\n\theap.Push(&h, x)\n}\nreturn h[0]",
				After:  "h := make([]int, 0, len(list))\nfor _, x := range list {\n\th = push(h, x)\n}\nreturn h[0]"},
		},
		{
			ID: "slices-contains-in-loop", Cause: "repeated-scan", When: keptByLoop(0), Callees: []string{"slices.Contains[...]"},
			Cost:       "scans the slice",
			Instead:    "Put the elements into a map[T]bool, or map[T]struct{}, before the loop, and look them up there. With fewer than a dozen numbers or short strings the slice is as fast.",
			Confidence: finding.Medium,
			Example: Example{Params: "names, wanted []string", Result: "int", Args: "numbered(200), numbered(200)", Decls: numbered,
				Before: "n := 0\nfor _, name := range names {\n\tif slices.Contains(wanted, name) {\n\t\tn++\n\t}\n}\nreturn n",
				After:  "set := make(map[string]bool, len(wanted))\nfor _, w := range wanted {\n\tset[w] = true\n}\nn := 0\nfor _, name := range names {\n\tif set[name] {\n\t\tn++\n\t}\n}\nreturn n"},
		},
		{
			ID: "slices-index-in-loop", Cause: "repeated-scan", When: keptByLoop(0), Callees: []string{"slices.Index[...]"},
			Cost:       "scans the slice",
			Instead:    "Put the index of each element, the first among equal ones, into a map[T]int before the loop, and look it up there. With fewer than a dozen numbers or short strings the slice is as fast.",
			Confidence: finding.Medium,
			Example: Example{Params: "names, wanted []string", Result: "int", Args: "numbered(200), numbered(200)", Decls: numbered,
				Before: "n := 0\nfor _, name := range names {\n\tn += slices.Index(wanted, name)\n}\nreturn n",
				After:  "at := make(map[string]int, len(wanted))\nfor i, w := range wanted {\n\tif _, ok := at[w]; !ok {\n\t\tat[w] = i\n\t}\n}\nn := 0\nfor _, name := range names {\n\ti, ok := at[name]\n\tif !ok {\n\t\ti = -1\n\t}\n\tn += i\n}\nreturn n"},
		},
		{
			ID: "slices-collect-counted", Cause: "counted-result", When: all(inPlace, counted, argumentFrom("maps.Keys[...]", "maps.Values[...]")), Callees: []string{"slices.Collect[...]", "slices.Sorted[...]"},
			Cost: "allocates a slice of them", Instead: "len(m) is their number.",
			Goes: All, Confidence: finding.High,
			Example: Example{Params: "m map[string]int", Result: "int", Args: ages,
				Before: `return len(slices.Collect(maps.Keys(m)))`, After: `return len(m)`},
		},
		{
			ID: "slices-collect-ranged", Cause: "ranged-pieces", When: ranged, Callees: []string{"slices.Collect[...]"},
			Cost:       "allocates a slice of all yielded values",
			Instead:    "Range over the sequence itself: for k := range maps.Keys(m), or for k := range m. If the loop changes the source of the sequence, keep the slice.",
			Confidence: finding.Medium,
			Example: Example{Params: "m map[string]int", Result: "int", Args: ages,
				Before: "n := 0\nfor _, v := range slices.Collect(maps.Values(m)) {\n\tn += v\n}\nreturn n",
				After:  "n := 0\nfor v := range maps.Values(m) {\n\tn += v\n}\nreturn n"},
		},
		{
			ID: "container-list-queue", Cause: "general-function", Callees: []string{"container/list.(*List).PushBack", "container/list.(*List).PushFront"},
			When:       all(receiverAsked("PushBack", "PushFront", "Front", "Back", "Remove", "Len", "Init"), endsOnly),
			Cost:       "allocates an element, and the value in its interface",
			Instead:    "For a queue or a stack, use a slice of the value type: append at the end, take s[0] and continue with s[1:], or take the last. A queue that never runs empty needs a ring, or a copy to the front now and then.",
			Confidence: finding.Medium,
			Example: Example{Params: "n int", Result: "int", Args: "200",
				Before: "q := list.New()\nsum := 0\nfor x := range n {\n\tq.PushBack(x)\n}\nfor q.Len() > 0 {\n\te := q.Front()\n\tq.Remove(e)\n\tsum += e.Value.(int)\n}\nreturn sum",
				After:  "var q []int\nsum := 0\nfor x := range n {\n\tq = append(q, x)\n}\nfor len(q) > 0 {\n\tsum += q[0]\n\tq = q[1:]\n}\nreturn sum"},
		},
		{
			ID: "x-exp-maps-ranged", Cause: "ranged-pieces", When: ranged, Callees: []string{"golang.org/x/exp/maps.Keys[...]", "golang.org/x/exp/maps.Values[...]"},
			Cost:       "allocates a slice of all of them",
			Instead:    "Range over the map: for k := range m, for _, v := range m. If the loop adds to the map, keep the slice.",
			Confidence: finding.Medium,
			Example: Example{Params: "m map[string]int", Result: "int", Args: ages, Imports: []string{"golang.org/x/exp/maps"},
				Before: "n := 0\nfor _, k := range maps.Keys(m) {\n\tn += len(k)\n}\nreturn n",
				After:  "n := 0\nfor k := range m {\n\tn += len(k)\n}\nreturn n"},
		},
		{
			ID: "x-exp-maps-counted", Cause: "counted-result", When: all(inPlace, counted), Callees: []string{"golang.org/x/exp/maps.Keys[...]", "golang.org/x/exp/maps.Values[...]"},
			Cost: "allocates a slice of all of them", Instead: "len(m) is their number.",
			Goes: All, Confidence: finding.High,
			Example: Example{Params: "m map[string]int", Result: "int", Args: ages, Imports: []string{"golang.org/x/exp/maps"},
				Before: `return len(maps.Keys(m))`, After: `return len(m)`},
		},
	}
}

// Arguments of examples.
const (
	ages     = `map[string]int{"ann": 31, "bob": 28, "cid": 44, "dan": 19, "eve": 50, "flo": 23, "gus": 61, "hal": 35, "ida": 40}`
	numbered = `func numbered(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = "name-" + strconv.Itoa(i)
	}
	return list
}`
)

// smallElements: a function that compares elements gets copies of both, which pays
// while they are small.
var smallElements = arg(0, "is a slice of elements of at most 64 bytes", func(c *Call, e ast.Expr) bool {
	of := typed.Element(c.In.TypeOf(e))
	if of == nil {
		return false
	}
	size := c.In.Pointee(types.NewPointer(of))
	return size > 0 && size <= 64
})

// comparison returns the comparison that is all a function literal returns, and the literal's
// parameters; nil where it does anything else.
func (c *Call) comparison(e ast.Expr) (cmp *ast.BinaryExpr, params []*types.Var) {
	lit, ok := ast.Unparen(e).(*ast.FuncLit)
	if !ok || len(lit.Body.List) != 1 {
		return nil, nil
	}
	ret, ok := lit.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil, nil
	}
	for _, field := range lit.Type.Params.List {
		for _, name := range field.Names {
			v, _ := c.In.Info.Defs[name].(*types.Var)
			params = append(params, v)
		}
	}
	cmp, _ = ast.Unparen(ret.Results[0]).(*ast.BinaryExpr)
	return cmp, params
}

// indexed returns the slice of which an expression is the element of an index, nil where it
// is none.
func (c *Call) indexed(e ast.Expr, by *types.Var) ast.Expr {
	ix, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok || by == nil || c.In.Var(ix.Index) != by {
		return nil
	}
	return ix.X
}

// ascending: numbers or strings in their own order.
var ascending = Condition{"it sorts integers, strings or floating-point numbers, and its function compares s[i] < s[j]", func(c *Call) bool {
	if len(c.Args) != 2 {
		return false
	}
	cmp, params := c.comparison(c.Args[1])
	if cmp == nil || len(params) != 2 || cmp.Op != token.LSS {
		return false
	}
	first, second := c.indexed(cmp.X, params[0]), c.indexed(cmp.Y, params[1])
	switch typed.Element(c.In.TypeOf(c.Args[0])) {
	case types.Typ[types.Int], types.Typ[types.String], types.Typ[types.Float64]:
		return first != nil && second != nil && typed.Same(first, c.Args[0]) && typed.Same(second, c.Args[0])
	}
	return false
}}

// ofHeap: the heap is a slice by a pointer, so that its elements are all there is.
var ofHeap = arg(0, "is a pointer to a slice", func(c *Call, e ast.Expr) bool {
	to, ok := typed.Under[*types.Pointer](c.In.TypeOf(e))
	if !ok {
		return false
	}
	_, ok = typed.Under[*types.Slice](to.Elem())
	return ok
})

// argumentFrom: the first argument is made where it stands by one of some functions.
func argumentFrom(callees ...string) Condition {
	return all(resultOf(0, callees...), arg(0, "is that call itself", func(_ *Call, e ast.Expr) bool {
		_, ok := e.(*ast.CallExpr)
		return ok
	}))
}

// reversedSlice: the argument is sort.Reverse of a slice, which holds all that is
// swapped.
var reversedSlice = all(resultOf(0, "sort.Reverse"), arg(0, "reverses a slice", func(c *Call, e ast.Expr) bool {
	call := c.made(e)
	if call == nil || len(call.Args) != 1 {
		return false
	}
	_, ok := typed.Under[*types.Slice](c.In.TypeOf(call.Args[0]))
	return ok
}))

// endsOnly: the package keeps no element that it puts into a list, and removes those
// at the list's ends.
var endsOnly = Condition{"no element of it is kept, and elements are removed only at its ends", func(c *Call) bool {
	v, ok := c.In.Object(c.receiver()).(*types.Var)
	return ok && !slices.ContainsFunc(c.In.Uses(v), func(id *ast.Ident) bool {
		e := ast.Expr(id)
		if sel, ok := c.In.Parent(id).(*ast.SelectorExpr); ok && sel.Sel == id {
			e = sel
		}
		name := c.method(e)
		if name == "" {
			return false
		}
		call := c.In.Parent(c.In.Parent(e)).(*ast.CallExpr)
		switch name {
		case "PushBack", "PushFront":
			_, dropped := c.In.Parent(call).(*ast.ExprStmt)
			return !dropped
		case "Remove":
			return len(call.Args) != 1 || !c.atEnd(call.Args[0])
		}
		return false
	})
}}

// atEnd reports whether an element is the first or the last of a list, by itself or
// through a variable that is set to nothing else.
func (c *Call) atEnd(e ast.Expr) bool {
	values, known := []ast.Expr{e}, true
	if v := c.In.Var(e); v != nil {
		values, known = c.In.SetTo(v)
	}
	return known && len(values) > 0 && !slices.ContainsFunc(values, func(e ast.Expr) bool {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		return !ok || !slices.Contains([]string{"container/list.(*List).Front", "container/list.(*List).Back"}, c.In.Called(call))
	})
}
