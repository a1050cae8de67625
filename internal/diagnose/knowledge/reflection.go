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
			Cost:       "boxes both and finds out their type",
			Instead:    "bytes.Equal(a, b). It takes nil and empty for equal, which DeepEqual does not.",
			Confidence: finding.High,
			Example: Example{Params: "a, b []byte", Result: "bool", Args: "[]byte(" + sentence + "), []byte(" + sentence + ")",
				Before: `return reflect.DeepEqual(a, b)`, After: `return bytes.Equal(a, b)`},
		},
		{
			ID: "deepequal-slices", Cause: "general-function", Callees: []string{"reflect.DeepEqual"}, When: alike("slices of strings, numbers or structs of them", sliceOf(typed.Plain)), Go: "go1.21",
			Cost:       "compares the elements one by one by reflection",
			Instead:    "slices.Equal(a, b). It takes nil and empty for equal, which DeepEqual does not, and a slice that holds NaN for unequal to itself.",
			Confidence: finding.High,
			Example: Example{Params: "a, b []string", Result: "bool", Args: "strings.Fields(" + sentence + "), strings.Fields(" + sentence + ")",
				Before: `return reflect.DeepEqual(a, b)`, After: `return slices.Equal(a, b)`},
		},
		{
			ID: "deepequal-maps", Cause: "general-function", Callees: []string{"reflect.DeepEqual"}, When: alike("maps to strings, numbers or structs of them", mapOf(typed.Plain)), Go: "go1.21",
			Cost:       "compares the entries one by one by reflection",
			Instead:    "maps.Equal(a, b). It takes nil and empty for equal, which DeepEqual does not, and a map that holds NaN for unequal to itself.",
			Confidence: finding.High,
			Example: Example{Params: "a, b map[string]int", Result: "bool", Args: ages + ", " + ages,
				Before: `return reflect.DeepEqual(a, b)`, After: `return maps.Equal(a, b)`},
		},
		{
			ID: "deepequal-plain", Cause: "general-function", Callees: []string{"reflect.DeepEqual"}, When: alike("strings, numbers or structs of them", typed.Plain),
			Cost:       "boxes both and compares them by reflection",
			Instead:    "a == b compares the same.",
			Confidence: finding.High,
			Example: Example{Params: "a, b point", Result: "bool", Args: `point{1, 2, "a"}, point{1, 2, "a"}`, Decls: "type point struct {\n\tx, y int\n\tname string\n}",
				Before: `return reflect.DeepEqual(a, b)`, After: `return a == b`},
		},
		{
			ID: "deepequal-struct", Cause: "general-function", Callees: []string{"reflect.DeepEqual"}, When: alike("structs of one type, or pointers to them", structOrPointer),
			Cost:       "goes through the fields by reflection",
			Instead:    "Write a method that compares the fields: == for plain ones, slices.Equal and maps.Equal for the others, which take nil and empty for equal. A test that sets each field in turn keeps it whole.",
			Confidence: finding.Medium,
			Example: Example{Params: "a, b *job", Result: "bool", Args: `&job{"a", []int{1, 2, 3}, 7}, &job{"a", []int{1, 2, 3}, 7}`, Decls: "type job struct {\n\tname  string\n\tsteps []int\n\tcode  int\n}",
				Before: `return reflect.DeepEqual(a, b)`, After: `return a.name == b.name && a.code == b.code && slices.Equal(a.steps, b.steps)`},
		},
		{
			ID: "reflect-fieldbyname", Cause: "made-per-call", Callees: []string{"reflect.Value.FieldByName", "reflect.Value.FieldByNameFunc", "reflect.Type.FieldByName"},
			Cost:       "looks for the field by its name",
			Instead:    "Look once for each type and name, f, ok := t.FieldByName(name), keep f.Index (a sync.Map by both where they vary), and take v.FieldByIndex(f.Index). Where the types are known, a type switch and the field itself need no reflection.",
			Confidence: finding.Medium,
			Example: Example{Params: "v reflect.Value", Result: "int", Args: `reflect.ValueOf(wide{name: "x", code: 7})`, Decls: "type wide struct {\n\ta, b, c, d, e string\n\tname string\n\tcode int\n}\n\nvar code, _ = reflect.TypeFor[wide]().FieldByName(\"code\")",
				Before: `return int(v.FieldByName("code").Int())`, After: `return int(v.FieldByIndex(code.Index).Int())`},
		},
		{
			ID: "reflect-methodbyname", Cause: "general-function", Callees: []string{"reflect.Value.MethodByName"}, When: fixed(0),
			Cost:       "looks for the method by its name",
			Instead:    "Ask for an interface with that method, if n, ok := x.(interface{ Name() string }); ok, and call it.",
			Confidence: finding.Medium,
			Example: Example{Params: "x any", Result: "string", Args: `named("x")`, Decls: "type named string\n\nfunc (n named) Name() string { return string(n) }\n\nfunc (n named) Age() int { return len(n) }",
				Before: "m := reflect.ValueOf(x).MethodByName(\"Name\")\nif !m.IsValid() {\n\treturn \"\"\n}\nreturn m.Call(nil)[0].String()",
				After:  "n, ok := x.(interface{ Name() string })\nif !ok {\n\treturn \"\"\n}\nreturn n.Name()"},
		},
		{
			ID: "reflect-interface-asserted", Cause: "general-function", Callees: []string{"reflect.Value.Interface"}, When: all(asserted, inPlace), Go: "go1.25",
			Cost:       "boxes the value",
			Instead:    "x, ok := reflect.TypeAssert[T](v) takes it out without boxing; ok is false where an assertion with one result panics.",
			Confidence: finding.High,
			Example: Example{Params: "v reflect.Value", Result: "int", Args: `reflect.ValueOf([]string{"a long enough text", "b"})`,
				Before: "n := 0\nfor i := range v.Len() {\n\ts, _ := v.Index(i).Interface().(string)\n\tn += len(s)\n}\nreturn n",
				After:  "n := 0\nfor i := range v.Len() {\n\ts, _ := reflect.TypeAssert[string](v.Index(i))\n\tn += len(s)\n}\nreturn n"},
		},
		{
			ID: "reflect-mapkeys-counted", Cause: "counted-result", Callees: []string{"reflect.Value.MapKeys"}, When: all(inPlace, counted),
			Cost: "makes a slice of all keys", Instead: "v.Len() is their number.",
			Goes: All, Confidence: finding.High,
			Example: Example{Params: "v reflect.Value", Result: "int", Args: "reflect.ValueOf(" + ages + ")",
				Before: `return len(v.MapKeys())`, After: `return v.Len()`},
		},
		{
			ID: "reflect-mapkeys-ranged", Cause: "ranged-pieces", Callees: []string{"reflect.Value.MapKeys"}, When: all(ranged, inPlace),
			Cost:       "makes a slice of all keys",
			Instead:    "Go over v.MapRange() with Next; Key and Value are the entry's, so that MapIndex is not needed, and k.SetIterKey(it) with a k := reflect.New(t).Elem() boxes none; a key that is kept beyond its round is it.Key(). Where the loop changes the map, leave it.",
			Confidence: finding.Medium,
			Example: Example{Params: "v reflect.Value", Result: "int", Args: "reflect.ValueOf(" + ages + ")",
				Before: "n := 0\nfor _, k := range v.MapKeys() {\n\tn += len(k.String()) + int(v.MapIndex(k).Int())\n}\nreturn n",
				After:  "n := 0\nkey, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()\nfor it := v.MapRange(); it.Next(); {\n\tkey.SetIterKey(it)\n\tvalue.SetIterValue(it)\n\tn += len(key.String()) + int(value.Int())\n}\nreturn n"},
		},
		{
			ID: "runtime-caller-pc", Cause: "general-function", Callees: []string{"runtime.Caller"}, When: pcAlone,
			Cost:       "finds out the file and the line, which are dropped",
			Instead:    "var pcs [1]uintptr; runtime.Callers(skip+1, pcs[:]) fills in the address of return; where it returns 1, pcs[0]-1 is what Caller returns. Of a function that may be inlined take runtime.CallersFrames.",
			Confidence: finding.Medium,
			Example: Example{Params: "n int", Result: "uintptr", Args: "1", Differs: true,
				Before: "pc, _, _, _ := runtime.Caller(n)\nreturn pc", After: "var pcs [1]uintptr\nruntime.Callers(n+1, pcs[:])\nreturn pcs[0] - 1"},
		},
		{
			ID: "runtime-readmemstats", Cause: "general-function", Callees: []string{"runtime.ReadMemStats"},
			Cost:       "stops all goroutines while it reads",
			Instead:    "metrics.Read of package runtime/metrics reads what is asked for and stops nothing: HeapAlloc is /memory/classes/heap/objects:bytes, NumGC /gc/cycles/total:gc-cycles, TotalAlloc /gc/heap/allocs:bytes, Sys /memory/classes/total:bytes.",
			Confidence: finding.Medium,
			Example: Example{Params: "", Result: "uint64", Args: "", Differs: true, Imports: []string{"runtime/metrics"}, Decls: "var live = []metrics.Sample{{Name: \"/memory/classes/heap/objects:bytes\"}}",
				Before: "var m runtime.MemStats\nruntime.ReadMemStats(&m)\nreturn m.HeapAlloc", After: "metrics.Read(live)\nreturn live[0].Value.Uint64()"},
		},
		{
			ID: "runtime-gc", Cause: "general-function", Callees: []string{"runtime.GC", "runtime/debug.FreeOSMemory"}, When: perCall,
			Cost:       "collects the whole heap, and waits for it",
			Instead:    "Leave it to the runtime: it collects when the heap has grown. Where memory is short, debug.SetMemoryLimit (GOMEMLIMIT) makes it collect earlier and give memory back.",
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
var asserted = result("it is only taken for a type that is no interface", func(c *Call, use ast.Expr) bool {
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
