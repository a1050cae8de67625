package fmtformat

import (
	"bytes"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"whet/internal/lazyregexp"
	"whet/internal/typed"
)

// isFormatting reports whether fn is one of fmt's printing functions, by its
// linker name. Errorf makes an error, which strconv does not.
func isFormatting(fn string) bool {
	name, ok := strings.CutPrefix(fn, "fmt.")
	return ok && slices.Contains([]string{"Sprint", "Fprint", "Append", "Print"}, strings.TrimSuffix(strings.TrimSuffix(name, "ln"), "f"))
}

// destination reports whether the function's first argument says where the
// text goes.
func destination(fn string) bool {
	return strings.HasPrefix(fn, "fmt.Fprint") || strings.HasPrefix(fn, "fmt.Append")
}

// operands are what the verbs take that strconv knows.
var operands = map[byte]types.BasicInfo{
	's': types.IsString, 'q': types.IsString | types.IsInteger, 'x': types.IsString | types.IsInteger, 't': types.IsBoolean,
	'd': types.IsInteger, 'c': types.IsInteger, 'f': types.IsFloat, 'g': types.IsFloat, 'e': types.IsFloat,
	'v': types.IsString | types.IsBoolean | types.IsInteger | types.IsFloat,
}

var verb = lazyregexp.Pattern{Text: `(?s)%(\.[0-9]*)?(.?)`}

// verbs reads a format. ok is false where it holds what strconv lacks: flags,
// a width, an explicit index, or a verb for types rather than values.
func verbs(format string) (out []byte, ok bool) {
	for _, m := range verb.Regexp().FindAllStringSubmatch(format, -1) {
		if m[0] == "%%" {
			continue
		}
		if m[2] == "" || operands[m[2][0]] == 0 || m[1] != "" && operands[m[2][0]] != types.IsFloat {
			return nil, false
		}
		out = append(out, m[2][0])
	}
	return out, true
}

// replaceable reports whether a call formats only what strconv, append or + can,
// and which verbs it uses with which arguments.
func replaceable(c typed.Site) (uses []use, ok bool) {
	fn, args := c.Callee(), c.Args
	if destination(fn) && len(args) > 0 {
		args = args[1:]
	}
	vs := bytes.Repeat([]byte{'v'}, len(args))
	if strings.HasSuffix(fn, "f") {
		if len(args) == 0 {
			return nil, false
		}
		format := c.In.Info.Types[args[0]].Value
		if format == nil || format.Kind() != constant.String {
			return nil, false
		}
		if vs, ok = verbs(constant.StringVal(format)); !ok {
			return nil, false
		}
		args = args[1:]
	}
	if len(vs) != len(args) || c.Ellipsis.IsValid() || !isFormatting(fn) {
		return nil, false
	}
	for i, arg := range args {
		u := use{vs[i], c.In.Info.TypeOf(arg)}
		if !typed.IsBasic(u.of) || operands[u.verb]&u.of.Underlying().(*types.Basic).Info() == 0 {
			return nil, false
		}
		uses = append(uses, u)
	}
	return uses, true
}

// use is a verb with the static type of its argument.
type use struct {
	verb byte
	of   types.Type
}

func (u use) String() string {
	return "%" + string(u.verb) + " " + types.TypeString(types.Unalias(u.of), (*types.Package).Path)
}

const itself = "the string itself"

// replacements are what to call for a verb with an operand of a kind, 0 for any: as a
// string, and appended. The first that fits is right. Of a named type the source has
// to convert the value first.
var replacements = []struct {
	verbs              string
	of                 types.BasicInfo
	asString, appended string
}{
	{"q", types.IsInteger, "strconv.QuoteRune", "strconv.AppendQuoteRune"},
	{"q", 0, "strconv.Quote", "strconv.AppendQuote"},
	{"x", types.IsString, "hex.EncodeToString", "hex.AppendEncode"},
	{"x", 0, "strconv.FormatInt(n, 16)", "strconv.AppendInt(b, n, 16)"},
	{"c", 0, "string(r) of the rune", "utf8.AppendRune"},
	{"fe", 0, "strconv.FormatFloat (precision 6 where the verb has none)", "strconv.AppendFloat (precision 6 where the verb has none)"},
	{"gv", types.IsFloat, "strconv.FormatFloat", "strconv.AppendFloat"},
	{"tv", types.IsBoolean, "strconv.FormatBool", "strconv.AppendBool"},
	{"sv", types.IsString, itself, "append(b, s...)"},
	{"dv", types.IsUnsigned, "strconv.FormatUint", "strconv.AppendUint"},
	{"dv", types.IsInteger, "strconv.FormatInt", "strconv.AppendInt"},
}

// replacement names what to call for one verb.
func (u use) replacement() (asString, appended string) {
	of, _ := u.of.Underlying().(*types.Basic)
	for _, r := range replacements {
		if strings.IndexByte(r.verbs, u.verb) >= 0 && (r.of == 0 || of.Info()&r.of != 0) {
			if of.Kind() == types.Int && r.asString == "strconv.FormatInt" {
				return "strconv.Itoa", r.appended
			}
			return r.asString, r.appended
		}
	}
	return "", "" // of no call that is replaceable
}

// remedy says what replaces the calls of one function.
func remedy(fn string, uses []use) string {
	text := replacement(fn, uses)
	switch {
	case strings.HasSuffix(fn, "ln"):
		text += " Keep the spaces and the newline that fmt adds."
	case !strings.HasSuffix(fn, "f") && len(uses) > 1:
		text += " Keep the spaces that fmt adds between operands that are not strings."
	}
	return text
}

func replacement(fn string, uses []use) string {
	var strs, apps []string
	text := false
	for _, u := range uses {
		s, a := u.replacement()
		text = text || s == itself
		if s != itself && !slices.Contains(strs, s) {
			strs = append(strs, s)
		}
		if !slices.Contains(apps, a) {
			apps = append(apps, a)
		}
	}
	name, appended, joined := strings.TrimPrefix(fn, "fmt."), strings.Join(apps, ", "), strings.Join(strs, " and ")
	switch {
	case strings.HasPrefix(name, "Append"):
		return "Replace " + name + " by " + appended + " on the same []byte."
	case !strings.HasPrefix(name, "Sprint") && len(strs) == 0 && len(uses) <= 1:
		return "Replace " + name + " by io.WriteString."
	case !strings.HasPrefix(name, "Sprint"):
		return "Append the parts to a reused []byte (" + appended + ") and Write it once, instead of " + name + "."
	case len(strs) == 0:
		return "Replace " + name + " by string concatenation with +."
	case len(uses) == 1:
		return "Replace " + name + " by " + joined + ", joined to any text around it with +."
	case text:
		joined += " and the strings themselves"
	}
	return "Replace " + name + " by " + joined + ", concatenated with +; or append the parts to one []byte (" + appended + ")."
}
