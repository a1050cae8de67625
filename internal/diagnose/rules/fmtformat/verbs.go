package fmtformat

import (
	"slices"
	"strings"

	"whet/internal/typed"
)

// isFormatting reports whether fn is one of fmt's printing functions, by its
// linker name. Errorf makes an error, which strconv does not.
func isFormatting(fn string) bool {
	name, ok := strings.CutPrefix(fn, "fmt.")
	if !ok {
		return false
	}
	for _, family := range []string{"Sprint", "Fprint", "Append", "Print"} {
		if rest, ok := strings.CutPrefix(name, family); ok && (rest == "" || rest == "f" || rest == "ln") {
			return true
		}
	}
	return false
}

// destination reports whether the function's first argument says where the
// text goes.
func destination(fn string) bool {
	return strings.HasPrefix(fn, "fmt.Fprint") || strings.HasPrefix(fn, "fmt.Append")
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
		if i >= len(format) || !strings.ContainsRune("sdvqtxcfge", rune(format[i])) {
			return nil, false
		}
		if precision && !strings.ContainsRune("fge", rune(format[i])) {
			return nil, false
		}
		out = append(out, format[i])
	}
	return out, true
}

// takes reports whether a verb suits an argument's static type, as far as the
// type's name tells: a named type may be any basic one below.
func takes(verb byte, typ string) bool {
	switch {
	case strings.ContainsAny(typ, "./"), verb == 'v':
		return true
	case typ == "string":
		return verb == 's' || verb == 'q' || verb == 'x'
	case typ == "bool":
		return verb == 't'
	case strings.HasPrefix(typ, "float"):
		return verb == 'f' || verb == 'g' || verb == 'e'
	case strings.HasPrefix(typ, "int"), strings.HasPrefix(typ, "uint"), typ == "byte", typ == "rune":
		return verb == 'd' || verb == 'x' || verb == 'c' || verb == 'q'
	case strings.HasPrefix(typ, "complex"), strings.HasPrefix(typ, "untyped nil"):
		return false
	}
	return true // "untyped string" and the like
}

// replaceable reports whether a typed call formats only what strconv, append
// or + can, and which verbs it uses with which argument types.
func replaceable(c typed.Call) (uses []use, ok bool) {
	args, basic := c.Args, c.Basic
	if len(args) != len(basic) {
		return nil, false
	}
	if destination(c.Callee) {
		if len(args) == 0 {
			return nil, false
		}
		args, basic = args[1:], basic[1:]
	}
	if len(args) > 0 && strings.HasSuffix(args[len(args)-1], "...") {
		return nil, false
	}
	if slices.Contains(basic, false) {
		return nil, false
	}
	if !strings.HasSuffix(c.Callee, "f") {
		for _, a := range args {
			if strings.HasPrefix(a, "complex") {
				return nil, false
			}
			uses = append(uses, use{'v', a})
		}
		return uses, true
	}
	if c.Format == nil || len(args) == 0 {
		return nil, false
	}
	vs, ok := verbs(*c.Format)
	if !ok || len(vs) != len(args)-1 {
		return nil, false
	}
	for i, v := range vs {
		if !takes(v, args[i+1]) {
			return nil, false
		}
		uses = append(uses, use{v, args[i+1]})
	}
	return uses, true
}

// use is one verb with the static type of its argument.
type use struct {
	verb byte
	typ  string
}

// replacement names what to call for one verb, as a string and appended.
func (u use) replacement() (asString, appended string) {
	switch u.verb {
	case 'q':
		if u.typ == "rune" || strings.HasPrefix(u.typ, "int") {
			return "strconv.QuoteRune", "strconv.AppendQuoteRune"
		}
		return "strconv.Quote", "strconv.AppendQuote"
	case 't':
		return "strconv.FormatBool", "strconv.AppendBool"
	case 'c':
		return "string(r) of the rune", "utf8.AppendRune"
	case 'x':
		if u.typ == "string" {
			return "hex.EncodeToString", "hex.AppendEncode"
		}
		return "strconv.FormatInt(n, 16)", "strconv.AppendInt(b, n, 16)"
	case 'f', 'e':
		return "strconv.FormatFloat (precision 6 where the verb has none)", "strconv.AppendFloat (precision 6 where the verb has none)"
	case 'g':
		return "strconv.FormatFloat", "strconv.AppendFloat"
	case 's':
		return "the string itself", "append(b, s...)"
	case 'd':
		return integer(u.typ)
	}
	switch t := u.typ; {
	case t == "bool":
		return "strconv.FormatBool", "strconv.AppendBool"
	case strings.HasPrefix(t, "float"):
		return "strconv.FormatFloat", "strconv.AppendFloat"
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"), t == "byte", t == "rune":
		return integer(t)
	case t == "string" || t == "untyped string":
		return "the string itself", "append(b, s...)"
	}
	return "the conversion to string or strconv.Itoa, by its underlying type", "append(b, s...) or strconv.AppendInt, by its underlying type"
}

func integer(typ string) (asString, appended string) {
	switch {
	case typ == "int" || typ == "untyped int":
		return "strconv.Itoa", "strconv.AppendInt"
	case strings.HasPrefix(typ, "uint") || typ == "byte":
		return "strconv.FormatUint", "strconv.AppendUint"
	}
	return "strconv.FormatInt", "strconv.AppendInt"
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
