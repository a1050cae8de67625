package kinds

import "whet/internal/diagnose"

const (
	asked  = "It is asked about the first three hot places, where no other rule speaks and no finding explains half of the cost. "
	silent = "Below 15 % of the base's time or 30 % of the place's; without types of the source; "
)

// Rules returns the rules in the order in which they are asked.
func Rules() []diagnose.Rule {
	evidence := []diagnose.EvidenceKind{diagnose.EvidenceCPU, diagnose.EvidenceAllocs, diagnose.EvidenceSource, diagnose.EvidenceCalls}
	rules := []diagnose.Rule{
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
				What:   asked + "Appending to a slice, or writing to a strings.Builder or a bytes.Buffer, takes 15 % of the time and more; the blocks have several sizes, and 30 % of them were given up for larger ones.",
				Why:    "Each step takes a larger block, copies what is there, and leaves the old block to the collector: about twice the bytes of what is needed in the end.",
				Silent: silent + "where slice-growth, map-growth or text-growth speaks; for what the caller of an exported function hands in; for a fifth of the bytes or less; where memory is taken seldom.",
				Fix:    "The length, or a bound of it, where the memory is made; or the same memory again in the next call.",
				Before: "var b strings.Builder\nfor _, p := range parts {\n\tb.WriteString(p)\n}",
				After:  "var b strings.Builder\nn := 0\nfor _, p := range parts {\n\tn += len(p)\n}\nb.Grow(n)\nfor _, p := range parts {\n\tb.WriteString(p)\n}",
			},
			At: stepGrowth,
		},
		{
			ID: "value-cloned", Title: "values copied as a whole at a hot place",
			Doc: diagnose.Doc{
				What:   asked + "A function returns a copy of what it is given, a slice, a map or what a pointer points to, and taking memory for that and filling it takes 15 % of the time and more.",
				Why:    "All elements are copied, and memory is taken for them, for the few that will be changed, or none.",
				Silent: silent + "for a fifth of the bytes or less; where memory is taken seldom; for a function that tests and benchmarks alone call.",
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
			ID: "all-pairs", Title: "every element looked at with every other",
			Doc: diagnose.Doc{
				What:   asked + "Two loops, one inside the other, go over the same slice; the inner one, or what is called there for each pair, takes 15 % of the time and more.",
				Why:    "Of n elements there are n·(n−1)/2 pairs: ten times as many elements take a hundred times as long.",
				Silent: silent + "for slices of numbers; for lists with other names that are the same.",
				Fix:    "Group the elements by what those that belong together share, or sort them and look at neighbours.",
				Before: "for i, a := range list {\n\tfor _, b := range list[i+1:] {\n\t\tif a.name == b.name {\n\t\t\treport(a, b)\n\t\t}\n\t}\n}",
				After:  "byName := make(map[string][]item, len(list))\nfor _, b := range list {\n\tfor _, a := range byName[b.name] {\n\t\treport(a, b)\n\t}\n\tbyName[b.name] = append(byName[b.name], b)\n}",
			},
			At: allPairs,
		},
	}
	for i := range rules {
		rules[i].Evidence, rules[i].MinSamples = evidence, diagnose.MinCPUSamples
		rules[i].Essential = []diagnose.EvidenceKind{diagnose.EvidenceCPU}
	}
	return rules
}
