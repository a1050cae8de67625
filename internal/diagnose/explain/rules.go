package explain

import "whet/internal/diagnose"

const (
	asked  = "The rule examines the first three hot places, where no other rule reports anything and no finding explains half of the cost. "
	beside = "The rule examines the first three hot places, beside findings of other rules. "
	silent = "Below 15 % of the base's time or 30 % of the place's; without type information; "
)

// Rules returns the rules in the order in which they are applied.
func Rules() []diagnose.Rule {
	evidence := []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls}
	rules := []diagnose.Rule{
		{
			ID: "computed-again", Title: "a value computed again from the same inputs",
			Doc: diagnose.Doc{
				What:   beside + "A call on the way to the place recomputes an earlier result: a key in each comparison of a sort, facts about a type's fields and tags, a function of counters and lengths only, one part of a value whose parts are available together, a function of constants, or of fields that are set only where their object is made, or of what a loop does not change, in the same function or in one that it calls; a sort of all after each element that is added; a part of a tree or of a text that is gone over anew at each step, or to replace one occurrence. Or a function calls three or more methods of one value, without arguments, and each repeats the same work.",
				Why:    "The first result would do for all.",
				Silent: "Below 8 % of the base's time; without type information; for functions whose source shows an effect or another input, or that call function values or methods of the program's interfaces; for what is computed before a loop is left; for fields set by a function that has samples, or to which the object is passed; for comparisons in anything but a sort or a heap; for integers read from data.",
				Fix:    "Keep the result with its inputs: in a field, in a table, in a map by the type.",
				Before: "sort.Slice(list, func(i, j int) bool {\n\treturn strings.ToLower(list[i].name) < strings.ToLower(list[j].name)\n})",
				After:  "for i := range list {\n\tlist[i].key = strings.ToLower(list[i].name)\n}\nsort.Slice(list, func(i, j int) bool { return list[i].key < list[j].key })",
			},
			At:     computedAgain,
			Beside: []string{"repeated-result", "constant-work", "key-per-comparison", "settings-work", "steady-in-loop", "made-per-call", "regexp-compile", "sorted-per-call", "equal-calls", "object-per-call", "collection-per-call", "rows-made-singly"},
		},
		{
			ID: "used-in-part", Title: "all of it computed where a part is used",
			Doc: diagnose.Doc{
				What:   beside + "A call on the way to the place makes a list of which its caller takes the first element; or it fills a field that almost nothing reads; or its result, or a value on the heap, is made before a check that nearly always leaves it unused. Or an error with its text is made for callers that only test whether there is one. Or a list in a field grows only for a function that has almost no samples. Or a function computes a result, and the call drops it.",
				Why:    "All of the work is done, and the memory allocated, for a result that is hardly ever used.",
				Silent: "Below 8 % of the base's time; where the code that needs the value has a twentieth of its samples or more; for exported fields, and those that the function reads itself; for calls with effects; where something before the check may change its inputs; for a timeout after which nothing is called.",
				Fix:    "Stop at the first; compute on first use; check first.",
				Before: "n := &node{left, right}\nif old, ok := known[*n]; ok {\n\treturn old\n}\nknown[*n] = n\nreturn n",
				After:  "key := node{left, right}\nif old, ok := known[key]; ok {\n\treturn old\n}\nn := &node{left, right}\nknown[key] = n\nreturn n",
			},
			At:     usedInPart,
			Beside: []string{"unused-work", "early-work", "first-pieces", "object-dropped", "boxed-for-branch", "call-for-test", "escape-for-branch", "made-per-call", "search-beyond", "error-text", "escaping-struct"},
		},
		{
			ID: "built-to-be-read", Title: "a result built only to be read and dropped",
			Doc: diagnose.Doc{
				What:   beside + "A function of the program on the way to the place builds a string, a list or a map, and its caller only compares it, takes its length, uses it as a key, looks up keys, iterates over it, writes it, or, in a loop or in the same function, appends it to another. Or it copies a list under a lock, and its caller goes over the copy, though nothing changes the list.",
				Why:    "Memory is allocated and filled, though the source itself could be read.",
				Silent: "Below 8 % of the base's time or a tenth of its bytes; where anything else uses the result; for a list or map that the function sorts, or collects under a lock; for a list appended to another, if the function also reads or keeps it.",
				Fix:    "Compare the parts, count, keep the map, pass each element on, or write to the caller's destination.",
				Before: "if text(a) == text(b) {\n\treport(a)\n}",
				After:  "if len(a.parts) == len(b.parts) && slices.Equal(a.parts, b.parts) {\n\treport(a)\n}",
			},
			At:     builtToRead,
			Beside: []string{"compared-text", "counted-result", "ranged-pieces", "needless-map", "written-text", "text-key", "copied-to-read", "returned-to-drop", "joined-text", "needless-copy", "collection-per-call"},
		},
		{
			ID: "copied-to-change", Title: "a string copied element by element because some change",
			Doc: diagnose.Doc{
				What:   beside + "A loop over a string writes or appends its bytes or runes one by one, and a branch in it treats some of them differently: escaping, replacing, folding.",
				Why:    "Most strings contain nothing to change, and could be used unchanged; the others could be copied in pieces.",
				Silent: "Below 8 % of the base's time or 30 % of the place's; without type information; for loops without a branch; for functions that neither return the string nor write more than one kind of element.",
				Fix:    "First search for an element to change, and use the string itself if there is none.",
				Before: "var b strings.Builder\nfor _, r := range s {\n\tif r == '\\n' {\n\t\tr = ' '\n\t}\n\tb.WriteRune(r)\n}\nreturn b.String()",
				After:  "if strings.IndexByte(s, '\\n') < 0 {\n\treturn s\n}\nreturn strings.ReplaceAll(s, \"\\n\", \" \")",
			},
			At:     changedCopy,
			Beside: []string{"general-function", "element-at-a-time", "joined-text"},
		},
		{
			ID: "one-at-a-time", Title: "one call per item where one could serve many",
			Doc: diagnose.Doc{
				What:   beside + "The place reads, writes or stats files with a system call for each piece, starts goroutines whose stacks grow, or calls the standard library for each byte or rune in a loop. Or it reads the clock in each call, for a deadline in a field that is only compared, or for each element of a loop, to compare. Or two nested loops call a small method of an interface for each element, and one type alone is seen behind it.",
				Why:    "Each call has a fixed cost, from 5 ns for a function to some microseconds for a system call, which a batch pays once.",
				Silent: "Below 15 % of the base's time, for goroutines below 8 %; for other uses of the clock, where the report names only the hot place; for connections, which bufio or the network's own buffers serve; in programs that read and write through bufio.",
				Fix:    "Use a buffer, a batch, or the current goroutine.",
				Before: "for _, line := range lines {\n\tio.WriteString(file, line)\n}",
				After:  "w := bufio.NewWriter(file)\nfor _, line := range lines {\n\tw.WriteString(line)\n}\nerr := w.Flush()",
			},
			At:     oneAtATime,
			Beside: []string{"small-io", "small-pieces", "element-at-a-time", "one-by-one", "goroutine-per-item", "channel-per-item", "read-growth"},
		},
		{
			ID: "reflection", Title: "reflection at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "Package reflect, called from the program's own code, takes 15 % of the time or more.",
				Why:    "Each call of package reflect inspects the value's type, checks whether the operation is allowed, and often allocates its result.",
				Silent: silent + "for reflection inside a codec or fmt, see library-work.",
				Fix:    "Use a type switch over the most frequent types before reflection, and keep facts about a type for reuse.",
				Before: "n := reflect.ValueOf(list).Len()",
				After:  "switch list := list.(type) {\ncase []any:\n\tn = len(list)\ncase []string:\n\tn = len(list)\ndefault:\n\tn = reflect.ValueOf(list).Len()\n}",
			},
			At: reflection,
		},
		{
			ID: "regexp-run", Title: "a regular expression matched at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "Matching regular expressions takes 15 % of the time or more.",
				Why:    "The matcher interprets a program for each byte of the text, some ten to a hundred times slower than a loop for the same test.",
				Silent: silent + "where regexp-compile, regexp-replace or general-function reports it.",
				Fix:    "Use a loop over the bytes, package strings, or, before the match, a test for a byte that every match contains.",
				Before: "ok := regexp.MustCompile(`^[a-z]+$`).MatchString(name)",
				After:  "ok := name != \"\" && strings.Trim(name, \"abcdefghijklmnopqrstuvwxyz\") == \"\"",
			},
			At: regexpRun,
		},
		{
			ID: "library-work", Title: "general-purpose library code at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "General-purpose functions of the standard library take 15 % of the time or more: codecs, scanners and splitters, reads and writes of a few bytes at a time, big numbers, sorts through interfaces, paths, URLs, stack traces. Or a hasher is made for one short string, and its package has a function that returns the sum at once.",
				Why:    "A general-purpose function handles every possible input, goes through interfaces or reflection, and allocates strings and slices that the caller may not need.",
				Silent: silent + "for functions that are hard to beat: searching and comparing bytes, hashing, compressing, system calls, locks, appending numbers; for formatting and parsing floating-point numbers below 50 %.",
				Fix:    "Write code that does only what is needed here.",
				Before: "fields := strings.Split(line, \",\")\nreturn fields[0]",
				After:  "first, _, _ := strings.Cut(line, \",\")\nreturn first",
			},
			At: libraryWork,
		},
		{
			ID: "step-growth", Title: "memory that grows step by step at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "Appending to a slice, or writing to a strings.Builder or a bytes.Buffer, takes 15 % of the time or more; the blocks have several sizes, and 30 % of them were outgrown. If a buffer is passed to the code that writes it, the finding is where the buffer is made, from 8 % of the time.",
				Why:    "Each step allocates a larger block, copies the content, and leaves the old block to the garbage collector: about twice the bytes needed in the end.",
				Silent: silent + "where slice-growth, map-growth or text-growth reports it; for memory passed by the caller of an exported function; for a buffer with Grow or Reset, from a pool, of an object, or written once; for a fifth of the bytes or less; where allocations are rare.",
				Fix:    "Allocate with the length, or a bound of it; or reuse the memory in the next call.",
				Before: "var b strings.Builder\nfor _, p := range parts {\n\tb.WriteString(p)\n}",
				After:  "var b strings.Builder\nn := 0\nfor _, p := range parts {\n\tn += len(p)\n}\nb.Grow(n)\nfor _, p := range parts {\n\tb.WriteString(p)\n}",
			},
			At: stepGrowth,
		},
		{
			ID: "value-cloned", Title: "values copied as a whole at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "A function returns a copy of its argument or receiver, a slice, a map or a pointer's target, and allocating and filling it takes 15 % of the time or more. Or it copies all of a map or list that its receiver or an argument holds, adds to the copy, and returns it.",
				Why:    "All elements are copied, into new memory, for the few, if any, that will be changed.",
				Silent: silent + "for a fifth of the bytes or less; where allocations are rare; for a function that only tests and benchmarks call, unless it adds to the copy.",
				Fix:    "Copy only what is changed, when it is changed, and share the rest.",
				Before: "func set(doc map[string]any, key string, v any) map[string]any {\n\tdoc = deepCopy(doc)\n\tdoc[key] = v\n\treturn doc\n}",
				After:  "func set(doc map[string]any, key string, v any) map[string]any {\n\tdoc = maps.Clone(doc) // its values are shared\n\tdoc[key] = v\n\treturn doc\n}",
			},
			At: valueCloned,
		},
		{
			ID: "memory-per-call", Title: "memory allocated in each call at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "Allocation there takes 15 % of the time or more, at an expression that escapes to the heap according to the compiler.",
				Why:    "The allocator hands out, clears and accounts for each block, and the garbage collector finds and frees it.",
				Silent: silent + "for a fifth of the bytes or less; where allocations are rare; for results of an exported function, values stored in a longer-lived object, and objects whose address may be kept: these have to be new.",
				Fix:    "Reuse one block, take memory from the caller, or use a value in place of a pointer.",
				Before: "args := make([]any, n)\nfor i := range args {\n\targs[i] = vm.pop()\n}\nvm.push(f(args))",
				After:  "args := vm.stack[len(vm.stack)-n:]\nvm.stack = append(vm.stack[:len(vm.stack)-n], f(args))",
			},
			At: memoryPerCall,
		},
		{
			ID: "call-per-character", Title: "a function call for each character at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "A function that takes or returns a single byte or rune, and that the compiler does not inline, takes 15 % of the time or more, called from loops.",
				Why:    "A call for one byte, with its checks, loads and stores, takes as long as a library function takes for 16 or 32 bytes.",
				Silent: silent + "where the compiler inlines the function; where most of its cost does not come from a loop.",
				Fix:    "Use one loop over the text, a table of bytes that need treatment, and copy runs of the others as a whole.",
				Before: "for i := range len(s) {\n\tenc.addByte(s[i])\n}",
				After:  "start := 0\nfor i := range len(s) {\n\tif special[s[i]] {\n\t\tenc.buf = append(enc.buf, s[start:i]...)\n\t\tenc.addSpecial(s[i])\n\t\tstart = i + 1\n\t}\n}\nenc.buf = append(enc.buf, s[start:]...)",
			},
			At: callPerByte,
		},
		{
			ID: "all-for-one", Title: "all elements examined to choose one",
			Doc: diagnose.Doc{
				What:   beside + "A loop ranges over every element of a list, remembers the index of one of them in a branch, and never leaves early; or each round of a loop looks for the next element that is left, or for one of a key, from the start of a list; or a method does in a list that does not change. It, or a function that it calls, takes 15 % of the time or more.",
				Why:    "The work of each call grows with the number of elements, most of which are examined in vain.",
				Silent: silent + "for lists of anything but structs; for loops that leave early.",
				Fix:    "Keep an order or an index that finds the one first; do a cheap test before the expensive one.",
				Before: "best := 0\nfor i := range shops {\n\tif shops[i].distance(at) < shops[best].distance(at) {\n\t\tbest = i\n\t}\n}",
				After:  "best := grid.nearest(at) // the shops of the cell, and of those around it",
			},
			At:     allForOne,
			Beside: []string{"repeated-scan", "scan-in-loop", "search-beyond", "all-again"},
		},
		{
			ID: "all-pairs", Title: "every element compared with every other",
			Doc: diagnose.Doc{
				What:   beside + "Two nested loops range over the same slice; the inner one, or the code called there for each pair, takes 15 % of the time or more.",
				Why:    "n elements form n·(n−1)/2 pairs: ten times as many elements take a hundred times as long.",
				Silent: silent + "for slices of numbers; for the same list under different names.",
				Fix:    "Group the elements by the key that related ones share, or sort them and compare neighbours.",
				Before: "for i, a := range list {\n\tfor _, b := range list[i+1:] {\n\t\tif a.name == b.name {\n\t\t\treport(a, b)\n\t\t}\n\t}\n}",
				After:  "byName := make(map[string][]item, len(list))\nfor _, b := range list {\n\tfor _, a := range byName[b.name] {\n\t\treport(a, b)\n\t}\n\tbyName[b.name] = append(byName[b.name], b)\n}",
			},
			At:     allPairs,
			Beside: []string{"repeated-scan", "scan-in-loop", "all-again"},
		},
	}
	for i := range rules {
		rules[i].Evidence, rules[i].MinSamples = evidence, diagnose.MinCPUSamples
		rules[i].Essential = []diagnose.EvidenceKind{diagnose.EvidenceCPU}
	}
	return rules
}
