package shape

import (
	"go/ast"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/diagnose/knowledge"
	"whet/internal/typed"
)

// Shape is a piece of knowledge about statements. Its row has no callees, and its
// When is words; Cost is a clause with its subject: "the same key is looked up twice".
type Shape struct {
	knowledge.Row
	// Spends are the functions below which its cost lies, by how their names begin;
	// "" is the statement itself, and calls those that the nodes call.
	Spends []string
	// Square is set where the cost grows with the square of a length.
	Square bool
	// Find says where the cost lies of the shape that begins with a node: nowhere
	// where it is none.
	Find func(p *typed.Package, n ast.Node) Match
}

// calls stands for the functions that a node calls, and the concatenation in it.
const calls = "()"

// blocks stands for the memory that a statement takes itself.
const blocks = "new"

// beneath stands for all that a statement calls.
const beneath = "*"

// Match is a match of a shape: the location of its cost.
type Match struct {
	Stays, Goes []ast.Node // what the remedy keeps, and what it removes
	// Pure are calls that must have no effect for the remedy to do the same.
	Pure []*ast.CallExpr
	// Rare is what must hold next to no samples beside those of Goes, in the file
	// RareIn, as frames have it; "" is that of Goes.
	Rare   []ast.Node
	RareIn string
	All    bool // the remedy removes all of the cost of Goes
	// Grows is set where the cost must hold blocks of several sizes.
	Grows bool
	// Later is the function of a library that takes memory for what Goes makes when it
	// is used first: the cost is what the program spends in it, wherever.
	Later string
	// Decision is how something ends that the compiler must have said of the line.
	Decision string
}

// causes are the rules, in the order in which they are listed to users.
var causes = slices.Concat([]knowledge.Cause{
	{
		ID: "map-lookup-twice", Title: "the same key looked up twice in a map",
		What:     "A statement looks a key up in a map, and it or one after it in the same block looks the same key up again, while neither the map nor the key can have changed; or a loop looks it up in each round.",
		Why:      "Each look-up hashes the key and compares it with what the map holds; the compiler does not keep the result of the first.",
		Silent:   "When the map, the key or a variable in either may be set between the two, by the function or by one that it calls; for key expressions that call functions; where the second sets the key: m[k]++, m[k] += x and m[k] = append(m[k], x) look it up once.",
		Fix:      "Keep the value of the first look-up: if v, ok := m[k]; ok { … v … }.",
		Unneeded: "and its value was at hand",
	},
	{
		ID: "element-at-a-time", Title: "elements gone over one by one where the library takes many at a time",
		What:     "A loop goes over all elements of a slice or a string and does with each only what a function of the library does with many at a time: it copies them, counts a byte, looks for the first one or the first of a few, writes those that stay as they are.",
		Why:      "The functions take 16 or 32 bytes in each step; the compiler makes no such steps of a loop.",
		Silent:   "When the loop does anything else, too; for elements of other types than the function takes; for loops that clear, which the compiler replaces itself.",
		Fix:      "copy, append of a whole slice, bytes.Count, bytes.IndexByte, bytes.Equal, WriteString, and their twins in the other package: the finding names the one.",
		Outranks: []string{"slice-growth"},
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
		ID: "scan-in-loop", Title: "a list looked through again and again",
		What:     "A loop that looks for an element in a slice runs in each round of another loop, or in a function that the loop calls, while the slice stays the same or is appended to; or a function looks through a list that is kept, a field or a package variable, for what it is given.",
		Why:      "The work grows with the number of searches times the length of the list.",
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
	{
		ID: "joined-text", Title: "strings put together in more steps than needed",
		What:     "A statement joins strings by +, and all that sees the result is a comparison, strings.HasPrefix or HasSuffix, or the brackets of a map; or it puts them into a slice that only strings.Join sees.",
		Why:      "The parts are copied, and memory is taken for them where they are longer than 32 bytes, for a text that is dropped at once; a slice of parts is one more thing that grows.",
		Silent:   "When anything else sees the text: a variable, another function; for constants, which the compiler joins.",
		Fix:      "Compare with the parts; a map whose key holds them; a strings.Builder.",
		Unneeded: "and dropped when they were used",
		Outranks: []string{"string-copy", "collection-per-call", "slice-growth"},
	},
	{
		ID: "bit-at-a-time", Title: "bits taken one by one where words can be",
		What:     "A loop asks for single bits of a set that is kept in words, or puts values of some bits into bytes.",
		Why:      "Each bit costs a shift, a load and a test; an instruction on a word does 64 of them.",
		Silent:   "When the loop calls anything that does not look at bits; when the index of the word is no shift or division by a constant.",
		Fix:      "Operators on whole words and package math/bits; a 64-bit buffer for what is written.",
		Unneeded: "where a word holds 64 bits",
	},
	{
		ID: "large-copy", Title: "large values copied to be looked at",
		What:     "A loop copies values of 128 bytes or more, as the variable of a range statement, an argument or a receiver, and only reads parts of the copy; or it sends them on a channel, or puts them into an interface.",
		Why:      "All bytes of the value are copied for the few that are read; into a channel and out of it, that is twice, and for an interface memory is taken.",
		Silent:   "When the copy is changed, handed on as a whole, or its address is taken; for smaller values; for functions of other modules and of interfaces; for arguments and receivers below 256 bytes; on channels below 512 bytes, for values that have no address that stays, and where the loop sets elements.",
		Fix:      "The index and the element's address; pointer parameters and receivers; a channel of pointers.",
		Unneeded: "where its address would do",
	},
	{
		ID: "byte-keyed-map", Title: "a map of bytes where an array serves",
		What:     "A statement looks up or sets an element of a map whose keys are bytes or booleans.",
		Why:      "Each look-up hashes the key and compares it with what the map holds; an index into an array of 256 is one load.",
		Silent:   "For keys of other types; where map-of-constants speaks.",
		Fix:      "An array: [256]T.",
		Unneeded: "where an index is one load",
		Outranks: []string{"dense-map"},
	},
	{
		ID: "rest-moved", Title: "the rest of a slice moved in each round of a loop",
		What:     "A loop puts elements before the first of a slice, or removes single ones from its midst, and goes on.",
		Why:      "All elements that follow are moved each time, and by append to a new slice memory is taken for all: the work grows with the square of the number.",
		Silent:   "When the loop ends after it; when the slice is declared in the loop; for fields and elements that are slices.",
		Fix:      "Append and slices.Reverse; slices.DeleteFunc, which moves each element once.",
		Unneeded: "and moves them again in the next round",
		Outranks: []string{"slice-growth", "collection-per-call"},
	},
	{
		ID: "steady-in-loop", Title: "the same call in each round of a loop",
		What:     "A loop calls a function whose result depends on its arguments alone, for arguments that do not change in the loop.",
		Why:      "The result of the first round would do for all.",
		Silent:   "When the function, or one that it calls, has effects or its source is not at hand; for methods; for arguments that are slices, maps or pointers, whose content may change; for arguments that never change, of which constant-work speaks. In the condition of a loop whose body only computes, methods and such arguments count, too.",
		Fix:      "Call it before the loop.",
		Unneeded: "and the first round's result would do for all",
		Outranks: []string{"string-copy", "fmt-format"},
	},
	{
		ID: "copied-to-read", Title: "a copy that is only read",
		What:     "A function copies a slice, or the bytes of a string, into a variable, and only reads that.",
		Why:      "Memory is taken and all elements are copied, for what could be read where it is.",
		Silent:   "When the copy or the original is set, returned, kept or handed to functions that are not known to read only; when the function takes a lock, starts a goroutine or uses a channel; for elements that refer to others.",
		Fix:      "Read the original.",
		Unneeded: "where the original could be",
		Outranks: []string{"string-copy", "collection-per-call"},
	},
	{
		ID: "sorted-per-call", Title: "the same keys sorted in each call",
		What:     "A function puts the keys of a map, a field or a package variable, into a new slice, and sorts it.",
		Why:      "The map is gone over and n·log₂(n) comparisons are made for an order that changes only when the map does.",
		Silent:   "For maps that are parameters or local variables; in constructors.",
		Fix:      "A sorted slice beside the map.",
		Unneeded: "though their order changes only when the map does",
		Outranks: []string{"collection-per-call", "slice-growth"},
	},
	{
		ID: "rune-table", Title: "a search in a table for each character",
		What:     "A loop finds the range of a rune in a table by halving.",
		Why:      "A search in 1,000 ranges takes ten steps whose branches cannot be predicted; most text is ASCII, for which an array answers by one load.",
		Silent:   "For keys of other types; for searches by sort.Search and slices.BinarySearch.",
		Fix:      "An array for ASCII, before the search.",
		Unneeded: "though most of them are ASCII",
	},
	{
		ID: "one-by-one", Title: "elements handed over one by one to what takes many",
		What:     "A loop calls a method for each element whose type, or package, has a function for many of them.",
		Why:      "What is done for each call, keeping an order, balancing a tree, taking a lock, is done once for all by the function for many.",
		Silent:   "When the receiver is made in the loop; for functions for many with other names.",
		Fix:      "The function for many.",
		Unneeded: "and there is a function for many",
	},
	{
		ID: "closure-per-round", Title: "the same function value made in each round of a loop",
		What:     "A loop makes a function literal or a method value that depends on nothing which the loop changes, and memory is taken for it.",
		Why:      "A function value that outlives the statement is an allocated block.",
		Silent:   "When it uses a variable that the loop declares or sets; when it is called on the spot; when the compiler keeps it on the stack.",
		Fix:      "Make it before the loop.",
		Unneeded: "and one would do for all",
		Outranks: []string{"object-per-call"},
	},
	{
		ID: "atomic-in-loop", Title: "an atomic counter added to in each round of a loop",
		What:     "A loop that waits for nothing adds to the same atomic counter in its rounds.",
		Why:      "An atomic addition takes some 5 ns on one processor, and many times that where others add to the same line of memory.",
		Silent:   "When the loop calls functions other than those of a few packages that only compute, waits or starts goroutines; when it uses the sum; when the counter changes from round to round.",
		Fix:      "A local variable, and one addition after the loop.",
		Unneeded: "where one addition after it would do",
	},
	{
		ID: "rows-made-singly", Title: "the rows of a table made one by one",
		What:     "A loop makes the rows of a slice of slices, all of one length, each by itself.",
		Why:      "Each row is a block that the allocator hands out and the collector marks and sweeps, and rows lie anywhere in memory.",
		Silent:   "When the length varies; when the loop does anything else, too.",
		Fix:      "One block, cut into rows.",
		Unneeded: "where one block would do for all",
		Outranks: []string{"collection-per-call", "buffer-per-call", "object-per-call"},
	},
	{
		ID: "modulo-step", Title: "a division for a step round a ring",
		What:     "A statement adds one to an index, modulo a length.",
		Why:      "A division of integers takes several times as long as a comparison.",
		Silent:   "For constant lengths, of which the compiler makes no division; for steps other than one.",
		Fix:      "Compare, and begin again at zero.",
		Unneeded: "where a comparison would do",
	},
	{
		ID: "defer-recorded", Title: "deferred calls that the compiler cannot write out",
		What:     "A function defers in a loop, or has so many returns that the compiler records its deferred calls.",
		Why:      "A call that is written out at each return costs next to nothing; one that is recorded takes some 30 ns, and in a loop memory.",
		Silent:   "When defer statements times returns are 15 or fewer, and none is in a loop.",
		Fix:      "A function of its own for what returns from many places, or for the loop's body.",
		Unneeded: "where the compiler could write the call out",
	},
	{
		ID: "boxed-for-branch", Title: "arguments put into interfaces for a branch not taken",
		What:     "A function takes any number of arguments of any type, and uses them in one branch alone: an assertion that fails, a message at a level that is off. The profile shows that this branch is next to never taken.",
		Why:      "A value is put into an interface before the call, which takes memory for all but pointers, constants and small numbers; the function's own test comes too late.",
		Silent:   "When the branch holds more than a twentieth of the samples of the call's own memory; when the function's source is not at hand; when the arguments are used before the test; for slices handed on by args....",
		Fix:      "Test before the call.",
		Unneeded: "and it would do to test before the call",
		Outranks: []string{"boxed-value", "object-per-call"},
	},
	{
		ID: "call-for-test", Title: "a call for a test that nearly always goes the same way",
		What:     "A function that the compiler does not inline tests whether there is more to do, and next to never does it.",
		Why:      "A call costs as much as five to ten such tests, and keeps the compiler from keeping values in registers around it.",
		Silent:   "When the function has loops, switches or deferred calls, or calls others each time; when the branch holds samples; when the compiler inlines it.",
		Fix:      "A function for each: one that tests, which is inlined, and one for what the test decides on.",
		Unneeded: "though the test could be inlined",
	},
	{
		ID: "rest-copied", Title: "the rest of a slice copied aside to put something before it",
		What:     "append(s[:i], append(x, s[j:]...)...).",
		Why:      "The inner append takes memory for the rest and copies it, and the outer copies it back.",
		Silent:   "For other slices than the one that it is put into.",
		Fix:      "slices.Insert, slices.Replace.",
		Unneeded: "and can be moved in its place",
		Outranks: []string{"slice-growth", "collection-per-call", "buffer-per-call"},
	},
	{
		ID: "search-beyond", Title: "a search that goes on beyond what matters",
		What:     "Two things are looked for in the same text, one after the other, and the second matters only if it comes before the first.",
		Why:      "Where the second is rare, all of the text is gone over for it each time: a parser that does so for each of its pieces takes time with the square of the text's length.",
		Silent:   "When what the second search found is used otherwise than to compare it; when the text changes between the two.",
		Fix:      "Search the part up to the first.",
		Unneeded: "though what was found first bounds it",
	},
	{
		ID: "goroutine-per-item", Title: "a goroutine for each item",
		What:     "A loop starts a goroutine in each round, and starting them is much of the program's time.",
		Why:      "To start a goroutine, to find a processor for it and to end it takes some 300 ns: more than many an item's work.",
		Silent:   "For loops over numbers, whose rounds may be few, over channels, and without an end; when starting holds less than 5 % of the time.",
		Fix:      "As many goroutines as processors, each with a part of the items.",
		Unneeded: "where one for each processor does the same",
		Outranks: []string{"closure-per-round", "object-per-call"},
	},
	{
		ID: "compressor-per-use", Title: "a compressor made for each use",
		What:     "A function makes a gzip.Writer or zlib.Writer and hands it to others, and the tables that it makes as it is first written to are much of the program's memory, or time.",
		Why:      "A gzip.Writer takes some 800 KB, which are allocated, cleared and collected each time; Reset keeps them.",
		Silent:   "When the function uses the writer itself, of which buffer-per-call speaks; when the package makes such writers in several places; for what a sync.Pool makes.",
		Fix:      "A sync.Pool of writers.",
		Unneeded: "which Reset would keep",
		Outranks: []string{"buffer-per-call", "object-per-call"},
	},
}, causesOfMemory, causesOfPools, causesOfInterfaces, causesOfDigits, causesOfCopies, causesOfDivisions, causesOfAgain, causesOfSets)

var table = [][]Shape{ofMaps, ofElements, ofConstants, ofText, ofRepeats, ofUnneeded, ofJoined, ofBits, ofValues, ofMoves, ofRuns, ofLists, ofRounds, ofMemory, ofStreams, ofGrowth, ofEscapes, ofPairs, ofBranches, ofSearches, ofReturned, ofPools, ofInterfaces, ofDigits, ofCopies, ofConditions, ofAdded, ofDivisions, ofAgain}

// Table returns the rows of all shapes.
func Table() (rows []knowledge.Row) {
	for _, s := range slices.Concat(table...) {
		rows = append(rows, s.Row)
	}
	return rows
}

// Rules returns a rule for each cause.
func Rules() []diagnose.Rule {
	rules := knowledge.RulesOf(causes, Table(), func(s *diagnose.Subject) map[string][]diagnose.Claim { return claims(s).claims })
	for i, r := range rules {
		rules[i].Find = func(s *diagnose.Subject) []diagnose.Claim {
			if err := claims(s).failed[r.ID]; err != nil {
				panic(err)
			}
			return r.Find(s)
		}
	}
	return rules
}
