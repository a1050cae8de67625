package explain

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/analyze/places"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// general are functions of the library that are made for any input, by how their names
// begin.
var general = []struct {
	begins  []string
	does    string
	instead string
	least   float64 // of the base's time; 0: leastShare
	looped  bool    // only in a loop
	typed   bool    // only for values whose type the source shows: instead is code for it
}{
	{begins: []string{"encoding/json."}, does: "encodes and decodes by reflection, and checks the text in a separate pass", instead: "Encode or decode the few types used here by hand or with a generated codec, or keep the encoded form until the value changes.", typed: true},
	{begins: []string{"encoding/binary.Read", "encoding/binary.Write", "encoding/binary.Size"}, does: "inspects the value's type by reflection and allocates a buffer, in each call", instead: "Read numbers from the bytes with binary.LittleEndian.Uint32 and the like, and write them with PutUint32 or AppendUint32, many at once through one buffer.", typed: true},
	{begins: []string{"encoding/hex."}, does: "makes a call for a few bytes and converts each digit", instead: "Write or read the digits in one loop with a table, directly in the destination."},
	{begins: []string{"encoding/csv.", "encoding/xml.", "encoding/gob."}, does: "builds records, strings and buffers for the whole input", instead: "Iterate over the bytes and extract only the parts that are used.", typed: true},
	{begins: []string{"bufio.(*Scanner).", "bufio.NewScanner", "bufio.NewReader", "bufio.(*Reader).ReadString", "bufio.(*Reader).ReadBytes", "bufio.(*Reader).ReadLine", "bufio.(*Reader).ReadRune", "bufio.(*Reader).ReadSlice"}, does: "copies the input through a buffer and cuts it piece by piece", instead: "If all of the input is in memory, cut pieces off it with bytes.IndexByte; otherwise read with ReadByte or ReadSlice, which copy nothing."},
	{begins: []string{"strings.Split", "strings.genSplit", "strings.Fields", "bytes.Split", "bytes.genSplit", "bytes.Fields"}, does: "allocates a slice of all the parts", instead: "Get the parts one by one with strings.Cut, strings.IndexByte or strings.SplitSeq, and stop at the last one needed."},
	{begins: []string{"strings.NewReplacer", "strings.(*Replacer)."}, does: "searches for every old string at every position", instead: "Find the few bytes that need replacing with strings.IndexByte or IndexAny, copy the parts in between as a whole, and return the string itself if there are none."},
	{begins: []string{"strings.ToLower", "strings.ToUpper", "strings.ToTitle", "strings.Title", "strings.Map", "bytes.ToLower", "bytes.ToUpper", "bytes.Map"}, does: "makes a changed copy, character by character", instead: "Compare with strings.EqualFold, or convert a string once, when it is read."},
	{begins: []string{"strconv.Quote", "strconv.AppendQuote", "strconv.quote", "strconv.appendQuoted", "strconv.Unquote", "strconv.unquote"}, does: "processes the string rune by rune", instead: "First check whether there is anything to quote or unquote, and copy a string without it as a whole."},
	{begins: []string{"strconv.FormatFloat", "strconv.AppendFloat", "strconv.ParseFloat"}, does: "computes the exact decimal digits of any number", instead: "If the numbers are integers or have a few decimals, write or read them as integers.", least: 0.5},
	{begins: []string{"time.Parse", "time.parse", "time.Time.Format", "time.Time.AppendFormat", "time.Time.appendFormat"}, does: "interprets its layout in each call", instead: "Read and write the digits of the one layout by hand, or cache the string of the last second."},
	{begins: []string{"net/url."}, does: "checks and unescapes every part, and allocates strings and maps for them", instead: "Extract only the part that is needed, or keep the parsed value."},
	{begins: []string{"math/big."}, does: "allocates the digits of its numbers", instead: "Compute in uint64 with package math/bits as long as numbers fit, or reuse the big.Ints."},
	{begins: []string{"text/template.", "html/template."}, does: "walks the template and calls functions and methods by reflection", instead: "Write the constant parts as a whole and the rest with append; or keep the rendered text."},
	{begins: []string{"sort."}, does: "compares and swaps through an interface or a function value", instead: "Use slices.SortFunc, slices.Sort or slices.BinarySearch, which are compiled for the element type, or maintain the order so that no sort is needed."},
	{begins: []string{"container/heap.", "container/list."}, does: "calls through an interface and allocates each element separately", instead: "Keep the elements in a slice of their type, and sift them up and down there."},
	{begins: []string{"html.", "mime.", "net/textproto."}, does: "scans the text for everything it may contain", instead: "First check whether there is anything to do, and if not, use the text unchanged."},
	{begins: []string{"path.", "path/filepath."}, does: "cleans the path in each call", instead: "Clean the parts once, when they are read, and join them with +."},
	{begins: []string{"runtime.Callers", "runtime.CallersFrames", "runtime.(*Frames).", "runtime.Caller", "runtime.Stack", "runtime/debug."}, does: "walks the goroutine's stack and looks up its functions", instead: "Walk it once, no deeper than needed, and only where the result is used."},
	{begins: []string{"io.ReadFull", "io.ReadAtLeast", "bufio.(*Reader).Read", "bufio.(*Writer).Write"}, does: "is called in a loop for a few bytes each time", instead: "Read and write many at once, through a buffer of some kilobytes, and process the pieces there.", looped: true},
	{begins: []string{"fmt."}, does: "finds the type of each value while it runs, and interprets the format if there is one", instead: "Write the frequent types (strings, []byte, integers) yourself: a type switch, strconv and append; leave the others to fmt.", typed: true},
	{begins: []string{"context.", "errors.As", "errors.Is"}, does: "walks a chain of values, comparing types in each", instead: "Call it once before the loop, or keep the result in a field."},
}

func libraryWork(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	if j = v.atOnce(); j.Cause != "" {
		return j
	}
	for _, g := range general {
		least := cmp.Or(g.least, leastShare)
		sets, most := v.below(func(fn string) bool {
			return slices.ContainsFunc(g.begins, func(begin string) bool { return strings.HasPrefix(fn, begin) })
		})
		if most == "" || !v.matters(sets, least) || g.looped && v.Statement(v.File, v.heaviest(sets)).Loop == nil {
			continue
		}
		if g.typed && v.anyValue(v.heaviest(sets)) {
			return v.decoderPerText(sets)
		}
		why := fmt.Sprintf("%s takes %s: it %s.", symbolname.Short(most), v.percent(sets), g.does)
		return diagnose.Judgement{Cause: why, Claim: v.claim(sets, why, g.instead)}
	}
	return v.spreadWork()
}

// spreadWork is libraryWork of all of a place's function, where no line of it does enough of
// one kind: a function that asks the library for many small pieces.
func (v *account) spreadWork() (j diagnose.Judgement) {
	if v.pkg == nil || v.decl == nil {
		return j
	}
	all, calls := v.share(v.onLines(v.pkg, v.decl)), v.callsAt(v.LineAt(v.decl.Pos()), v.LineAt(v.decl.End()))
	for _, g := range general {
		if g.looped || g.typed {
			continue
		}
		sum, most, heaviest := new(diagnose.Sets), "", 0
		lines := 0
		var byMost, byLine float64
		for line := v.LineAt(v.decl.Pos()); line <= v.LineAt(v.decl.End()); line++ {
			of := new(diagnose.Sets)
			for name, sets := range calls[line] {
				if slices.ContainsFunc(g.begins, beginning(name)) {
					of.Join(sets)
					if share := v.share(sets); share > byMost || share == byMost && name < most {
						most, byMost = name, share
					}
				}
			}
			if share := v.share(of); share > 0 {
				lines++
				if share > byLine {
					heaviest, byLine = line, share
				}
			}
			sum.Join(of)
		}
		if share := v.share(sum); lines < 2 || share < cmp.Or(g.least, leastShare) || share < mostOf*all {
			continue
		}
		why := fmt.Sprintf("%s and its like take %s, on %d lines of %s: it %s.", symbolname.Short(most), v.percent(sum), lines, v.decl.Name.Name, g.does)
		return diagnose.Judgement{Cause: why, Claim: v.claimAt(v.File, heaviest, v.Function, sum, why, g.instead)}
	}
	return j
}

// callsAt returns the samples below what some lines of the place's file call, by line and
// function, but for those in code of the user's own that the library calls.
func (v *account) callsAt(from, to int) map[int]diagnose.CalleeSamples {
	lines := make(map[int]diagnose.CalleeSamples)
	v.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		i := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return v.Own(c.Frame(id)) })
		if i < 1 {
			return
		}
		f, name := c.Frame(stack[i]), c.Frame(stack[i-1]).Function
		if f.File != v.File || f.Line < from || to < f.Line {
			return
		}
		if lines[f.Line] == nil {
			lines[f.Line] = make(diagnose.CalleeSamples)
		}
		if lines[f.Line][name] == nil {
			lines[f.Line][name] = new(diagnose.Sets)
		}
		lines[f.Line][name].Of(v.Subject, c).Add(sample.Index())
	})
	return lines
}

// anyValue reports whether a line hands on, as a value of any type, one whose type is
// not known there: no code can be written for that.
func (v *account) anyValue(line int) bool {
	for _, call := range v.Sites(v.Statement(v.File, line)) {
		sig, ok := typed.Under[*types.Signature](call.In.TypeOf(call.Fun))
		if !ok {
			continue
		}
		if last := sig.Params().Len() - 1; call.Ellipsis.IsValid() && last >= 0 && isOpen(typed.Element(sig.Params().At(last).Type())) {
			return true // the caller's values
		}
		for i, arg := range call.Args {
			if i >= sig.Params().Len() || !isOpen(sig.Params().At(i).Type()) {
				continue
			}
			t := call.In.TypeOf(arg)
			if to, ok := typed.Under[*types.Pointer](t); ok && !isOpen(t) {
				t = to.Elem()
			}
			if t != nil && isOpen(t) {
				return true
			}
		}
	}
	return false
}

// isOpen reports whether values of a type may be of any: an interface without methods,
// or a type parameter.
func isOpen(t types.Type) bool {
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter {
		return true
	}
	in, ok := typed.Under[*types.Interface](t)
	return ok && in.Empty()
}

// decoderPerText is about json.NewDecoder(r).Decode(v), where the type of v is not known.
func (v *account) decoderPerText(sets *diagnose.Sets) (j diagnose.Judgement) {
	for _, call := range v.Sites(v.Statement(v.File, v.heaviest(sets))) {
		method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok || call.Callee() != "encoding/json.(*Decoder).Decode" {
			continue
		}
		made, ok := ast.Unparen(method.X).(*ast.CallExpr)
		if !ok || call.In.Called(made) != "encoding/json.NewDecoder" {
			continue
		}
		why := fmt.Sprintf("json.NewDecoder allocates a decoder and a buffer for each text, and decoding takes %s.", v.percent(sets))
		j = diagnose.Judgement{Cause: why, Claim: v.claim(sets, why,
			"Read the text, up to a limit, into a bytes.Buffer that you keep "+diagnose.Anywhere+", and pass its bytes to json.Unmarshal, which allocates neither; unlike a Decoder, it reports data after the value as an error.")}
		if taking := v.decoderTaken(sets); j.Claim != nil {
			if j.Claim.Avoidable = taking.Samples(); taking.Len() == 0 {
				j.Claim = nil
			}
		}
		return j
	}
	return j
}

// decoderTaken returns the part of some samples that takes memory for a json.Decoder and its
// buffer; decoding the text stays.
func (v *account) decoderTaken(of *diagnose.Sets) *diagnose.Sets {
	taken := new(diagnose.Sets)
	v.EachWork(v.Spot, func(w diagnose.Work) {
		name := func(id callstack.FrameID) string { return w.Of.Frame(id).Function }
		i := slices.IndexFunc(w.Below, func(id callstack.FrameID) bool { return !diagnose.OfRuntime(name(id)) })
		if i >= 0 && of.Of(v.Subject, w.Of).Has(w.Index) && slices.Contains([]string{"encoding/json.NewDecoder", "encoding/json.(*Decoder).refill"}, name(w.Below[i])) {
			taken.Of(v.Subject, w.Of).Add(w.Index)
		}
	})
	return taken
}

func reflection(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	sets := v.kinds[places.Reflection]
	if !v.matters(sets, leastShare) {
		return j
	}
	why := fmt.Sprintf("Reflection takes %s, most of it in %s: each value's type is inspected again.", v.percent(sets), symbolname.Short(v.called(sets)))
	return diagnose.Judgement{Cause: why, Claim: v.claim(sets, why,
		"Handle the most frequent types in a type switch before using reflection. Look up the facts about a type (fields, methods, conversions) once and keep them by reflect.Type.")}
}

// runs returns the samples of the place below regular expressions that are run; compiling
// one is regexp-compile's.
func (v *account) runs() *diagnose.Sets {
	of, sets := v.kinds[places.Regexp], new(diagnose.Sets)
	if of == nil {
		return sets
	}
	v.EachWork(v.Spot, func(w diagnose.Work) {
		if of.Of(v.Subject, w.Of).Has(w.Index) && !slices.ContainsFunc(w.Below, func(id callstack.FrameID) bool {
			name := w.Of.Frame(id).Function
			return strings.HasPrefix(name, "regexp/syntax.") || slices.Contains(compiles, name)
		}) {
			sets.Of(v.Subject, w.Of).Add(w.Index)
		}
	})
	return sets
}

// compiles are the functions below which an expression is compiled, with the one that
// all of them call.
var compiles = []string{"regexp.Compile", "regexp.MustCompile", "regexp.CompilePOSIX", "regexp.MustCompilePOSIX", "regexp.compile"}

func regexpRun(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	sets := v.runs()
	if !v.matters(sets, leastShare) {
		return j
	}
	why := fmt.Sprintf("Regular expressions take %s: the matcher interprets a compiled program, step by step, for each byte.", v.percent(sets))
	return diagnose.Judgement{Cause: why, Claim: v.claim(sets, why,
		"Write the pattern as code: a loop over the bytes with a switch or a table of allowed ones, strings.Cut, strings.HasPrefix. If the expression has to stay, first test for a byte that every match contains, and skip inputs without it.")}
}
