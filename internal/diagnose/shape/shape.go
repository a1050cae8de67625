package shape

import (
	"go/ast"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/diagnose/knowledge"
	"whet/internal/typed"
)

// Shape is one piece of knowledge about statements. Its row has no callees, and its
// When is words; Cost is a clause with its subject: "the same key is looked up twice".
type Shape struct {
	knowledge.Row
	// Spends are the functions below which its cost lies, by how their names begin;
	// "" is the statement itself. Nil: those that the nodes call, concatenation too.
	Spends []string
	// Find says where the cost lies of the shape that begins with a node: nowhere
	// where it is none.
	Find func(p *typed.Package, n ast.Node) Match
}

// Match is where the cost of a shape lies.
type Match struct {
	Stays, Goes []ast.Node // what the remedy keeps, and what it removes
	// Pure are calls that must have no effect for the remedy to do the same.
	Pure []*ast.CallExpr
	// Rare is what must hold next to no samples beside those of Goes.
	Rare ast.Node
}

// causes are the rules, in the order in which they are listed to users.
var causes = []knowledge.Cause{
	{
		ID: "map-lookup-twice", Title: "the same key looked up twice in a map",
		What:     "A statement looks a key up in a map, and it or one after it in the same block looks the same key up again, while neither the map nor the key can have changed.",
		Why:      "Each look-up hashes the key and compares it with what the map holds; the compiler does not keep the result of the first.",
		Silent:   "When the map, the key or a variable in either may be set between the two, by the function or by one that it calls; when they are in different loops; for key expressions that call functions; where the second sets the key: m[k]++, m[k] += x and m[k] = append(m[k], x) look it up once.",
		Fix:      "Keep the value of the first look-up: if v, ok := m[k]; ok { … v … }.",
		Unneeded: "and its value was at hand",
	},
	{
		ID: "element-at-a-time", Title: "elements gone over one by one where the library takes many at a time",
		What:     "A loop goes over all elements of a slice or a string and does with each only what a function of the library does with many at a time: it copies them, counts a byte, looks for the first one, writes those that stay as they are.",
		Why:      "The functions take 16 or 32 bytes in each step; the compiler makes no such steps of a loop.",
		Silent:   "When the loop does anything else, too; for elements of other types than the function takes; for loops that clear, which the compiler replaces itself.",
		Fix:      "copy, bytes.Count, bytes.IndexByte, WriteString, and their twins in the other package: the finding names the one.",
		Unneeded: "where many can be taken at a time",
	},
	{
		ID: "map-of-constants", Title: "a map of constants where a switch serves",
		What:     "A statement looks a key up in a map that is written out in a package variable and never changes.",
		Why:      "Each look-up hashes the key and compares it with what the map holds, in memory of its own. A switch compiles to a few comparisons, or one jump, and its results are in the code.",
		Silent:   "When the package sets an element, or hands the map on; for exported variables; when a key is no constant; for more than 1,000 keys; for keys that are interfaces.",
		Fix:      "A function with a switch, or an array where the keys are small numbers.",
		Unneeded: "though all keys are known to the compiler",
	},
	{
		ID: "key-per-comparison", Title: "a key worked out in each comparison of a sort",
		What:     "The function that compares two elements for a sort, or a method Less, calls other functions of the one and of the other: for a lower case text, a length, a score.",
		Why:      "A sort of n elements compares about n·log₂(n) times, and works two keys out each time: of 1,000 elements twenty times as many as there are.",
		Silent:   "For functions of both elements, as strings.Compare; for conversions and builtin functions; for functions that are cheap.",
		Fix:      "Work out each element's key once, and sort by the keys.",
		Unneeded: "though each element has one key",
	},
	{
		ID: "scan-in-loop", Title: "a list looked through in each round of a loop",
		What:     "A loop that looks for an element in a slice runs in each round of another loop, or in a function that the loop calls, while the slice stays the same or is appended to.",
		Why:      "The work grows with the number of rounds times the length of the list.",
		Silent:   "When the outer loop changes the slice otherwise; when what is looked for is the same in all rounds; when the inner loop does more than compare; for lists of fewer than 16 elements that are written out.",
		Fix:      "A map, or a sorted slice and slices.BinarySearch.",
		Unneeded: "where a map answers at once",
	},
	{
		ID: "settings-work", Title: "a text made anew of settings that do not change",
		What:     "A method makes a text, by a function of the library or by concatenation, of constants and of unexported fields that nothing but constructors set: functions whose names begin with New, With, Open, Parse and the like.",
		Why:      "The text is the same each time, and is formatted and allocated for each call.",
		Silent:   "When an argument varies; when any other function sets a field, or takes its address; for exported fields, which other packages may set; for methods; in constructors.",
		Fix:      "Make it where the fields are set, and keep it in a field.",
		Unneeded: "so that it is the same each time",
		Outranks: []string{"string-copy", "fmt-format"},
	},
	{
		ID: "early-work", Title: "work done before it is known to be needed",
		What:     "A statement calls a function, and what it returns is used in one branch of an if or a switch after it alone; the profile shows that this branch is next to never taken.",
		Why:      "In all other cases the work is done for nothing.",
		Silent:   "When the function, or one that it calls, has effects; when its source is not at hand and it is none of the library that depends on its arguments alone; when an argument is set in between; when the branch holds more than a twentieth of the samples that the work does, or calls nothing, so that samples cannot tell how often it is taken.",
		Fix:      "Move the call into the branch.",
		Unneeded: "and the branch that uses it holds next to no samples",
		Outranks: []string{"string-copy", "fmt-format", "collection-per-call"},
	},
	{
		ID: "needless-map", Title: "a map made only to be gone over",
		What:     "A loop over a map fills another with the same keys, and all that sees that one goes over it or takes its length.",
		Why:      "Filling a map hashes each key and grows the map several times over; going over it is several times slower than over a slice.",
		Silent:   "When a key is looked up in it, or it is handed on; when it is returned by an exported function; when the keys come from anything but a map, which may hold some twice.",
		Fix:      "A slice of structs with the capacity that is needed.",
		Unneeded: "and no key is looked up in it",
		Outranks: []string{"collection-per-call"},
	},
}

var table = [][]Shape{ofMaps, ofElements, ofConstants, ofText, ofRepeats, ofUnneeded}

// Table returns the rows of all shapes.
func Table() (rows []knowledge.Row) {
	for _, s := range slices.Concat(table...) {
		rows = append(rows, s.Row)
	}
	return rows
}

// Rules returns a rule for each cause.
func Rules() []diagnose.Rule { return knowledge.RulesOf(causes, Table(), claims) }
