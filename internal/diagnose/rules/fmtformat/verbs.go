package fmtformat

import (
	"bytes"
	"go/constant"
	"go/types"
	"slices"
	"strings"

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

// verbs reads a format. ok is false where it holds what strconv lacks: flags,
// a width, an explicit index, or a verb for types rather than values.
func verbs(format string) (out []byte, ok bool) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		if i < len(format) && format[i] == '%' {
			continue
		}
		precision := false
		if i < len(format) && format[i] == '.' {
			precision = true
			for i++; i < len(format) && '0' <= format[i] && format[i] <= '9'; i++ {
			}
		}
		if i >= len(format) || operands[format[i]] == 0 || precision && operands[format[i]] != types.IsFloat {
			return nil, false
		}
		out = append(out, format[i])
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

// use is one verb with the static type of its argument.
type use struct {
	verb byte
	of   types.Type
}

func (u use) String() string {
	return "%" + string(u.verb) + " " + types.TypeString(types.Unalias(u.of), (*types.Package).Path)
}

// replacement names what to call for one verb, as a string and appended. Of a
// named type the source has to convert the value first.
func (u use) replacement() (asString, appended string) {
	var kind types.BasicKind
	var info types.BasicInfo
	if b, ok := types.Unalias(u.of).(*types.Basic); ok {
		kind, info = b.Kind(), b.Info()
	}
	signed := info&types.IsInteger != 0 && info&types.IsUnsigned == 0
	switch {
	case u.verb == 'q' && signed:
		return "strconv.QuoteRune", "strconv.AppendQuoteRune"
	case u.verb == 'q':
		return "strconv.Quote", "strconv.AppendQuote"
	case u.verb == 'x' && typed.IsString(u.of):
		return "hex.EncodeToString", "hex.AppendEncode"
	case u.verb == 'x':
		return "strconv.FormatInt(n, 16)", "strconv.AppendInt(b, n, 16)"
	case u.verb == 'c':
		return "string(r) of the rune", "utf8.AppendRune"
	case u.verb == 'f', u.verb == 'e':
		return "strconv.FormatFloat (precision 6 where the verb has none)", "strconv.AppendFloat (precision 6 where the verb has none)"
	case u.verb == 'g', info&types.IsFloat != 0:
		return "strconv.FormatFloat", "strconv.AppendFloat"
	case u.verb == 't', info&types.IsBoolean != 0:
		return "strconv.FormatBool", "strconv.AppendBool"
	case u.verb == 's', info&types.IsString != 0:
		return "the string itself", "append(b, s...)"
	case kind == types.Int:
		return "strconv.Itoa", "strconv.AppendInt"
	case info&types.IsUnsigned != 0:
		return "strconv.FormatUint", "strconv.AppendUint"
	case signed, u.verb == 'd':
		return "strconv.FormatInt", "strconv.AppendInt"
	}
	return "the conversion to string or strconv.Itoa, by its underlying type", "append(b, s...) or strconv.AppendInt, by its underlying type"
}

// remedy says what replaces the calls of one function.
func remedy(fn string, uses []use) string {
	text := replacement(fn, uses)
	switch {
	case strings.HasSuffix(fn, "ln"):
		text += " Mind the spaces and the newline that fmt adds."
	case !strings.HasSuffix(fn, "f") && len(uses) > 1:
		text += " Mind the spaces that fmt adds between operands that are no strings."
	}
	return text
}

func replacement(fn string, uses []use) string {
	var strs, apps []string
	text := false
	for _, u := range uses {
		s, a := u.replacement()
		if s == "the string itself" {
			text = true
		} else if !slices.Contains(strs, s) {
			strs = append(strs, s)
		}
		if !slices.Contains(apps, a) {
			apps = append(apps, a)
		}
	}
	if len(uses) == 0 {
		apps = []string{"append(b, s...)"}
	}
	name := strings.TrimPrefix(fn, "fmt.")
	switch {
	case strings.HasPrefix(fn, "fmt.Sprint"):
		switch {
		case len(uses) == 1 && len(strs) == 1:
			return "Replace " + name + " by " + strs[0] + ", joined to any text around it with +."
		case len(strs) == 0:
			return "Replace " + name + " by string concatenation with +."
		}
		joined := strings.Join(strs, " and ")
		if text {
			joined += " and the strings themselves"
		}
		return "Replace " + name + " by " + joined + ", concatenated with +; or append the parts to one []byte (" + strings.Join(apps, ", ") + ")."
	case strings.HasPrefix(fn, "fmt.Append"):
		return "Replace " + name + " by " + strings.Join(apps, ", ") + " on the same []byte."
	}
	if len(strs) == 0 && len(uses) <= 1 {
		return "Replace " + name + " by io.WriteString."
	}
	return "Append the parts to a []byte that is reused (" + strings.Join(apps, ", ") + ") and Write it once, instead of " + name + "."
}
