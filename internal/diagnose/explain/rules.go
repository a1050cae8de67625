package explain

import "whet/internal/diagnose"

const (
	asked  = "It is asked about the first three hot places, where no other rule speaks and no finding explains half of the cost. "
	beside = "It is asked about the first three hot places, beside findings that say something else. "
	silent = "Below 15 % of the base's time or 30 % of the place's; without types of the source; "
)

// Rules returns the rules in the order in which they are asked.
func Rules() []diagnose.Rule {
	evidence := []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls}
	rules := []diagnose.Rule{
		{
			ID: "computed-again", Title: "computed again though its inputs are the same",
			Doc: diagnose.Doc{
				What:   beside + "A call on the way to the place works out again what it worked out before: a key in each comparison of a sort, what a type's fields and tags are, a number of counters and lengths alone, a part of a value whose parts come together, a function of fields that are set only where their object is made.",
				Why:    "The first result would do for all.",
				Silent: "Below 8 % of the base's time; without types of the source; for functions whose source shows an effect, or something else that they read; for fields that a function sets which has samples, or that is handed the object; for comparisons of anything but a sort or a heap; for integers read from data.",
				Fix:    "The result kept where its inputs are: in a field, in a table, in a map by the type.",
				Before: "sort.Slice(list, func(i, j int) bool {\n\treturn strings.ToLower(list[i].name) < strings.ToLower(list[j].name)\n})",
				After:  "for i := range list {\n\tlist[i].key = strings.ToLower(list[i].name)\n}\nsort.Slice(list, func(i, j int) bool { return list[i].key < list[j].key })",
			},
			At:     computedAgain,
			Beside: []string{"repeated-result", "constant-work", "key-per-comparison", "settings-work", "steady-in-loop", "made-per-call", "regexp-compile", "sorted-per-call", "equal-calls", "object-per-call", "collection-per-call", "rows-made-singly"},
		},
		{
			ID: "used-in-part", Title: "all of it made where a part is used",
			Doc: diagnose.Doc{
				What:   beside + "A call on the way to the place makes a list of which its caller takes the first element; or it fills a field that next to nothing reads; or its result, or a value on the heap, is made before a check that nearly always leaves it unused. Or a list in a field grows for a function alone that next to no sample is in.",
				Why:    "All of the work is done, and the memory is taken, for what is hardly ever asked for.",
				Silent: "Below 8 % of the base's time; where what needs the value holds a twentieth of its samples or more; for exported fields, and those that the function reads itself; for calls with effects; where something before the check may change what it is made of; for a time-out after which nothing is called.",
				Fix:    "Stop at the first; work it out when it is asked for; check first.",
				Before: "n := &node{left, right}\nif old, ok := known[*n]; ok {\n\treturn old\n}\nknown[*n] = n\nreturn n",
				After:  "key := node{left, right}\nif old, ok := known[key]; ok {\n\treturn old\n}\nn := &node{left, right}\nknown[key] = n\nreturn n",
			},
			At:     usedInPart,
			Beside: []string{"unused-work", "early-work", "first-pieces", "object-dropped", "boxed-for-branch", "call-for-test", "escape-for-branch", "made-per-call", "search-beyond", "error-text", "escaping-struct"},
		},
		{
			ID: "built-to-be-read", Title: "built only to be looked at and dropped",
			Doc: diagnose.Doc{
				What:   beside + "A function of the program's own on the way to the place makes a text, a list or a map, of which its caller only compares it, takes its length, looks keys up, goes over it, or writes it on.",
				Why:    "Memory is taken and filled for what could be looked at where it comes from.",
				Silent: "Below 8 % of the base's time or a tenth of its bytes; where anything else sees the result; for a list or map that the function sorts, or collects under a lock.",
				Fix:    "Compare the parts, count, keep the map, hand each element on, write to what the caller writes to.",
				Before: "if text(a) == text(b) {\n\treport(a)\n}",
				After:  "if len(a.parts) == len(b.parts) && slices.Equal(a.parts, b.parts) {\n\treport(a)\n}",
			},
			At:     builtToRead,
			Beside: []string{"compared-text", "counted-result", "ranged-pieces", "needless-map", "written-text", "text-key", "copied-to-read", "returned-to-drop", "joined-text", "needless-copy", "collection-per-call"},
		},
		{
			ID: "copied-to-change", Title: "a text copied element by element for those that change",
			Doc: diagnose.Doc{
				What:   beside + "A loop over a text writes or appends its bytes or runes one by one, and a branch in it treats some of them in another way: escaping, replacing, folding.",
				Why:    "Most texts hold nothing that has to change, and could be used as they are; the others could be copied in pieces.",
				Silent: "Below 8 % of the base's time or 30 % of the place's; without types of the source; for loops without a branch; for functions that neither return the text nor write more than one kind of element.",
				Fix:    "A look for the first element that changes; the text itself where there is none.",
				Before: "var b strings.Builder\nfor _, r := range s {\n\tif r == '\\n' {\n\t\tr = ' '\n\t}\n\tb.WriteRune(r)\n}\nreturn b.String()",
				After:  "if strings.IndexByte(s, '\\n') < 0 {\n\treturn s\n}\nreturn strings.ReplaceAll(s, \"\\n\", \" \")",
			},
			At:     changedCopy,
			Beside: []string{"general-function", "element-at-a-time", "joined-text"},
		},
		{
			ID: "one-at-a-time", Title: "done for each item where many go together",
			Doc: diagnose.Doc{
				What:   beside + "The place reads, writes or asks about files by a system call for each piece, starts goroutines whose stacks grow, or calls the library for each byte or rune in a loop. Or it asks for the time in each call, for a deadline in a field that is only compared.",
				Why:    "Each of them has a price of its own, from 5 ns for a call to some microseconds for a system call, that is paid once for a batch.",
				Silent: "Below 15 % of the base's time, of goroutines below 8 %; for the time that is asked for anything but such a deadline, of which only the hot place speaks; for connections, which bufio or the network's own buffers serve; in programs that read and write through bufio.",
				Fix:    "A buffer, a batch, the goroutine at hand.",
				Before: "for _, line := range lines {\n\tio.WriteString(file, line)\n}",
				After:  "w := bufio.NewWriter(file)\nfor _, line := range lines {\n\tw.WriteString(line)\n}\nerr := w.Flush()",
			},
			At:     oneAtATime,
			Beside: []string{"small-io", "small-pieces", "element-at-a-time", "one-by-one", "goroutine-per-item", "channel-per-item", "read-growth"},
		},
		{
			ID: "reflection", Title: "reflection at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "Work of package reflect, at a line of the program's own, takes 15 % of the time and more.",
				Why:    "Each call of package reflect looks at the value's type, checks what may be done with it, and often takes memory for what it returns.",
				Silent: silent + "for reflection inside a codec or fmt, of which library-work speaks.",
				Fix:    "A type switch over the types that come most, before reflection; what is found out about a type kept for it.",
				Before: "n := reflect.ValueOf(list).Len()",
				After:  "switch list := list.(type) {\ncase []any:\n\tn = len(list)\ncase []string:\n\tn = len(list)\ndefault:\n\tn = reflect.ValueOf(list).Len()\n}",
			},
			At: reflection,
		},
		{
			ID: "regexp-run", Title: "a regular expression run at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "Running regular expressions takes 15 % of the time and more.",
				Why:    "An expression is run step by step for each byte of the text, through a program, some ten to a hundred times slower than a loop that asks the same.",
				Silent: silent + "where regexp-compile, regexp-replace or general-function speaks.",
				Fix:    "A loop over the bytes, package strings, or a test for a byte that every match holds before the expression is run.",
				Before: "ok := regexp.MustCompile(`^[a-z]+$`).MatchString(name)",
				After:  "ok := name != \"\" && strings.Trim(name, \"abcdefghijklmnopqrstuvwxyz\") == \"\"",
			},
			At: regexpRun,
		},
		{
			ID: "library-work", Title: "general work of the library at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "Functions of the standard library that are made for any input take 15 % of the time and more: codecs, scanners and splitters, reading and writing a few bytes at a time, big numbers, sorting through interfaces, paths, URLs, stack traces.",
				Why:    "A general function checks for all that may come, goes through interfaces or reflection, and makes strings and slices that the caller may not need.",
				Silent: silent + "for what is hardly beaten: searching and comparing bytes, hashing, compressing, system calls, locks, appending numbers, fmt, of which fmt-format speaks; for formatting and parsing floating-point numbers below 50 %.",
				Fix:    "Code that does only what is needed here.",
				Before: "fields := strings.Split(line, \",\")\nreturn fields[0]",
				After:  "first, _, _ := strings.Cut(line, \",\")\nreturn first",
			},
			At: libraryWork,
		},
		{
			ID: "step-growth", Title: "memory that grows step by step at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "Appending to a slice, or writing to a strings.Builder or a bytes.Buffer, takes 15 % of the time and more; the blocks have several sizes, and 30 % of them were given up for larger ones. A buffer that is handed on to what writes to it is claimed where it is made, from 8 % of the time.",
				Why:    "Each step takes a larger block, copies what is there, and leaves the old block to the collector: about twice the bytes of what is needed in the end.",
				Silent: silent + "where slice-growth, map-growth or text-growth speaks; for what the caller of an exported function hands in; for a buffer with Grow or Reset, from a pool, or of an object; for a fifth of the bytes or less; where memory is taken seldom.",
				Fix:    "The length, or a bound of it, where the memory is made; or the same memory again in the next call.",
				Before: "var b strings.Builder\nfor _, p := range parts {\n\tb.WriteString(p)\n}",
				After:  "var b strings.Builder\nn := 0\nfor _, p := range parts {\n\tn += len(p)\n}\nb.Grow(n)\nfor _, p := range parts {\n\tb.WriteString(p)\n}",
			},
			At: stepGrowth,
		},
		{
			ID: "value-cloned", Title: "values copied as a whole at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "A function returns a copy of what it is given, a slice, a map or what a pointer points to, and taking memory for that and filling it takes 15 % of the time and more. Or it copies all of a map or a list that its receiver or an argument holds, adds to the copy, and returns that.",
				Why:    "All elements are copied, and memory is taken for them, for the few that will be changed, or none.",
				Silent: silent + "for a fifth of the bytes or less; where memory is taken seldom; for a function that tests and benchmarks alone call, unless it adds to the copy.",
				Fix:    "Copy what is changed, when it is changed, and share the rest.",
				Before: "func set(doc map[string]any, key string, v any) map[string]any {\n\tdoc = deepCopy(doc)\n\tdoc[key] = v\n\treturn doc\n}",
				After:  "func set(doc map[string]any, key string, v any) map[string]any {\n\tdoc = maps.Clone(doc) // its values are shared\n\tdoc[key] = v\n\treturn doc\n}",
			},
			At: valueCloned,
		},
		{
			ID: "memory-per-call", Title: "memory taken anew in each call at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "Taking memory there takes 15 % of the time and more, at an expression that the compiler says escapes to the heap.",
				Why:    "The allocator hands out, clears and accounts for each block, and the collector finds and frees it.",
				Silent: silent + "for a fifth of the bytes or less; where memory is taken seldom; for what an exported function returns, for what is put into something that stays, and for objects whose address may be kept: these have to be new.",
				Fix:    "One block that is kept for the next call, memory that the caller hands in, or a value in place of a pointer.",
				Before: "args := make([]any, n)\nfor i := range args {\n\targs[i] = vm.pop()\n}\nvm.push(f(args))",
				After:  "args := vm.stack[len(vm.stack)-n:]\nvm.stack = append(vm.stack[:len(vm.stack)-n], f(args))",
			},
			At: memoryPerCall,
		},
		{
			ID: "call-per-character", Title: "a call for each character at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "A function that takes or returns a single byte or rune, and that the compiler does not inline, takes 15 % of the time and more, called from loops.",
				Why:    "A call, its tests and what it loads and stores for one byte take as long as a library function takes for 16 or 32 of them.",
				Silent: silent + "where the compiler inlines the function; where most of its cost is not below a loop.",
				Fix:    "One loop over the text, a table of bytes that need treatment, and runs of the others taken as a whole.",
				Before: "for i := range len(s) {\n\tenc.addByte(s[i])\n}",
				After:  "start := 0\nfor i := range len(s) {\n\tif special[s[i]] {\n\t\tenc.buf = append(enc.buf, s[start:i]...)\n\t\tenc.addSpecial(s[i])\n\t\tstart = i + 1\n\t}\n}\nenc.buf = append(enc.buf, s[start:]...)",
			},
			At: callPerByte,
		},
		{
			ID: "all-for-one", Title: "all elements looked at to choose one",
			Doc: diagnose.Doc{
				What:   beside + "A loop goes over every element of a list, remembers the index of one of them in a branch, and never leaves; it, or a function that it calls, takes 15 % of the time and more.",
				Why:    "The work of each call grows with the number of elements, and most of them are looked at for nothing.",
				Silent: silent + "for lists of anything but structs; for loops that leave early.",
				Fix:    "An order or an index by which the one is found first; a cheap test before the dear one.",
				Before: "best := 0\nfor i := range shops {\n\tif shops[i].distance(at) < shops[best].distance(at) {\n\t\tbest = i\n\t}\n}",
				After:  "best := grid.nearest(at) // the shops of the cell, and of those around it",
			},
			At:     allForOne,
			Beside: []string{"repeated-scan", "scan-in-loop", "search-beyond", "all-again"},
		},
		{
			ID: "all-pairs", Title: "every element looked at with every other",
			Doc: diagnose.Doc{
				What:   beside + "Two loops, one inside the other, go over the same slice; the inner one, or what is called there for each pair, takes 15 % of the time and more.",
				Why:    "Of n elements there are n·(n−1)/2 pairs: ten times as many elements take a hundred times as long.",
				Silent: silent + "for slices of numbers; for lists with other names that are the same.",
				Fix:    "Group the elements by what those that belong together share, or sort them and look at neighbours.",
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
