package knowledge

import (
	"go/ast"
	"go/constant"
	"go/token"

	"whet/internal/finding"
)

// ofNumbers are the rows of packages math, math/cmplx, math/rand and math/big.
func ofNumbers() []Row {
	return []Row{
		{
			ID: "math-exp-of-log", Cause: "general-function", When: addsLogarithm, Callees: []string{"math.Exp"},
			Cost:       "inverts a logarithm",
			Instead:    "exp(log(x) + y) is x * math.Exp(y), for x above 0; the last bits may differ.",
			Confidence: finding.High,
			Example: Example{Params: "x, y float64", Result: "float64", Args: "2, 1", Differs: true,
				Before: `return math.Exp(math.Log(x) + y)`, After: `return x * math.Exp(y)`},
		},
		{
			ID: "math-pow-square", Cause: "general-function", When: number(1, "is 2", func(n int64) bool { return n == 2 }), Callees: []string{"math.Pow"},
			Cost:       "splits the number into mantissa and exponent and multiplies in a loop",
			Instead:    "Write x * x; if x is a longer expression, assign it to a variable.",
			Confidence: finding.High,
			Example: Example{Params: "x float64", Result: "float64", Args: "3.7",
				Before: `return math.Pow(x, 2)`, After: `return x * x`},
		},
		{
			ID: "math-pow-small", Cause: "general-function", When: number(1, "is 3 or 4", func(n int64) bool { return n == 3 || n == 4 }), Callees: []string{"math.Pow"},
			Cost:       "splits the number into mantissa and exponent and multiplies in a loop",
			Instead:    "Write x * x * x, or for 4 a square squared. The last bit may differ.",
			Confidence: finding.High,
			Example: Example{Params: "x float64", Result: "float64", Args: "1.5",
				Before: `return math.Pow(x, 3)`, After: `return x * x * x`},
		},
		{
			ID: "math-pow-root", Cause: "general-function", When: half(1), Callees: []string{"math.Pow"},
			Cost:       "checks all special cases before it takes the root",
			Instead:    "math.Sqrt(x) is one instruction. It differs for minus infinity, where Pow returns +Inf and Sqrt NaN.",
			Confidence: finding.High,
			Example: Example{Params: "x float64", Result: "float64", Args: "3.7",
				Before: `return math.Pow(x, 0.5)`, After: `return math.Sqrt(x)`},
		},
		{
			ID: "math-pow-two", Cause: "general-function", Callees: []string{"math.Pow"},
			When:       all(number(0, "is 2", func(n int64) bool { return n == 2 }), fromInteger(1)),
			Cost:       "multiplies in a loop",
			Instead:    "Use math.Ldexp(1, n), or in integers 1 << n for n from 0 to 62: for a negative n the shift panics, and from 63 on it overflows.",
			Confidence: finding.High,
			Example: Example{Params: "n int", Result: "float64", Args: "10",
				Before: `return math.Pow(2, float64(n))`, After: `return math.Ldexp(1, n)`},
		},
		{
			ID: "math-pow-ten", Cause: "general-function", Callees: []string{"math.Pow"},
			When:       all(number(0, "is 10", func(n int64) bool { return n == 10 }), fromInteger(1)),
			Cost:       "multiplies in a loop",
			Instead:    "math.Pow10(n) uses a table; its last bit is right where that of Pow may not be.",
			Confidence: finding.High,
			Example: Example{Params: "n int", Result: "float64", Args: "7",
				Before: `return math.Pow(10, float64(n))`, After: `return math.Pow10(n)`},
		},
		{
			ID: "math-mod-integers", Cause: "general-function", When: all(fromInteger(0), fromInteger(1)), Callees: []string{"math.Mod"},
			Cost:       "divides floating-point numbers bit by bit",
			Instead:    "Use a % b of the integers. By zero it panics, where Mod returns NaN; beyond 2^53 it is exact.",
			Confidence: finding.High,
			Example: Example{Params: "a, b int", Result: "int", Args: "1234567, 89",
				Before: `return int(math.Mod(float64(a), float64(b)))`, After: `return a % b`},
		},
		{
			ID: "math-max-integers", Cause: "general-function", Callees: []string{"math.Max", "math.Min"}, Go: "go1.21",
			When:       all(fromInteger(0), fromInteger(1)),
			Cost:       "is a call of a function that is not inlined",
			Instead:    "Use max(a, b) and min(a, b) of the integers themselves.",
			Confidence: finding.High,
			Example: Example{Params: "a, b int", Result: "int", Args: "3, 4",
				Before: `return int(math.Max(float64(a), float64(b)))`, After: `return max(a, b)`},
		},
		{
			ID: "math-max-builtin", Cause: "general-function", Callees: []string{"math.Max", "math.Min"}, Go: "go1.21",
			When:       args(2, "it is called, not passed"),
			Cost:       "is a call of a function that is not inlined",
			Instead:    "The builtin max and min are compiled inline. They differ for an infinity with NaN: max(+Inf, NaN) is NaN, but math.Max returns +Inf.",
			Confidence: finding.High,
			Example: Example{Params: "list []float64", Result: "float64", Args: "[]float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}",
				Before: "m := list[0]\nfor _, x := range list {\n\tm = math.Max(m, x)\n}\nreturn m",
				After:  "m := list[0]\nfor _, x := range list {\n\tm = max(m, x)\n}\nreturn m"},
		},
		{
			ID: "math-log2-integer", Cause: "general-function", Callees: []string{"math.Log2"}, When: all(fromInteger(0), convertedTo("int")),
			Cost:       "computes a logarithm",
			Instead:    "Use bits.Len(uint(n)) - 1 for a positive integer, which is exact beyond 2^53 too. For zero it is -1.",
			Confidence: finding.High,
			Example: Example{Params: "n int", Result: "int", Args: "1000000",
				Before: `return int(math.Log2(float64(n)))`, After: `return bits.Len(uint(n)) - 1`},
		},
		{
			ID: "math-sincos", Cause: "general-function", Callees: []string{"math.Sin"}, When: together("math.Cos"),
			Cost:       "reduces the angle, which math.Cos of it does again",
			Instead:    "sin, cos := math.Sincos(x) reduces it once.",
			Confidence: finding.High,
			Example: Example{Params: "x float64", Result: "float64", Args: "3.7",
				Before: "sin := math.Sin(x)\ncos := math.Cos(x)\nreturn sin*2 + cos", After: "sin, cos := math.Sincos(x)\nreturn sin*2 + cos"},
		},
		{
			ID: "math-hypot-compared", Cause: "general-function", Callees: []string{"math.Hypot"}, When: comparedConstant,
			Cost:       "scales both numbers and takes a root",
			Instead:    "Compare the squares: x*x + y*y < r*r, if r is not negative. It overflows beyond 1e154, and underflows below 1e-162.",
			Confidence: finding.High,
			Example: Example{Params: "x, y float64", Result: "bool", Args: "3.7, 8.1",
				Before: `return math.Hypot(x, y) < 10`, After: `return x*x+y*y < 100`},
		},
		{
			ID: "cmplx-abs-compared", Cause: "general-function", Callees: []string{"math/cmplx.Abs"}, When: comparedConstant,
			Cost:       "scales both parts and takes a root",
			Instead:    "Compare the squares: real(z)*real(z) + imag(z)*imag(z) < r*r, if r is not negative. It overflows beyond 1e154, and underflows below 1e-162.",
			Confidence: finding.High,
			Example: Example{Params: "z complex128", Result: "bool", Args: "complex(1.2, 0.9)",
				Before: `return cmplx.Abs(z) > 2`, After: `return real(z)*real(z)+imag(z)*imag(z) > 4`},
		},
		{
			ID: "cmplx-pow-square", Cause: "general-function", Callees: []string{"math/cmplx.Pow"}, When: number(1, "is 2", func(n int64) bool { return n == 2 }),
			Cost:       "computes a logarithm, a sine and a cosine",
			Instead:    "Write z * z, which is also more exact.",
			Confidence: finding.High,
			Example: Example{Params: "z complex128", Result: "complex128", Args: "complex(1.2, 0.9)", Differs: true,
				Before: `return cmplx.Pow(z, 2)`, After: `return z * z`},
		},
		{
			ID: "rand-top-v2", Cause: "general-function", Go: "go1.22",
			Callees:    []string{"math/rand.Intn", "math/rand.Int31n", "math/rand.Int63n"},
			When:       args(1, "it draws below a bound"),
			Cost:       "checks which source is in use, and divides once or twice",
			Instead:    "rand.IntN, Int32N and Int64N of math/rand/v2 multiply instead of dividing, and have no settable source. If the program calls rand.Seed, which determines its numbers, keep the call.",
			Confidence: finding.Medium,
			Example: Example{Params: "n int", Result: "int", Args: "1000", Imports: []string{"randv2 math/rand/v2"}, Differs: true,
				Before: "sum := 0\nfor range 100 {\n\tsum += rand.Intn(n)\n}\nreturn sum", After: "sum := 0\nfor range 100 {\n\tsum += randv2.IntN(n)\n}\nreturn sum"},
		},
		{
			ID: "rand-perm-first", Cause: "first-pieces", When: early(0), Callees: []string{"math/rand.Perm", "math/rand/v2.Perm", "math/rand.(*Rand).Perm", "math/rand/v2.(*Rand).Perm"},
			Cost:       "generates a whole permutation",
			Instead:    "rand.Intn(n) draws one number (IntN in math/rand/v2), with the same distribution.",
			Confidence: finding.High,
			Example: Example{Params: "r *rand.Rand, n int", Result: "int", Args: "rand.New(rand.NewSource(1)), 100", Differs: true,
				Before: `return r.Perm(n)[0]`, After: `return r.Intn(n)`},
		},
		{
			ID: "big-cmp-zero", Cause: "general-function", Callees: []string{"math/big.(*Int).Cmp"}, When: madeOf(0, "math/big.NewInt", "0", func(n int64) bool { return n == 0 }),
			Cost:       "compares with a number that was made for it",
			Instead:    "x.Sign() is -1, 0 or 1, as x.Cmp(zero) is.",
			Confidence: finding.High,
			Example: Example{Params: "x *big.Int", Result: "int", Args: large,
				Before: `return x.Cmp(big.NewInt(0))`, After: `return x.Sign()`},
		},
		{
			ID: "big-exp-two", Cause: "general-function", Callees: []string{"math/big.(*Int).Exp"},
			When:       all(madeOf(0, "math/big.NewInt", "2", func(n int64) bool { return n == 2 }), isNil(2)),
			Cost:       "squares and multiplies",
			Instead:    "z.Lsh(one, n) shifts 1 to its position; so does z.SetBit(z, n, 1) for a zero z. For a constant power, keep the number in a package variable. For a negative exponent Exp returns 1.",
			Confidence: finding.High,
			Example: Example{Params: "n int64", Result: "*big.Int", Args: "256",
				Before: `return new(big.Int).Exp(big.NewInt(2), big.NewInt(n), nil)`, After: `return new(big.Int).Lsh(big.NewInt(1), uint(n))`},
		},
		{
			ID: "big-exp-square", Cause: "general-function", Callees: []string{"math/big.(*Int).Exp"},
			When:       all(madeOf(1, "math/big.NewInt", "2", func(n int64) bool { return n == 2 }), isNil(2)),
			Cost:       "prepares for any exponent",
			Instead:    "Use z.Mul(x, x).",
			Confidence: finding.High,
			Example: Example{Params: "x *big.Int", Result: "*big.Int", Args: large,
				Before: `return new(big.Int).Exp(x, big.NewInt(2), nil)`, After: "return new(big.Int).Mul(x, x)"},
		},
		{
			ID: "big-string-compared", Cause: "compared-text", Callees: []string{"math/big.(*Int).String", "math/big.(*Int).Text"}, When: compared("it is compared", nil),
			Cost:       "builds a string, by division",
			Instead:    "x.Cmp(y) == 0 compares the numbers; parse the other side once. Parsing accepts 007 and +7 as 7, which differ as strings.",
			Goes:       All,
			Confidence: finding.High,
			Example: Example{Params: "a, b *big.Int", Result: "bool", Args: large + ", " + large,
				Before: `return a.String() == b.String()`, After: `return a.Cmp(b) == 0`},
		},
		{
			ID: "big-setstring-constant", Cause: "made-per-call", Callees: []string{"math/big.(*Int).SetString"}, When: all(fixed(0), fixed(1), perCall),
			Cost:       "parses a constant number",
			Instead:    "Parse it once, in a package variable; code that changes the number copies it first (new(big.Int).Set(n)).",
			Confidence: finding.High,
			Example: Example{Params: "x *big.Int", Result: "int", Args: large, Decls: "var limit, _ = new(big.Int).SetString(\"115792089237316195423570985008687907853269984665640564039457584007913129639935\", 10)",
				Before: "limit, _ := new(big.Int).SetString(\"115792089237316195423570985008687907853269984665640564039457584007913129639935\", 10)\nreturn x.Cmp(limit)",
				After:  `return x.Cmp(limit)`},
		},
	}
}

// large is an argument of examples.
const large = "new(big.Int).Lsh(big.NewInt(12345), 90)"

// comparedConstant: the result is compared with a constant, by order.
var comparedConstant = result("it is compared with a constant, by order", func(c *Call, use ast.Expr) bool {
	e, ok := c.In.Parent(use).(*ast.BinaryExpr)
	if !ok || e.X != use || c.In.Info.Types[e.Y].Value == nil {
		return false
	}
	return e.Op == token.LSS || e.Op == token.LEQ || e.Op == token.GTR || e.Op == token.GEQ
})

// half holds where an argument is the constant 0.5.
func half(i int) Condition {
	return Condition{ordinal(i) + " is 0.5", func(c *Call) bool {
		v := c.value(i)
		return v != nil && constant.Compare(constant.ToFloat(v), token.EQL, constant.MakeFloat64(0.5))
	}}
}

// addsLogarithm: the argument is a sum, or a difference, of a logarithm.
var addsLogarithm = arg(0, "is math.Log(x) plus or minus something", func(c *Call, e ast.Expr) bool {
	sum, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || sum.Op != token.ADD && sum.Op != token.SUB {
		return false
	}
	isLog := func(e ast.Expr) bool {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		return ok && c.In.Called(call) == "math.Log"
	}
	return isLog(sum.X) || isLog(sum.Y) && sum.Op == token.ADD
})
