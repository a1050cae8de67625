package knowledge

import (
	"go/ast"
	"go/constant"
	"go/types"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/typed"
)

// ofModules are the rows of much-used modules.
func ofModules() []Row {
	return []Row{
		{
			ID: "pkg-errors-wrap", Cause: "general-function",
			Callees:    []string{"github.com/pkg/errors.Wrap", "github.com/pkg/errors.Wrapf", "github.com/pkg/errors.WithStack", "github.com/pkg/errors.New", "github.com/pkg/errors.Errorf"},
			Cost:       "walks the stack and keeps it",
			Instead:    "If nobody prints the stack (%+v), wrap with fmt.Errorf(\"…: %w\", err), and make errors with constant text once, in package variables; errors.Is and errors.As see through both. errors.Cause does not see through fmt.Errorf.",
			Confidence: finding.Medium,
			Example: Example{Params: "name string", Result: "string", Args: `"config"`, Imports: []string{"errors github.com/pkg/errors"}, Decls: "var errMissing = fmt.Errorf(\"missing\")",
				Before: `return errors.Wrap(errMissing, name).Error()`, After: `return fmt.Errorf("%s: %w", name, errMissing).Error()`},
		},
		{
			ID: "cast-same-type", Cause: "general-function",
			Callees:    []string{"github.com/spf13/cast.ToString", "github.com/spf13/cast.ToInt", "github.com/spf13/cast.ToInt64", "github.com/spf13/cast.ToFloat64", "github.com/spf13/cast.ToBool"},
			When:       castSame,
			Cost:       "boxes the value and inspects its type",
			Instead:    "The value already has that type: use it directly.",
			Confidence: finding.High,
			Example: Example{Params: "list []int", Result: "int", Args: "[]int{1000, 2000, 3000}", Imports: []string{"github.com/spf13/cast"},
				Before: "n := 0\nfor _, x := range list {\n\tn += cast.ToInt(x)\n}\nreturn n", After: "n := 0\nfor _, x := range list {\n\tn += x\n}\nreturn n"},
		},
		{
			ID: "cast-tostring-number", Cause: "general-function", Callees: []string{"github.com/spf13/cast.ToString"},
			When:       ofType(0, "int", "int64", "int32", "uint", "uint64", "uint32"),
			Cost:       "boxes the number and inspects its type",
			Instead:    "Use strconv.Itoa(n), strconv.FormatInt(int64(n), 10), or, for an unsigned number, strconv.FormatUint(uint64(n), 10).",
			Confidence: finding.High,
			Example: Example{Params: "n int", Result: "string", Args: "123456", Imports: []string{"github.com/spf13/cast"},
				Before: `return cast.ToString(n)`, After: `return strconv.Itoa(n)`},
		},
		{
			ID: "mapstructure-decode", Cause: "general-function", Callees: []string{"github.com/mitchellh/mapstructure.Decode", "github.com/go-viper/mapstructure/v2.Decode"},
			When:       ofType(0, "map[string]interface{}", "map[string]any"),
			Cost:       "decodes the map and sets the fields by reflection",
			Instead:    "Assign the fields by hand, with a type assertion each: v.Name, _ = m[\"name\"].(string). Unlike this, Decode also matches keys in other letter case, and reports values of a wrong type.",
			Confidence: finding.Medium,
			Example: Example{Params: "m map[string]any", Result: "server", Args: `map[string]any{"host": "a", "port": 80}`, Imports: []string{"github.com/mitchellh/mapstructure"},
				Decls:  "type server struct {\n\tHost string\n\tPort int\n}",
				Before: "var s server\nif err := mapstructure.Decode(m, &s); err != nil {\n\treturn server{}\n}\nreturn s",
				After:  "var s server\ns.Host, _ = m[\"host\"].(string)\ns.Port, _ = m[\"port\"].(int)\nreturn s"},
		},
		{
			ID: "decimal-string-compared", Cause: "compared-text", Callees: []string{"github.com/shopspring/decimal.Decimal.String"}, When: compared("it is compared", nil),
			Cost:       "allocates a string",
			Instead:    "a.Equal(b) compares the numbers; parse the other side once.",
			Goes:       All,
			Confidence: finding.High,
			Example: Example{Params: "a, b decimal.Decimal", Result: "bool", Args: "decimal.New(12345, -2), decimal.New(12346, -2)", Imports: []string{"github.com/shopspring/decimal"},
				Before: `return a.String() == b.String()`, After: `return a.Equal(b)`},
		},
		{
			ID: "decimal-from-integer", Cause: "general-function", Callees: []string{"github.com/shopspring/decimal.NewFromFloat"}, When: fromInteger(0),
			Cost:       "searches for the shortest decimal of a floating-point number",
			Instead:    "decimal.NewFromInt(int64(n)) takes the integer directly, exact beyond 2^53 too; for a uint64 use decimal.NewFromUint64(n).",
			Confidence: finding.High,
			Example: Example{Params: "n int", Result: "bool", Args: "123456", Imports: []string{"github.com/shopspring/decimal"},
				Before: `return decimal.NewFromFloat(float64(n)).IsPositive()`, After: `return decimal.NewFromInt(int64(n)).IsPositive()`},
		},
		{
			ID: "decimal-constant", Cause: "made-per-call",
			Callees:    []string{"github.com/shopspring/decimal.NewFromString", "github.com/shopspring/decimal.RequireFromString", "github.com/shopspring/decimal.NewFromFloat"},
			When:       all(fixed(0), perCall),
			Cost:       "parses a constant number",
			Instead:    "Parse it once, in a package variable: decimals are immutable.",
			Confidence: finding.High,
			Example: Example{Params: "d decimal.Decimal", Result: "string", Args: "decimal.New(12345, -2)", Imports: []string{"github.com/shopspring/decimal"}, Decls: "var rate = decimal.New(119, -2)",
				Before: `return d.Mul(decimal.RequireFromString("1.19")).String()`, After: `return d.Mul(rate).String()`},
		},
		{
			ID: "spew-dump", Cause: "general-function", Callees: []string{"github.com/davecgh/go-spew/spew.Sdump", "github.com/davecgh/go-spew/spew.Sprintf", "github.com/davecgh/go-spew/spew.Sprint"},
			Cost:       "walks the value by reflection and prints types and addresses",
			Instead:    "Write the relevant fields; if the whole value must be shown, use fmt.Sprintf(\"%+v\", v), which does not follow pointers. As a key or for comparison, use the value itself.",
			Confidence: finding.Medium,
			Example: Example{Params: "j job", Result: "string", Args: `job{"a", []int{1, 2, 3}, 7}`, Decls: "type job struct {\n\tname  string\n\tsteps []int\n\tcode  int\n}", Imports: []string{"github.com/davecgh/go-spew/spew"}, Differs: true,
				Before: `return spew.Sdump(j)`, After: `return fmt.Sprintf("%+v", j)`},
		},
		{
			ID: "copier-same-type", Cause: "general-function", Callees: []string{"github.com/jinzhu/copier.Copy"}, When: alike("pointers to structs of one type", pointsToStruct),
			Cost:       "copies the fields one by one by reflection",
			Instead:    "*to = *from copies all fields, including unexported ones; neither copies the targets of slices, maps and pointers. A nil from panics, and copier's tags are ignored.",
			Confidence: finding.Medium,
			Example: Example{Params: "from *server", Result: "server", Args: `&server{"a", 80}`, Decls: "type server struct {\n\tHost string\n\tPort int\n}", Imports: []string{"github.com/jinzhu/copier"},
				Before: "to := new(server)\nif err := copier.Copy(to, from); err != nil {\n\treturn server{}\n}\nreturn *to", After: "to := new(server)\n*to = *from\nreturn *to"},
		},
		{
			ID: "funk-contains", Cause: "general-function", Callees: []string{"github.com/thoas/go-funk.Contains"}, Go: "go1.21",
			When: arg(0, "is a slice of strings or numbers, and the second has their type", func(c *Call, e ast.Expr) bool {
				of, x := typed.Element(c.In.TypeOf(e)), c.argument(1)
				return of != nil && typed.Plain(of) && x != nil && c.In.TypeOf(x) != nil && types.Identical(of, c.In.TypeOf(x))
			}),
			Cost:       "scans the slice by reflection",
			Instead:    "Use slices.Contains(s, x).",
			Confidence: finding.High,
			Example: Example{Params: "list []string, x string", Result: "bool", Args: "strings.Fields(" + sentence + `), "dog"`, Imports: []string{"funk github.com/thoas/go-funk"},
				Before: `return funk.Contains(list, x)`, After: `return slices.Contains(list, x)`},
		},
		{
			ID: "funk-typed", Cause: "general-function", Callees: []string{"github.com/thoas/go-funk.Map", "github.com/thoas/go-funk.Filter", "github.com/thoas/go-funk.Uniq", "github.com/thoas/go-funk.Reverse"},
			When:       arg(0, "is a slice", func(c *Call, e ast.Expr) bool { return typed.Element(c.In.TypeOf(e)) != nil }),
			Cost:       "iterates over the slice by reflection, and calls the function by reflection",
			Instead:    "Use a loop with append over the slice's own type, or a generic function (package slices, github.com/samber/lo).",
			Confidence: finding.High,
			Example: Example{Params: "list []int", Result: "[]int", Args: "[]int{1, 2, 3, 4, 5, 6, 7, 8}", Imports: []string{"funk github.com/thoas/go-funk"},
				Before: `return funk.Filter(list, func(x int) bool { return x%2 == 0 }).([]int)`,
				After:  "even := make([]int, 0, len(list))\nfor _, x := range list {\n\tif x%2 == 0 {\n\t\teven = append(even, x)\n\t}\n}\nreturn even"},
		},
		{
			ID: "lo-filter-counted", Cause: "counted-result", Callees: []string{"github.com/samber/lo.Filter[...]"}, When: all(counted, inPlace),
			Cost: "allocates a slice of them", Instead: "lo.CountBy(s, func(x T) bool { … }) counts the elements.",
			Confidence: finding.High,
			Example: Example{Params: "list []int", Result: "int", Args: "[]int{1, 2, 3, 4, 5, 6, 7, 8}", Imports: []string{"github.com/samber/lo"},
				Before: `return len(lo.Filter(list, func(x, _ int) bool { return x%2 == 0 }))`,
				After:  `return lo.CountBy(list, func(x int) bool { return x%2 == 0 })`},
		},
		{
			ID: "lo-map-ranged", Cause: "ranged-pieces", Callees: []string{"github.com/samber/lo.Map[...]", "github.com/samber/lo.Filter[...]", "github.com/samber/lo.Keys[...]", "github.com/samber/lo.Values[...]"}, When: all(inPlace, ranged),
			Cost:       "allocates a slice",
			Instead:    "Range over its source, and do the function's work in the loop. If the loop changes the source, keep the call.",
			Confidence: finding.Medium,
			Example: Example{Params: "list []int", Result: "int", Args: "[]int{1, 2, 3, 4, 5, 6, 7, 8}", Imports: []string{"github.com/samber/lo"},
				Before: "n := 0\nfor _, x := range lo.Map(list, func(x, _ int) int { return x * x }) {\n\tn += x\n}\nreturn n",
				After:  "n := 0\nfor _, x := range list {\n\tn += x * x\n}\nreturn n"},
		},
		{
			ID: "gocmp-equal-plain", Cause: "general-function", Callees: []string{"github.com/google/go-cmp/cmp.Equal"},
			When: all(args(2, "it has no options"), alike("slices of strings, numbers or structs of them", sliceOf(func(t types.Type) bool { return typed.Plain(t) && !hasEqual(t) })), noEqual), Go: "go1.21",
			Cost:       "walks both by reflection, and records the path",
			Instead:    "Use slices.Equal(a, b). It treats nil and empty slices as equal, which cmp.Equal does not, and cmp panics at unexported fields.",
			Confidence: finding.High,
			Example: Example{Params: "a, b []string", Result: "bool", Args: "strings.Fields(" + sentence + "), strings.Fields(" + sentence + ")", Imports: []string{"github.com/google/go-cmp/cmp"},
				Before: `return cmp.Equal(a, b)`, After: `return slices.Equal(a, b)`},
		},
		{
			ID: "gocmp-equal-struct", Cause: "general-function", Callees: []string{"github.com/google/go-cmp/cmp.Equal"}, When: alike("structs of one type, or pointers to them", structOrPointer),
			Cost:       "walks both by reflection, and records the path",
			Instead:    "Package cmp is made for tests, and panics at unexported fields. Write a method that compares the fields; cmp calls a field type's method Equal if it has one.",
			Confidence: finding.Medium,
			Example: Example{Params: "a, b *job", Result: "bool", Args: `&job{"a", []int{1, 2, 3}, 7}, &job{"a", []int{1, 2, 3}, 7}`, Decls: "type job struct {\n\tName  string\n\tSteps []int\n\tCode  int\n}", Imports: []string{"github.com/google/go-cmp/cmp"},
				Before: `return cmp.Equal(a, b)`, After: `return a.Name == b.Name && a.Code == b.Code && slices.Equal(a.Steps, b.Steps)`},
		},
		{
			ID: "gocmp-diff-compared", Cause: "compared-text", Callees: []string{"github.com/google/go-cmp/cmp.Diff"}, When: all(compared(`it is compared with ""`, func(c *Call, e ast.Expr) bool {
				v := c.In.Info.Types[e].Value
				return v != nil && v.Kind() == constant.String && constant.StringVal(v) == ""
			}), inPlace),
			Cost:       "formats the differences",
			Instead:    "Use cmp.Equal(a, b) with the same options.",
			Confidence: finding.High,
			Example: Example{Params: "a, b []string", Result: "bool", Args: "strings.Fields(" + sentence + `), []string{"a", "b"}`, Imports: []string{"github.com/google/go-cmp/cmp"},
				Before: `return cmp.Diff(a, b) == "" && len(a) > 2`, After: `return cmp.Equal(a, b, cmp.Options{}) && len(a) > 2`},
		},
		{
			ID: "version-constant", Cause: "made-per-call",
			Callees: []string{"github.com/hashicorp/go-version.NewVersion", "github.com/hashicorp/go-version.NewConstraint", "github.com/hashicorp/go-version.NewSemver",
				"github.com/Masterminds/semver/v3.NewVersion", "github.com/Masterminds/semver/v3.MustParse", "github.com/Masterminds/semver/v3.NewConstraint"},
			When:       all(fixed(0), perCall),
			Cost:       "parses a constant string with a regular expression",
			Instead:    "Parse it once, in a package variable: the result is immutable.",
			Confidence: finding.High,
			Example: Example{Params: "v *version.Version", Result: "bool", Args: `version.Must(version.NewVersion("1.4.2"))`, Imports: []string{"version github.com/hashicorp/go-version"}, Decls: "var least = version.Must(version.NewVersion(\"1.3.0\"))",
				Before: "ok := false\nif least, err := version.NewVersion(\"1.3.0\"); err == nil {\n\tok = v.GreaterThanOrEqual(least)\n}\nreturn ok", After: "return v.GreaterThanOrEqual(least)"},
		},
		{
			ID: "glob-constant", Cause: "made-per-call", Callees: []string{"github.com/gobwas/glob.Compile", "github.com/gobwas/glob.MustCompile"}, When: all(fixed(0), perCall),
			Cost:       "compiles a constant pattern",
			Instead:    "Compile it once, in a package variable; a Glob is safe for concurrent use.",
			Confidence: finding.High,
			Example: Example{Params: "name string", Result: "bool", Args: `"api.example.com"`, Imports: []string{"github.com/gobwas/glob"}, Decls: "var hosts = glob.MustCompile(\"*.example.com\")",
				Before: `return glob.MustCompile("*.example.com").Match(name)`, After: `return hosts.Match(name)`},
		},
		{
			ID: "gocache-items-counted", Cause: "counted-result", Callees: []string{"github.com/patrickmn/go-cache.(*cache).Items"}, When: counted,
			Cost: "copies all items into a map", Instead: "c.ItemCount() is their number; it includes expired items that were not removed yet.",
			Confidence: finding.Medium,
			Example: Example{Params: "c *cache.Cache", Result: "int", Args: "full()", Imports: []string{"cache github.com/patrickmn/go-cache"}, Decls: "func full() *cache.Cache {\n\tc := cache.New(cache.NoExpiration, 0)\n\tfor i := range 50 {\n\t\tc.Set(strconv.Itoa(i), i, cache.NoExpiration)\n\t}\n\treturn c\n}",
				Before: `return len(c.Items())`, After: `return c.ItemCount()`},
		},
		{
			ID: "prometheus-labels-constant", Cause: "made-per-call",
			Callees: []string{"github.com/prometheus/client_golang/prometheus.(*CounterVec).WithLabelValues", "github.com/prometheus/client_golang/prometheus.(*GaugeVec).WithLabelValues",
				"github.com/prometheus/client_golang/prometheus.(*HistogramVec).WithLabelValues", "github.com/prometheus/client_golang/prometheus.(*SummaryVec).WithLabelValues"},
			When:       all(allFixed, perCall),
			Cost:       "hashes the labels and looks up their metric, under a lock",
			Instead:    "Look it up once for each vector, and keep the metric of these labels in a variable or a field. After the program deletes it from the vector or resets the vector, look it up again. A metric that was looked up is exported, as 0.",
			Confidence: finding.Medium,
			Example: Example{Params: "n int", Result: "int", Args: "1", Imports: []string{"github.com/prometheus/client_golang/prometheus"},
				Decls:  "var requests = prometheus.NewCounterVec(prometheus.CounterOpts{Name: \"requests\"}, []string{\"method\", \"code\"})\n\nvar gets = requests.WithLabelValues(\"GET\", \"200\")",
				Before: "requests.WithLabelValues(\"GET\", \"200\").Inc()\nreturn n", After: "gets.Inc()\nreturn n"},
		},
		{
			ID: "prometheus-labels-map", Cause: "general-function",
			Callees: []string{"github.com/prometheus/client_golang/prometheus.(*CounterVec).With", "github.com/prometheus/client_golang/prometheus.(*GaugeVec).With",
				"github.com/prometheus/client_golang/prometheus.(*HistogramVec).With"},
			When: arg(0, "is a map literal", func(_ *Call, e ast.Expr) bool {
				_, ok := e.(*ast.CompositeLit)
				return ok
			}),
			Cost:       "checks and hashes a map that was made for it",
			Instead:    "WithLabelValues takes the values in the order of the labels, and needs no map; if the labels do not change, keep the metric in a variable.",
			Confidence: finding.High,
			Example: Example{Params: "method string", Result: "int", Args: `"GET"`, Imports: []string{"github.com/prometheus/client_golang/prometheus"},
				Decls:  "var requests = prometheus.NewCounterVec(prometheus.CounterOpts{Name: \"requests\"}, []string{\"method\", \"code\"})",
				Before: "requests.With(prometheus.Labels{\"method\": method, \"code\": \"200\"}).Inc()\nreturn len(method)", After: "requests.WithLabelValues(method, \"200\").Inc()\nreturn len(method)"},
		},
		{
			ID: "proto-marshal-counted", Cause: "counted-result", Callees: []string{"google.golang.org/protobuf/proto.Marshal", "github.com/golang/protobuf/proto.Marshal"}, When: counted,
			Cost: "encodes the message", Instead: "proto.Size(m) is its length; it reports no error.",
			Confidence: finding.High,
			Example: Example{Params: "m proto.Message", Result: "int", Args: `wrapperspb.String("a text of some length")`, Imports: []string{"google.golang.org/protobuf/proto", "google.golang.org/protobuf/types/known/wrapperspb"},
				Before: "b, _ := proto.Marshal(m)\nreturn len(b)", After: "return proto.Size(m)"},
		},
		{
			ID: "x-text-caser", Cause: "made-per-call", Callees: []string{"golang.org/x/text/cases.Lower", "golang.org/x/text/cases.Upper", "golang.org/x/text/cases.Title"}, When: perCall,
			Cost:       "builds tables of a language's rules",
			Instead:    "Keep the Caser " + diagnose.Anywhere + ", because it holds state, which String resets. For the undetermined language (language.Und) strings.ToLower and ToUpper do nearly the same, without rules for a letter's position in the word.",
			Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "string", Args: sentence, Imports: []string{"golang.org/x/text/cases", "golang.org/x/text/language"},
				Decls:  "var casers = sync.Pool{New: func() any { c := cases.Title(language.English); return &c }}",
				Before: `return cases.Title(language.English).String(text)`,
				After:  "c := casers.Get().(*cases.Caser)\ndefer casers.Put(c)\nreturn c.String(text)"},
		},
		{
			ID: "x-text-language-constant", Cause: "made-per-call", Callees: []string{"golang.org/x/text/language.Parse", "golang.org/x/text/language.MustParse", "golang.org/x/text/language.Make"}, When: all(fixed(0), perCall),
			Cost:       "parses a constant language tag",
			Instead:    "Parse it once, in a package variable; common ones are predefined: language.English, language.German.",
			Confidence: finding.High,
			Example: Example{Params: "tag language.Tag", Result: "bool", Args: "language.German", Imports: []string{"golang.org/x/text/language"}, Decls: "var swiss = language.MustParse(\"de-CH\")",
				Before: `return tag == language.MustParse("de-CH")`, After: `return tag == swiss`},
		},
	}
}

// noEqual holds where the first argument's type has no method Equal.
var noEqual = arg(0, "has no method Equal, nor do its parts", func(c *Call, e ast.Expr) bool { return !methodEqual(c.In.TypeOf(e)) })

func methodEqual(t types.Type) bool {
	m, _, _ := types.LookupFieldOrMethod(t, true, nil, "Equal")
	_, ok := m.(*types.Func)
	return ok
}

// hasEqual reports whether a type or a part of it, of one that refers to nothing, has
// a method Equal, which package cmp calls.
func hasEqual(t types.Type) bool {
	if methodEqual(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return hasEqual(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hasEqual(f.Type()) {
				return true
			}
		}
	}
	return false
}

func pointsToStruct(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	return ok && !types.IsInterface(p.Elem()) && structOrPointer(t)
}

// castSame: the argument is of the type that the function makes.
var castSame = arg(0, "has the type that it returns", func(c *Call, e ast.Expr) bool {
	t, u := c.In.TypeOf(e), c.In.TypeOf(c.CallExpr)
	return t != nil && u != nil && types.Identical(types.Default(t), u)
})

// allFixed: the call has arguments, and none of them ever changes.
var allFixed = Condition{"all arguments are the same in every call", func(c *Call) bool {
	for _, e := range c.Args {
		if !c.In.Fixed(e).Always() {
			return false
		}
	}
	return len(c.Args) > 0 && !c.Ellipsis.IsValid()
}}
