package knowledge

import (
	"go/ast"
	"go/types"

	"whet/internal/finding"
	"whet/internal/typed"
)

// ofReflection are the rows of packages reflect, runtime and sync.
func ofReflection() []Row {
	return []Row{
		{
			ID: "deepequal-bytes", Cause: "general-function", Callees: []string{"reflect.DeepEqual"}, When: alike("slices of bytes", sliceOf(isByte)),
			Cost:       "boxes both and inspects their type",
			Instead:    "Use bytes.Equal(a, b). It treats nil and empty as equal, which DeepEqual does not.",
			Confidence: finding.High,
			Example: Example{Params: "a, b []byte", Result: "bool", Args: "[]byte(" + sentence + "), []byte(" + sentence + ")",
				Before: `return reflect.DeepEqual(a, b)`, After: `return bytes.Equal(a, b)`},
		},
		{
			ID: "deepequal-slices", Cause: "general-function", Callees: []string{"reflect.DeepEqual"}, When: alike("slices of strings, numbers or structs of them", sliceOf(typed.Plain)), Go: "go1.21",
			Cost:       "compares the elements one by one by reflection",
			Instead:    "Use slices.Equal(a, b). It treats nil and empty as equal, which DeepEqual does not, and a slice that contains NaN as unequal to itself.",
			Confidence: finding.High,
			Example: Example{Params: "a, b []string", Result: "bool", Args: "strings.Fields(" + sentence + "), strings.Fields(" + sentence + ")",
				Before: `return reflect.DeepEqual(a, b)`, After: `return slices.Equal(a, b)`},
		},
		{
			ID: "deepequal-maps", Cause: "general-function", Callees: []string{"reflect.DeepEqual"}, When: alike("maps to strings, numbers or structs of them", mapOf(typed.Plain)), Go: "go1.21",
			Cost:       "compares the entries one by one by reflection",
			Instead:    "Use maps.Equal(a, b). It treats nil and empty as equal, which DeepEqual does not, and a map that contains NaN as unequal to itself.",
			Confidence: finding.High,
			Example: Example{Params: "a, b map[string]int", Result: "bool", Args: ages + ", " + ages,
				Before: `return reflect.DeepEqual(a, b)`, After: `return maps.Equal(a, b)`},
		},
		{
			ID: "deepequal-plain", Cause: "general-function", Callees: []string{"reflect.DeepEqual"}, When: alike("strings, numbers or structs of them", typed.Plain),
			Cost:       "boxes both and compares them by reflection",
			Instead:    "Use a == b, which gives the same result.",
			Confidence: finding.High,
			Example: Example{Params: "a, b point", Result: "bool", Args: `point{1, 2, "a"}, point{1, 2, "a"}`, Decls: "type point struct {\n\tx, y int\n\tname string\n}",
				Before: `return reflect.DeepEqual(a, b)`, After: `return a == b`},
		},
		{
			ID: "deepequal-struct", Cause: "general-function", Callees: []string{"reflect.DeepEqual"}, When: alike("structs of one type, or pointers to them", structOrPointer),
			Cost:       "compares the fields by reflection",
			Instead:    "Write a method that compares the fields: with == for plain ones, slices.Equal and maps.Equal for the others, which treat nil and empty as equal. A test that sets each field in turn keeps the method complete.",
			Confidence: finding.Medium,
			Example: Example{Params: "a, b *job", Result: "bool", Args: `&job{"a", []int{1, 2, 3}, 7}, &job{"a", []int{1, 2, 3}, 7}`, Decls: "type job struct {\n\tname  string\n\tsteps []int\n\tcode  int\n}",
				Before: `return reflect.DeepEqual(a, b)`, After: `return a.name == b.name && a.code == b.code && slices.Equal(a.steps, b.steps)`},
		},
		{
			ID: "reflect-fieldbyname", Cause: "made-per-call", Callees: []string{"reflect.Value.FieldByName", "reflect.Value.FieldByNameFunc", "reflect.Type.FieldByName"},
			Cost:       "looks up the field by its name",
			Instead:    "Look up the field once for each type and name, f, ok := t.FieldByName(name), keep f.Index (in a sync.Map by both if they vary), and call v.FieldByIndex(f.Index). If the types are known, a type switch and the field itself need no reflection.",
			Confidence: finding.Medium,
			Example: Example{Params: "v reflect.Value", Result: "int", Args: `reflect.ValueOf(wide{name: "x", code: 7})`, Decls: "type wide struct {\n\ta, b, c, d, e string\n\tname string\n\tcode int\n}\n\nvar code, _ = reflect.TypeFor[wide]().FieldByName(\"code\")",
				Before: `return int(v.FieldByName("code").Int())`, After: `return int(v.FieldByIndex(code.Index).Int())`},
		},
		{
			ID: "reflect-methodbyname", Cause: "general-function", Callees: []string{"reflect.Value.MethodByName"}, When: fixed(0),
			Cost:       "looks up the method by its name",
			Instead:    "Assert an interface with that method, if n, ok := x.(interface{ Name() string }); ok, and call it.",
			Confidence: finding.Medium,
			Example: Example{Params: "x any", Result: "string", Args: `named("x")`, Decls: "type named string\n\nfunc (n named) Name() string { return string(n) }\n\nfunc (n named) Age() int { return len(n) }",
				Before: "m := reflect.ValueOf(x).MethodByName(\"Name\")\nif !m.IsValid() {\n\treturn \"\"\n}\nreturn m.Call(nil)[0].String()",
				After:  "n, ok := x.(interface{ Name() string })\nif !ok {\n\treturn \"\"\n}\nreturn n.Name()"},
		},
		{
			ID: "reflect-interface-asserted", Cause: "general-function", Callees: []string{"reflect.Value.Interface"}, When: all(asserted, inPlace), Go: "go1.25",
			Cost:       "boxes the value",
			Instead:    "x, ok := reflect.TypeAssert[T](v) returns it without boxing; ok is false where an assertion with one result panics.",
			Confidence: finding.High,
			Example: Example{Params: "v reflect.Value", Result: "int", Args: `reflect.ValueOf([]string{"a long enough text", "b"})`,
				Before: "n := 0\nfor i := range v.Len() {\n\ts, _ := v.Index(i).Interface().(string)\n\tn += len(s)\n}\nreturn n",
				After:  "n := 0\nfor i := range v.Len() {\n\ts, _ := reflect.TypeAssert[string](v.Index(i))\n\tn += len(s)\n}\nreturn n"},
		},
		{
			ID: "reflect-mapkeys-counted", Cause: "counted-result", Callees: []string{"reflect.Value.MapKeys"}, When: all(inPlace, counted),
			Cost: "allocates a slice of all keys", Instead: "v.Len() is their number.",
			Goes: All, Confidence: finding.High,
			Example: Example{Params: "v reflect.Value", Result: "int", Args: "reflect.ValueOf(" + ages + ")",
				Before: `return len(v.MapKeys())`, After: `return v.Len()`},
		},
		{
			ID: "reflect-mapkeys-ranged", Cause: "ranged-pieces", Callees: []string{"reflect.Value.MapKeys"}, When: all(ranged, inPlace),
			Cost:       "allocates a slice of all keys",
			Instead:    "Iterate with v.MapRange() and Next; Key and Value return the entry, so MapIndex is not needed, and k.SetIterKey(it) with k := reflect.New(t).Elem() boxes nothing; a key that is kept beyond its round is it.Key(). If the loop changes the map, keep MapKeys.",
			Confidence: finding.Medium,
			Example: Example{Params: "v reflect.Value", Result: "int", Args: "reflect.ValueOf(" + ages + ")",
				Before: "n := 0\nfor _, k := range v.MapKeys() {\n\tn += len(k.String()) + int(v.MapIndex(k).Int())\n}\nreturn n",
				After:  "n := 0\nkey, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()\nfor it := v.MapRange(); it.Next(); {\n\tkey.SetIterKey(it)\n\tvalue.SetIterValue(it)\n\tn += len(key.String()) + int(value.Int())\n}\nreturn n"},
		},
		{
			ID: "runtime-caller-pc", Cause: "general-function", Callees: []string{"runtime.Caller"}, When: pcAlone,
			Cost:       "looks up the file and the line, which are dropped",
			Instead:    "Use var pcs [1]uintptr; runtime.Callers(skip+1, pcs[:]) stores the return address; if it returns 1, pcs[0]-1 is the result of Caller. For functions that may be inlined use runtime.CallersFrames.",
			Confidence: finding.Medium,
			Example: Example{Params: "n int", Result: "uintptr", Args: "1", Differs: true,
				Before: "pc, _, _, _ := runtime.Caller(n)\nreturn pc", After: "var pcs [1]uintptr\nruntime.Callers(n+1, pcs[:])\nreturn pcs[0] - 1"},
		},
		{
			ID: "runtime-readmemstats", Cause: "general-function", Callees: []string{"runtime.ReadMemStats"},
			Cost:       "stops all goroutines while it reads",
			Instead:    "metrics.Read of package runtime/metrics reads only the requested metrics and stops nothing: HeapAlloc is /memory/classes/heap/objects:bytes, NumGC /gc/cycles/total:gc-cycles, TotalAlloc /gc/heap/allocs:bytes, Sys /memory/classes/total:bytes.",
			Confidence: finding.Medium,
			Example: Example{Params: "", Result: "uint64", Args: "", Differs: true, Imports: []string{"runtime/metrics"}, Decls: "var live = []metrics.Sample{{Name: \"/memory/classes/heap/objects:bytes\"}}",
				Before: "var m runtime.MemStats\nruntime.ReadMemStats(&m)\nreturn m.HeapAlloc", After: "metrics.Read(live)\nreturn live[0].Value.Uint64()"},
		},
		{
			ID: "runtime-gc", Cause: "general-function", Callees: []string{"runtime.GC", "runtime/debug.FreeOSMemory"}, When: perCall,
			Cost:       "collects the whole heap, and waits for it",
			Instead:    "Leave it to the runtime, which collects when the heap has grown. If memory is short, debug.SetMemoryLimit (GOMEMLIMIT) makes it collect earlier and return memory.",
			Goes:       All,
			Confidence: finding.Medium,
			Example: Example{Params: "n int", Result: "int", Args: "1000",
				Before: "b := make([]byte, n)\nruntime.GC()\nreturn len(b)", After: "b := make([]byte, n)\nreturn len(b)"},
		},
	}
}

func isByte(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// mapOf reports whether a type is a map to elements with a property.
func mapOf(is func(types.Type) bool) func(types.Type) bool {
	return func(t types.Type) bool {
		m, ok := t.Underlying().(*types.Map)
		return ok && is(m.Elem())
	}
}

func structOrPointer(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// asserted: the result is taken for a type that is no interface.
var asserted = result("it is only asserted to a concrete type", func(c *Call, use ast.Expr) bool {
	e, ok := c.In.Parent(use).(*ast.TypeAssertExpr)
	return ok && e.Type != nil && c.In.TypeOf(e.Type) != nil && !types.IsInterface(c.In.TypeOf(e.Type))
})

// pcAlone: of the call's results only the first is named.
var pcAlone = Condition{"its file and line are dropped", func(c *Call) bool {
	st, ok := c.In.Parent(c.CallExpr).(*ast.AssignStmt)
	if !ok || len(st.Lhs) != 4 {
		return false
	}
	for _, e := range st.Lhs[1:3] {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}}
