package shape

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

// causesOfDigits are the rules about numbers and the characters that they are written in.
var causesOfDigits = []knowledge.Cause{
	{
		ID: "drawn-again", Title: "random numbers drawn again until all differ",
		What:     "A loop draws a random number, looks it up in a map of the numbers drawn so far, and draws again if it is there.",
		Why:      "The more numbers are taken, the more draws are wasted: to get all of n numbers takes some n·ln(n) draws. Each draw is hashed for the map.",
		Silent:   "When the loop does not put the number into the map; for numbers that are not drawn in the loop.",
		Fix:      "Shuffle only the beginning of a list of all numbers.",
		Unneeded: "so that duplicates waste draws",
	},
	{
		ID: "moved-for-sort", Title: "an array on the heap for a sort by reflection",
		What:     "A function declares an array, fills a slice of it, and passes that to sort.Slice or sort.SliceStable.",
		Why:      "These take any type, and a value in an interface escapes to the heap: each call allocates and clears the whole array, however few of its elements are used.",
		Silent:   "Where the compiler does not report that the array is moved to the heap, or no block of it was sampled; in recordings without compiler diagnostics; for slices passed to other code that may keep them.",
		Fix:      "Use slices.SortFunc or slices.SortStableFunc.",
		Unneeded: "though a sort by type leaves it on the stack",
		Outranks: []string{"buffer-per-call", "collection-per-call"},
	},
	{
		ID: "carried-bytewise", Title: "multi-precision arithmetic byte by byte",
		What:     "A loop multiplies each byte of a slice, adds the carry of the byte before, and carries the rest to the next one.",
		Why:      "A processor multiplies 32 or 64 bits in the time of eight: the loop takes four or eight times as many steps as it needs.",
		Silent:   "For slices of wider elements; when the loop does anything else to the element.",
		Fix:      "Use words of 32 bits, with a carry of 64.",
		Unneeded: "where a 32-bit word takes as long as a byte",
	},
}

var ofDigits = []Shape{
	{Row: knowledge.Row{
		ID: "drawn-until-new", Cause: "drawn-again",
		When:       knowledge.Words("a loop sets a variable to a number drawn by math/rand or math/rand/v2, looks it up in a map, and puts it into the same map"),
		Cost:       "a number is drawn again and again until it is a new one",
		Instead:    "Put all n numbers into a slice, and swap each of its first k elements with a random one at or after it, i + rand.IntN(n-i): that takes k draws and no map. If k is a small part of a large n, few draws are wasted: keep the loop.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "k, n int", Result: "int", Args: "20, 50",
			Before: "set := make(map[int]struct{}, k)\nlist := make([]int, 0, k)\nfor len(list) < k {\n\tx := rand.Intn(n)\n\tif _, ok := set[x]; !ok {\n\t\tset[x] = struct{}{}\n\t\tlist = append(list, x)\n\t}\n}\nreturn len(list)",
			After:  "list := make([]int, n)\nfor i := range list {\n\tlist[i] = i\n}\nfor i := range k {\n\tj := i + rand.Intn(n-i)\n\tlist[i], list[j] = list[j], list[i]\n}\nreturn len(list[:k])"},
	}, Spends: []string{"", beneath}, Find: drawnUntilNew},
	{Row: knowledge.Row{
		ID: "array-for-sort", Cause: "moved-for-sort",
		When:       knowledge.Words("an array is declared, a variable is set to a slice of it, and sort.Slice or sort.SliceStable sorts that slice, which is otherwise only appended to, indexed, measured and ranged over; the compiler reports that the array is moved to the heap"),
		Cost:       "an array is allocated in each call because sort takes its slice as an interface",
		Instead:    "Use slices.SortFunc(s, func(a, b T) int { … }), or SortStableFunc to keep the order of equal elements: they take the slice by its type, and the array stays on the stack.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "list []int", Result: "int", Args: "[]int{3, 1, 2}", Decls: "//go:noinline\nfunc double(x int) int { return 2 * x }\n",
			Before: "var room [256]int\nsorted := append(room[:0], list...)\nsort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })\nreturn double(sorted[0])",
			After:  "var room [256]int\nsorted := append(room[:0], list...)\nslices.SortFunc(sorted, func(a, b int) int { return a - b })\nreturn double(sorted[0])"},
	}, Spends: []string{blocks}, Find: arrayForSort},
	{Row: knowledge.Row{
		ID: "bytes-multiplied", Cause: "carried-bytewise",
		When:       knowledge.Words("a loop over bytes adds a multiple of each, or a shifted one, to a variable from outside the loop, sets the byte to a part of that, and shifts or divides the variable for the next round"),
		Cost:       "a long number is multiplied byte by byte",
		Instead:    "Use words of 32 bits, []uint32, with a carry of uint64 (v += uint64(w) * k; words[i] = uint32(v); v >>= 32), and write the words out as bytes at the end. In a number system without such words put several digits into one: five digits of base 58 fit into 32 bits.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "digits []byte", Result: "byte", Args: "[]byte(\"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ\")",
			Before: "out, n := make([]byte, len(digits)), 0\nfor _, d := range digits {\n\tv := uint32(d)\n\tfor i, b := range out[:n] {\n\t\tv += uint32(b) * 58\n\t\tout[i] = byte(v)\n\t\tv >>= 8\n\t}\n\tfor ; v > 0; v >>= 8 {\n\t\tout[n] = byte(v)\n\t\tn++\n\t}\n}\nreturn out[0]",
			After:  "words, n := make([]uint32, len(digits)/4+1), 0\nfor _, d := range digits {\n\tv := uint64(d)\n\tfor i, w := range words[:n] {\n\t\tv += uint64(w) * 58\n\t\twords[i] = uint32(v)\n\t\tv >>= 32\n\t}\n\tif v > 0 {\n\t\twords[n] = uint32(v)\n\t\tn++\n\t}\n}\nreturn byte(words[0])"},
	}, Spends: []string{""}, Find: bytesMultiplied},
	{Row: knowledge.Row{
		ID: "bytes-classified", Cause: "element-at-a-time",
		When:       knowledge.Words("a loop over bytes, or over the indexes of a string, classifies the byte with four comparisons or more, each with a constant"),
		Cost:       "each byte is compared with several others to classify it",
		Instead:    "Use a table: var is = [256]bool{…} in a package variable, filled once, and if !is[s[i]]. One load and one branch replace all comparisons. For most strings, a first pass that looks for a special character (bytes.IndexByte if there is only one) finds none.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "text string", Result: "bool", Args: "\"the quick brown fox jumps over the lazy dog, and the dog sleeps on\"",
			Decls:  "var plain = func() (t [256]bool) {\n\tfor c := ' '; c <= '~'; c++ {\n\t\tt[c] = c != '\\\\' && c != '\"'\n\t}\n\treturn t\n}()\n",
			Before: "for i := 0; i < len(text); i++ {\n\tif text[i] < 0x20 || text[i] > 0x7e || text[i] == '\\\\' || text[i] == '\"' {\n\t\treturn false\n\t}\n}\nreturn true",
			After:  "for i := 0; i < len(text); i++ {\n\tif !plain[text[i]] {\n\t\treturn false\n\t}\n}\nreturn true"},
	}, Spends: []string{""}, Find: bytesClassified},
	{Row: knowledge.Row{
		ID: "big-int-per-round", Cause: "object-dropped",
		When:       knowledge.Words("a loop creates a number with new(big.Int), or of another type of math/big, and passes it only to functions of math/big, which do not keep it"),
		Cost:       "a loop allocates a big number in each round",
		Instead:    "Declare it before the loop, and let each round set it: the methods of math/big write to their receiver, and reuse its memory.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "x *big.Int", Result: "int64", Args: "new(big.Int).Lsh(big.NewInt(12345), 200)",
			Decls:  "var fiftyEight = big.NewInt(58)\n",
			Before: "n, last := new(big.Int).Set(x), int64(0)\nfor n.Sign() > 0 {\n\tdigit := new(big.Int)\n\tn.DivMod(n, fiftyEight, digit)\n\tlast = digit.Int64()\n}\nreturn last",
			After:  "n, last := new(big.Int).Set(x), int64(0)\ndigit := new(big.Int)\nfor n.Sign() > 0 {\n\tn.DivMod(n, fiftyEight, digit)\n\tlast = digit.Int64()\n}\nreturn last"},
	}, Spends: []string{blocks, calls, "math/big."}, Find: bigPerRound},
}

// draws are the functions that draw a number below a bound.
var draws = []string{"Intn", "Int31n", "Int63n", "IntN", "Int32N", "Int64N", "UintN", "Uint32N", "Uint64N", "N"}

func drawnUntilNew(p *typed.Package, n ast.Node) (m Match) {
	loop, ok := n.(*ast.ForStmt)
	if !ok {
		return m
	}
	var drawn []*types.Var
	read, put := make(map[*types.Var]*types.Var), make(map[*types.Var]*types.Var) // the number, by map
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) != 1 || len(n.Rhs) != 1 {
				return true
			}
			call, ok := p.Converted(n.Rhs[0]).(*ast.CallExpr)
			if !ok {
				return true
			}
			if fn := p.Function(call); fn != nil && fn.Pkg() != nil && (fn.Pkg().Path() == "math/rand" || fn.Pkg().Path() == "math/rand/v2") && slices.Contains(draws, fn.Name()) {
				if v := p.Var(n.Lhs[0]); v != nil {
					drawn = append(drawn, v)
				}
			}
		case *ast.IndexExpr:
			of, key := p.Var(n.X), p.Var(n.Index)
			if _, is := typed.Under[*types.Map](p.TypeOf(n.X)); !is || of == nil || key == nil {
				return true
			}
			if p.Written(n) {
				put[of] = key
			} else {
				read[of] = key
			}
		}
		return true
	})
	for of, key := range put {
		if read[of] == key && slices.Contains(drawn, key) {
			m.Goes = []ast.Node{loop}
		}
	}
	return m
}

func arrayForSort(p *typed.Package, n ast.Node) (m Match) {
	id, ok := n.(*ast.Ident)
	if !ok {
		return m
	}
	v, ok := p.Info.Defs[id].(*types.Var)
	if !ok || v.IsField() || typed.Global(v) || p.Definition(v) != id {
		return m
	}
	if _, array := typed.Under[*types.Array](v.Type()); !array {
		return m
	}
	sorted := false
	for _, use := range p.Uses(v) {
		cut, ok := p.Parent(use).(*ast.SliceExpr)
		if !ok {
			continue // an element
		}
		s := setBy(p, cut)
		if s == nil {
			if call, is := p.Parent(cut).(*ast.CallExpr); is && p.Builtin(call) == "append" {
				s = setBy(p, call)
			}
		}
		if s == nil {
			return m
		}
		for _, use := range p.Uses(s) {
			call, ok := p.Parent(use).(*ast.CallExpr)
			switch {
			case ok && strings.HasPrefix(p.Called(call), "sort.Slice"):
				sorted = true
			case ok && p.Builtin(call) == "append" && call.Args[0] == use && p.Var(p.Operand(use)) == setBy(p, call):
			case !inside(p, use):
				return m
			}
		}
	}
	if sorted {
		m = Match{Goes: []ast.Node{id}, Decision: "moved to heap: " + v.Name(), All: true}
	}
	return m
}

func bytesMultiplied(p *typed.Package, n ast.Node) (m Match) {
	loop, ok := n.(*ast.RangeStmt)
	if !ok || loop.Tok != token.DEFINE || loop.Value == nil || !isBytes(p.TypeOf(loop.X)) || len(loop.Body.List) != 3 {
		return m
	}
	key, value := p.Var(loop.Key), p.Var(loop.Value)
	var sum *types.Var
	adds, sets, carries := false, false, false
	for _, st := range loop.Body.List {
		set, ok := st.(*ast.AssignStmt)
		if !ok || len(set.Lhs) != 1 || len(set.Rhs) != 1 {
			return m
		}
		switch v := p.Var(set.Lhs[0]); {
		case set.Tok == token.ADD_ASSIGN && v != nil:
			by, is := ast.Unparen(set.Rhs[0]).(*ast.BinaryExpr)
			adds = is && (by.Op == token.MUL || by.Op == token.SHL) && p.UsedIn(by, value)
			sum = v
		case (set.Tok == token.SHR_ASSIGN || set.Tok == token.QUO_ASSIGN) && v != nil:
			carries = v == sum
		case set.Tok == token.ASSIGN:
			at, is := set.Lhs[0].(*ast.IndexExpr)
			sets = is && key != nil && p.Var(at.Index) == key && sum != nil && p.UsedIn(set.Rhs[0], sum)
		}
	}
	if adds && sets && carries && sum.Pos() < loop.Pos() {
		m.Goes = []ast.Node{loop}
	}
	return m
}

// leastCompared is how many comparisons a look into a table has to take the place of.
const leastCompared = 4

func bytesClassified(p *typed.Package, n ast.Node) (m Match) {
	l := eachOf(p, n)
	if l == nil || !typed.IsString(p.TypeOf(l.x)) && !isBytes(p.TypeOf(l.x)) {
		return m
	}
	if _, ranged := l.loop.(*ast.RangeStmt); ranged && typed.IsString(p.TypeOf(l.x)) {
		return m // of runes
	}
	if first, ok := l.body.List[0].(*ast.AssignStmt); len(l.body.List) > 1 && l.value == nil && ok && first.Tok == token.DEFINE && len(first.Lhs) == 1 && l.isElement(p, first.Rhs[0]) {
		l.value = p.Var(first.Lhs[0])
	}
	for _, st := range l.body.List {
		if st, ok := st.(*ast.IfStmt); ok && compared(p, l, st.Cond) >= leastCompared {
			m.Goes = append(m.Goes, st.Cond)
		}
	}
	return m
}

// compared returns how many comparisons of the round's element with constants a condition
// consists of; 0 where it asks for anything else, too.
func compared(p *typed.Package, l *elementLoop, cond ast.Expr) int {
	switch e := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return compared(p, l, e.X)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			x, y := compared(p, l, e.X), compared(p, l, e.Y)
			if x == 0 || y == 0 {
				return 0
			}
			return x + y
		}
		x, y := p.Converted(e.X), p.Converted(e.Y)
		if l.isElement(p, x) && p.Info.Types[y].Value != nil || l.isElement(p, y) && p.Info.Types[x].Value != nil {
			return 1
		}
	}
	return 0
}

func bigPerRound(p *typed.Package, n ast.Node) (m Match) {
	set, ok := n.(*ast.AssignStmt)
	if !ok || set.Tok != token.DEFINE || len(set.Lhs) != 1 || len(set.Rhs) != 1 || outer(p, set) == nil {
		return m
	}
	call, ok := ast.Unparen(set.Rhs[0]).(*ast.CallExpr)
	v := p.Var(set.Lhs[0])
	if !ok || v == nil || p.Builtin(call) != "new" || !strings.HasPrefix(types.TypeString(v.Type(), nil), "*math/big.") {
		return m
	}
	m.Goes = []ast.Node{set}
	for _, use := range p.Uses(v) {
		by := ofBig(p, use)
		if by == nil {
			return Match{}
		}
		m.Goes = append(m.Goes, by) // which takes the memory of its digits
	}
	return m
}

// ofBig returns the call of math/big that a use of a number hands it to, whose own result
// nothing sees that could keep it; nil for other uses.
func ofBig(p *typed.Package, use *ast.Ident) ast.Node {
	var call *ast.CallExpr
	switch around := p.Parent(use).(type) {
	case *ast.SelectorExpr:
		call, _ = p.Parent(around).(*ast.CallExpr)
		if call == nil || call.Fun != around {
			return nil
		}
	case *ast.CallExpr:
		call = around
	default:
		return nil
	}
	fn := p.Function(call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "math/big" {
		return nil
	}
	// A method returns its receiver: what comes of it must be dropped, unless it is no
	// pointer.
	if _, dropped := p.Parent(call).(*ast.ExprStmt); dropped {
		return call
	}
	results := fn.Signature().Results()
	for i := range results.Len() {
		if _, pointer := results.At(i).Type().Underlying().(*types.Pointer); pointer {
			return nil
		}
	}
	return call
}
