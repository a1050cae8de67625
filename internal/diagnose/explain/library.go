package explain

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

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
	{begins: []string{"encoding/json."}, does: "encodes and decodes by reflection, and checks the text in a pass of its own", instead: "Write or read the few types that come here by hand or with a generated codec, or keep the encoded form until the value changes.", typed: true},
	{begins: []string{"encoding/binary.Read", "encoding/binary.Write", "encoding/binary.Size"}, does: "looks at the value's type by reflection and takes a buffer for it, in each call", instead: "Take the numbers from the bytes with binary.LittleEndian.Uint32 and its like, and put them there with PutUint32 or AppendUint32, many at once through one buffer.", typed: true},
	{begins: []string{"encoding/hex."}, does: "converts each digit by a call for pieces of a few bytes", instead: "Write or read the digits in one loop with a table, straight in what holds the result."},
	{begins: []string{"encoding/csv.", "encoding/xml.", "encoding/gob."}, does: "builds records, strings and buffers for all of the text", instead: "Go over the bytes and take only what is used.", typed: true},
	{begins: []string{"bufio.(*Scanner).", "bufio.NewScanner", "bufio.NewReader", "bufio.(*Reader).ReadString", "bufio.(*Reader).ReadBytes", "bufio.(*Reader).ReadLine", "bufio.(*Reader).ReadRune", "bufio.(*Reader).ReadSlice"}, does: "copies the text through a buffer and cuts it piece by piece", instead: "Where all of the text is in memory, cut pieces off it with bytes.IndexByte; else read with ReadByte or ReadSlice, which copy nothing."},
	{begins: []string{"strings.Split", "strings.genSplit", "strings.Fields", "bytes.Split", "bytes.genSplit", "bytes.Fields"}, does: "makes a slice of all the parts", instead: "Take the parts one by one with strings.Cut, strings.IndexByte or strings.SplitSeq, and stop at the last that is needed."},
	{begins: []string{"strings.NewReplacer", "strings.(*Replacer)."}, does: "searches for every old text at every position", instead: "Look for the few bytes that need replacing with strings.IndexByte or IndexAny, copy what lies between as a whole, and return the text as it is where there are none."},
	{begins: []string{"strings.ToLower", "strings.ToUpper", "strings.ToTitle", "strings.Title", "strings.Map", "bytes.ToLower", "bytes.ToUpper", "bytes.Map"}, does: "makes a changed copy, character by character", instead: "Compare with strings.EqualFold, or change a text once, when it comes in."},
	{begins: []string{"strconv.Quote", "strconv.AppendQuote", "strconv.quote", "strconv.appendQuoted", "strconv.Unquote", "strconv.unquote"}, does: "goes over the text rune by rune", instead: "Look first whether there is anything to quote or to unquote, and take such a text as a whole."},
	{begins: []string{"strconv.FormatFloat", "strconv.AppendFloat", "strconv.ParseFloat"}, does: "finds the exact decimal digits of any number", instead: "Where numbers are whole or have a few decimals, write or read them as integers.", least: 0.5},
	{begins: []string{"time.Parse", "time.parse", "time.Time.Format", "time.Time.AppendFormat", "time.Time.appendFormat"}, does: "goes over its layout in each call", instead: "Read and write the digits of the one layout by hand, or keep the text of the last second."},
	{begins: []string{"net/url."}, does: "checks and unescapes every part, and makes strings and maps of them", instead: "Look for the one part that is needed, or keep the parsed value."},
	{begins: []string{"math/big."}, does: "keeps its numbers in memory of their own", instead: "Reckon in uint64 with package math/bits as long as numbers fit, or keep the big.Ints and set them anew."},
	{begins: []string{"text/template.", "html/template."}, does: "walks the template and calls by reflection", instead: "Write the constant parts whole and the rest by append; or keep the rendered text."},
	{begins: []string{"sort."}, does: "compares and swaps by calls through an interface or a function value", instead: "Use slices.SortFunc, slices.Sort or slices.BinarySearch, which are made for the element's type, or keep the order so that nothing has to be sorted."},
	{begins: []string{"container/heap.", "container/list."}, does: "calls through an interface and keeps each element in a block of its own", instead: "Keep the elements in a slice of their type, and move them up and down there."},
	{begins: []string{"html.", "mime.", "net/textproto."}, does: "goes over the text for all that it may hold", instead: "Look first whether there is anything to do, and take the text as it is where there is not."},
	{begins: []string{"path.", "path/filepath."}, does: "cleans the path in each call", instead: "Clean the parts once, when they come in, and join them by +."},
	{begins: []string{"runtime.Callers", "runtime.CallersFrames", "runtime.(*Frames).", "runtime.Caller", "runtime.Stack", "runtime/debug."}, does: "walks the goroutine's stack and looks its functions up", instead: "Walk it once, no deeper than is needed, and only where its result is used."},
	{begins: []string{"io.ReadFull", "io.ReadAtLeast", "bufio.(*Reader).Read", "bufio.(*Writer).Write"}, does: "is called in a loop for a few bytes each time", instead: "Read and write many at once, through a buffer of some kilobytes, and take the pieces from it there.", looped: true},
	{begins: []string{"context.", "errors.As", "errors.Is"}, does: "walks a chain of values, comparing types in each", instead: "Ask once before the loop, or keep the result in a field."},
}

func libraryWork(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	for _, g := range general {
		least := g.least
		if least == 0 {
			least = leastShare
		}
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
	return j
}

// anyValue reports whether a line hands on, as a value of any type, one whose type is
// not known there: no code can be written for that.
func (v *account) anyValue(line int) bool {
	for _, call := range v.Sites(v.Statement(v.File, line)) {
		sig, ok := typed.Under[*types.Signature](call.In.TypeOf(call.Fun))
		if !ok {
			continue
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
		why := fmt.Sprintf("json.NewDecoder makes a decoder and a buffer of its own for each text, and decoding takes %s.", v.percent(sets))
		j = diagnose.Judgement{Cause: why, Claim: v.claim(sets, why,
			"Read the text, up to a limit, into a bytes.Buffer that is kept "+diagnose.Anywhere+", and give its bytes to json.Unmarshal, which makes neither; it takes text after the value for an error.")}
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
	why := fmt.Sprintf("Reflection takes %s, most of it below %s: the type is looked at anew for each value.", v.percent(sets), symbolname.Short(v.called(sets)))
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
	why := fmt.Sprintf("Regular expressions take %s: an expression is run step by step for each byte, through a program that was compiled from it.", v.percent(sets))
	return diagnose.Judgement{Cause: why, Claim: v.claim(sets, why,
		"Say in code what the expression says: a loop over the bytes with a switch or a table of allowed ones, strings.Cut, strings.HasPrefix. Where it has to stay, ask first for a byte that every match holds, and skip the texts without.")}
}
