package shape

import (
	"go/ast"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/diagnose/knowledge"
	"whet/internal/typed"
)

// Shape is a piece of knowledge about statements. Its row has no callees, and its
// When is only text; Cost is a clause with a subject: "the same key is looked up twice".
type Shape struct {
	knowledge.Row
	// Spends are the functions below which its cost lies, by how their names begin;
	// "" is the statement itself, and calls those that the nodes call.
	Spends []string
	// Square is set where the cost grows with the square of a length.
	Square bool
	// Find returns the location of the cost of the shape that begins with a node; the
	// zero value if there is none.
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
	// Rare are nodes that must have almost no samples compared with Goes, in the file
	// RareIn, as frames have it; "" is the file of Goes.
	Rare   []ast.Node
	RareIn string
	All    bool // the remedy removes all of the cost of Goes
	// Grows is set if the cost must have blocks of several sizes.
	Grows bool
	// Later is the library function that allocates for the value of Goes on its first
	// use: the cost is all that the program spends in it, wherever.
	Later string
	// Decision is the end of a diagnostic that the compiler must have for the line.
	Decision string
}

// causes are the rules, in the order in which they are listed to users.
var causes = slices.Concat([]knowledge.Cause{
	{
		ID: "map-lookup-twice", Title: "the same key looked up twice in a map",
		What:     "A statement looks up a key in a map, and it or a later statement of the same block looks it up again, while neither the map nor the key can have changed; or a loop looks it up in each round.",
		Why:      "Each lookup hashes the key and compares it with keys of the map; the compiler does not reuse the first result.",
		Silent:   "When the map, the key or a variable in either may be set between the two, by the function or by one that it calls; for key expressions that call functions; where the second sets the key: m[k]++, m[k] += x and m[k] = append(m[k], x) look it up once.",
		Fix:      "Keep the value of the first lookup: if v, ok := m[k]; ok { … v … }.",
		Unneeded: "and its value was already available",
	},
	{
		ID: "element-at-a-time", Title: "elements processed one by one where the standard library takes many at a time",
		What:     "A loop over all elements of a slice or a string does to each only what a function of the standard library does to many at a time: it copies them, counts a byte, finds the first one or the first of a few, or writes the unchanged ones.",
		Why:      "The functions process 16 or 32 bytes in each step; the compiler does not vectorize loops.",
		Silent:   "When the loop does anything else, too; for element types that the function does not take; for loops that clear, which the compiler replaces itself.",
		Fix:      "Use copy, append of a whole slice, bytes.Count, bytes.IndexByte, bytes.Equal, WriteString, or their counterparts in package strings: the finding names the one.",
		Outranks: []string{"slice-growth"},
		Unneeded: "where many can be processed at a time",
	},
	{
		ID: "map-of-constants", Title: "a map of constants where a switch serves",
		What:     "A statement looks up a key in a map that is written as a literal in a package variable and never changes.",
		Why:      "Each lookup hashes the key and compares it with keys in the map's memory. A switch compiles to a few comparisons, or one jump, with its results in the code.",
		Silent:   "When the package sets an element, or passes the map on; for exported variables; when a key is not constant; for more than 1,000 keys; for keys that are interfaces.",
		Fix:      "Use a function with a switch, or an array if the keys are small numbers.",
		Unneeded: "though the compiler knows all keys",
	},
	{
		ID: "key-per-comparison", Title: "a key computed in each comparison of a sort",
		What:     "The function that compares two elements for a sort, or a method Less, calls other functions on each of them: for a lower-case string, a length, a score.",
		Why:      "A sort of n elements makes about n·log₂(n) comparisons, and computes two keys in each: for 1,000 elements that is twenty times as many keys as elements.",
		Silent:   "For functions of both elements, such as strings.Compare; for conversions and builtin functions; for cheap functions.",
		Fix:      "Compute each element's key once, and sort by the keys.",
		Unneeded: "though each element has one key",
	},
	{
		ID: "scan-in-loop", Title: "a list scanned again and again",
		What:     "A loop that searches a slice for an element runs in each round of another loop, or in a function that the loop calls, while the slice stays the same or is appended to; or a function searches a long-lived list, a field or a package variable, for its argument.",
		Why:      "The work grows with the number of searches times the length of the list.",
		Silent:   "When the outer loop changes the slice otherwise; when all rounds search for the same element; when the inner loop does more than compare; for literal lists of fewer than 16 elements.",
		Fix:      "Use a map, or a sorted slice and slices.BinarySearch.",
		Unneeded: "where a lookup needs no scan",
	},
	{
		ID: "settings-work", Title: "a string built again from settings that do not change",
		What:     "A method builds a string, with a function of the standard library or by concatenation, from constants and unexported fields that only constructors set: functions whose names begin with New, With, Open, Parse and the like.",
		Why:      "The string is the same each time, and each call formats and allocates it.",
		Silent:   "When an argument varies; when any other function sets a field, or takes its address; for exported fields, which other packages may set; for method calls; in constructors.",
		Fix:      "Build it where the fields are set, and keep it in a field.",
		Unneeded: "so that it is the same each time",
		Outranks: []string{"string-copy", "fmt-format"},
	},
	{
		ID: "early-work", Title: "work done before it is known to be needed",
		What:     "A statement calls a function, and only one branch of a later if or switch uses the result; the profile shows that this branch is almost never taken.",
		Why:      "In all other cases the work is wasted.",
		Silent:   "When the function, or one that it calls, has effects; when its source is not available and it is not a function of the standard library that depends only on its arguments; when an argument is set in between; when the branch has more than a twentieth as many samples as the work, or calls nothing, so that samples cannot tell how often it is taken.",
		Fix:      "Move the call into the branch.",
		Unneeded: "and the branch that uses it has almost no samples",
		Outranks: []string{"string-copy", "fmt-format", "collection-per-call"},
	},
	{
		ID: "needless-map", Title: "a map built only to be iterated over",
		What:     "A loop over a map fills another with the same keys, and the program only ranges over that one or takes its length.",
		Why:      "Filling a map hashes each key and grows the map several times; iterating over it is several times slower than over a slice.",
		Silent:   "When a key is looked up in it, or it is passed on; when an exported function returns it; when the keys come from anything but a map, and so may repeat.",
		Fix:      "Use a slice of structs with the required capacity.",
		Unneeded: "and no key is looked up in it",
		Outranks: []string{"collection-per-call"},
	},
	{
		ID: "joined-text", Title: "strings joined in more steps than needed",
		What:     "A statement joins strings by +, and the result is only compared, passed to strings.HasPrefix or HasSuffix, or used as a map index; or it collects them in a slice that only strings.Join uses.",
		Why:      "The parts are copied, into allocated memory if they are longer than 32 bytes, for a string that is dropped at once; a slice of parts also has to grow.",
		Silent:   "When anything else uses the string: a variable, another function; for constants, which the compiler joins.",
		Fix:      "Compare with the parts; use a map whose key holds them; use a strings.Builder.",
		Unneeded: "and dropped after that use",
		Outranks: []string{"string-copy", "collection-per-call", "slice-growth"},
	},
	{
		ID: "bit-at-a-time", Title: "bits processed one by one where whole words serve",
		What:     "A loop tests single bits of a set that is stored in words, or writes values of a few bits into bytes.",
		Why:      "Each bit costs a shift, a load and a test; an instruction on a word processes 64 of them.",
		Silent:   "When the loop calls anything but functions that test bits; when the index of the word is not a shift or division by a constant.",
		Fix:      "Use operators on whole words and package math/bits; collect written bits in a 64-bit buffer.",
		Unneeded: "where a word holds 64 bits",
	},
	{
		ID: "large-copy", Title: "large values copied for reading",
		What:     "A loop copies values of 128 bytes or more, as the variable of a range statement, an argument or a receiver, and only reads parts of the copy; or it sends them on a channel, or converts them to an interface.",
		Why:      "All bytes of the value are copied for the few that are read; a channel copies them twice, in and out, and an interface allocates.",
		Silent:   "When the copy is changed, passed on as a whole, or its address is taken; for smaller values; for functions of other modules and of interfaces; for arguments and receivers below 256 bytes; on channels, below 512 bytes, for values without a stable address, and where the loop sets elements.",
		Fix:      "Use the index and the element's address; pointer parameters and receivers; a channel of pointers.",
		Unneeded: "where its address would do",
	},
	{
		ID: "byte-keyed-map", Title: "a map of bytes where an array serves",
		What:     "A statement looks up or sets an element of a map whose keys are bytes or booleans.",
		Why:      "Each lookup hashes the key and compares it with keys of the map; an index into an array of 256 is one load.",
		Silent:   "For keys of other types; where map-of-constants reports it.",
		Fix:      "Use an array: [256]T.",
		Unneeded: "where an array index is one load",
		Outranks: []string{"dense-map"},
	},
	{
		ID: "rest-moved", Title: "the rest of a slice moved in each round of a loop",
		What:     "A loop inserts elements at the front of a slice, or removes single ones from its middle, and continues.",
		Why:      "Each time all following elements move, and append to a new slice also allocates memory for all of them: the work grows with the square of the number.",
		Silent:   "When the loop ends after it; when the slice is declared in the loop; for fields and elements that are slices.",
		Fix:      "Append and slices.Reverse; or slices.DeleteFunc, which moves each element once.",
		Unneeded: "and moves them again in the next round",
		Outranks: []string{"slice-growth", "collection-per-call"},
	},
	{
		ID: "steady-in-loop", Title: "the same call in each round of a loop",
		What:     "A loop calls a function whose result depends only on its arguments, and the arguments do not change in the loop.",
		Why:      "The result of the first round would do for all.",
		Silent:   "When the function, or one that it calls, has effects or its source is not available; for methods; for arguments that are slices, maps or pointers, whose content may change; for arguments that never change, see constant-work. In the condition of a loop whose body only computes, methods and such arguments are reported, too.",
		Fix:      "Call it before the loop.",
		Unneeded: "and the first round's result would do for all",
		Outranks: []string{"string-copy", "fmt-format"},
	},
	{
		ID: "copied-to-read", Title: "a copy that is only read",
		What:     "A function copies a slice, or the bytes of a string, into a variable, and only reads that.",
		Why:      "Memory is allocated and all elements are copied, though the original could be read.",
		Silent:   "When the copy or the original is set, returned, kept or passed to functions not known to only read it; when the function takes a lock, starts a goroutine or uses a channel; for elements that hold references.",
		Fix:      "Read the original.",
		Unneeded: "though the original could be read instead",
		Outranks: []string{"string-copy", "collection-per-call"},
	},
	{
		ID: "sorted-per-call", Title: "the same keys sorted in each call",
		What:     "A function collects the keys of a map, a field or a package variable, in a new slice, and sorts it.",
		Why:      "Each call iterates over the map and makes n·log₂(n) comparisons for an order that changes only when the map does.",
		Silent:   "For maps that are parameters or local variables; in constructors.",
		Fix:      "Keep a sorted slice beside the map.",
		Unneeded: "though their order changes only when the map does",
		Outranks: []string{"collection-per-call", "slice-growth"},
	},
	{
		ID: "rune-table", Title: "a table search for each character",
		What:     "A loop finds the range of a rune in a table by binary search.",
		Why:      "A search in 1,000 ranges takes ten steps with unpredictable branches; most text is ASCII, for which an array needs one load.",
		Silent:   "For keys of other types; for searches by sort.Search and slices.BinarySearch.",
		Fix:      "Use an array for ASCII, before the search.",
		Unneeded: "though most of them are ASCII",
	},
	{
		ID: "one-by-one", Title: "elements added one by one where one call takes many",
		What:     "A loop calls a method for each element, and the method's type, or its package, has a function for many of them.",
		Why:      "The overhead of each call, keeping an order, balancing a tree, taking a lock, is paid once by the function for many.",
		Silent:   "When the receiver is made in the loop; for functions for many with other names.",
		Fix:      "Use the function for many.",
		Unneeded: "though there is a function for many",
	},
	{
		ID: "closure-per-round", Title: "the same function value allocated in each round of a loop",
		What:     "A loop creates a function literal or a method value that depends on nothing the loop changes, and that allocates.",
		Why:      "A function value that outlives the statement is allocated on the heap.",
		Silent:   "When it uses a variable that the loop declares or sets; when it is called immediately; when the compiler keeps it on the stack.",
		Fix:      "Make it before the loop.",
		Unneeded: "and one would do for all",
		Outranks: []string{"object-per-call"},
	},
	{
		ID: "atomic-in-loop", Title: "an atomic counter added to in each round of a loop",
		What:     "A loop that does not block adds to the same atomic counter in its rounds.",
		Why:      "An atomic addition takes some 5 ns on one processor, and many times that if other processors add to the same cache line.",
		Silent:   "When the loop calls functions other than those of a few packages that only compute, blocks or starts goroutines; when it uses the sum; when the counter varies between rounds.",
		Fix:      "Use a local variable, and one addition after the loop.",
		Unneeded: "where one addition after it would do",
	},
	{
		ID: "rows-made-singly", Title: "the rows of a table allocated one by one",
		What:     "A loop allocates the rows of a slice of slices, all of one length, one by one.",
		Why:      "The allocator hands out each row as a block, which the garbage collector marks and sweeps, and rows are scattered in memory.",
		Silent:   "When the length varies; when the loop does anything else, too.",
		Fix:      "Allocate one block, and slice it into rows.",
		Unneeded: "where one block would do for all",
		Outranks: []string{"collection-per-call", "buffer-per-call", "object-per-call"},
	},
	{
		ID: "modulo-step", Title: "a division for a step around a ring",
		What:     "A statement adds one to an index, modulo a length.",
		Why:      "A division of integers takes several times as long as a comparison.",
		Silent:   "For constant lengths, for which the compiler needs no division; for steps other than one.",
		Fix:      "Compare, and wrap around to zero.",
		Unneeded: "where a comparison would do",
	},
	{
		ID: "defer-recorded", Title: "deferred calls that the compiler cannot inline",
		What:     "A function defers in a loop, or has so many returns that the compiler records its deferred calls.",
		Why:      "A deferred call inlined at each return costs almost nothing; a recorded one takes some 30 ns, and in a loop allocates.",
		Silent:   "When the number of defer statements times that of returns is 15 or less, and no defer statement is in a loop.",
		Fix:      "Move the code with many returns, or the loop's body, into a function of its own.",
		Unneeded: "where the compiler could inline the call at the returns",
	},
	{
		ID: "boxed-for-branch", Title: "arguments converted to interfaces for a branch not taken",
		What:     "A function takes any number of arguments of any type, and uses them in only one branch: an assertion that fails, a message at a level that is off. The profile shows that this branch is almost never taken.",
		Why:      "Converting a value to an interface before the call allocates, except for pointers, constants and small numbers; the function's own test comes too late.",
		Silent:   "When the branch has more than a twentieth as many samples as the conversions; when the function's source is not available; when the arguments are used before the test; for slices passed on by args....",
		Fix:      "Test before the call.",
		Unneeded: "which a test before the call would avoid",
		Outranks: []string{"boxed-value", "object-per-call"},
	},
	{
		ID: "call-for-test", Title: "a call for a test that nearly always has the same result",
		What:     "A function that the compiler does not inline tests whether there is more to do, and almost never does it.",
		Why:      "A call costs as much as five to ten such tests, and prevents the compiler from keeping values in registers around it.",
		Silent:   "When the function has loops, switches or deferred calls, or calls others each time; when the branch has samples; when the compiler inlines it.",
		Fix:      "Split it into a function that tests, which is inlined, and one for the branch.",
		Unneeded: "though the test could be inlined",
	},
	{
		ID: "rest-copied", Title: "the rest of a slice copied aside for an insertion",
		What:     "append(s[:i], append(x, s[j:]...)...).",
		Why:      "The inner append allocates memory for the rest and copies it, and the outer one copies it back.",
		Silent:   "For the rest of another slice.",
		Fix:      "Use slices.Insert or slices.Replace.",
		Unneeded: "though it could be moved in place",
		Outranks: []string{"slice-growth", "collection-per-call", "buffer-per-call"},
	},
	{
		ID: "search-beyond", Title: "a search that goes on beyond the relevant part",
		What:     "A function searches the same string for two things, one after the other, and the second matters only if it comes before the first.",
		Why:      "If the second is rare, each search scans all of the string: a parser that does so for each of its pieces takes time with the square of the string's length.",
		Silent:   "When the second result is used for more than a comparison; when the string changes between the two.",
		Fix:      "Search only the part before the first match.",
		Unneeded: "though the first match bounds the relevant part",
	},
	{
		ID: "goroutine-per-item", Title: "a goroutine for each item",
		What:     "A loop starts a goroutine in each round, and starting them takes much of the program's time.",
		Why:      "To start a goroutine, schedule it and end it takes some 300 ns: more than the work of many items.",
		Silent:   "For loops over numbers, whose rounds may be few, over channels, and without an end; when the starts take less than 5 % of the time.",
		Fix:      "Start as many goroutines as processors, each with a part of the items.",
		Unneeded: "where one for each processor does the same",
		Outranks: []string{"closure-per-round", "object-per-call"},
	},
	{
		ID: "compressor-per-use", Title: "a compressor allocated for each use",
		What:     "A function makes a gzip.Writer or zlib.Writer and passes it on, and the tables that it allocates at its first write take much of the program's memory, or time.",
		Why:      "A gzip.Writer takes some 800 KB, which are allocated, cleared and collected each time; Reset reuses them.",
		Silent:   "When the function uses the writer itself, see buffer-per-call; when the package makes such writers in several places; for New of a sync.Pool.",
		Fix:      "Use a sync.Pool of writers.",
		Unneeded: "which Reset would reuse",
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
