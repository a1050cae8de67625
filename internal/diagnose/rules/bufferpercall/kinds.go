package bufferpercall

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// kind is a sort of buffer.
type kind struct {
	what string
	// own is the type of a variable that is the buffer itself, without a call; ""
	// for none.
	own string
	// made are the names, with the last element of the package's path, of what
	// the statement calls.
	made []string
	// later are prefixes of the functions that take the buffer's memory when it
	// is used first, or when it grows.
	later []string
	// resets: making it anew also sets it up, which a reset has to do too, so
	// that only the allocation is avoidable.
	resets bool
	// fits: whether a call of a constructor makes such a buffer, or one that the
	// remedy is right for; nil: each does.
	fits   func(pkg *typed.Package, call ast.Expr) bool
	remedy string
	// inside is the function that takes the buffer's memory where the constructor
	// is not given one: without it the constructor's own block is no finding.
	inside string
	// perInput: the remedy also says what to do where a loop makes it.
	perInput bool
}

const pooled = "Keep it " + diagnose.Anywhere

var kinds = []*kind{
	{
		what: "a bytes.Buffer", own: "bytes.Buffer", made: []string{"bytes.NewBuffer"}, fits: startsEmpty,
		later:  []string{"bytes.growSlice", "bytes.(*Buffer)."},
		remedy: pooled + ", and Reset it before use. Drop very large ones.",
	},
	builder,
	{
		what: "a bufio.Reader", made: []string{"bufio.NewReader", "bufio.NewReaderSize"},
		remedy: pooled + ", and Reset it to the reader of each call.",
	},
	{
		what: "a bufio.Writer", made: []string{"bufio.NewWriter", "bufio.NewWriterSize"},
		remedy: pooled + ", and Reset it to the writer of each call; Flush it before you put it back.",
	},
	{
		what: "a bufio.Scanner with its own buffer, over a string or bytes in memory", made: []string{"bufio.NewScanner"}, fits: readsMemory, perInput: true,
		later:  []string{"bufio.(*Scanner).Scan"},
		remedy: "Cut the lines off the data itself, line, data, _ = bytes.Cut(data, newline) or strings.Cut, or range over bytes.Lines or strings.Lines: that needs no buffer and copies nothing. If the scanner has to stay, pass a reused buffer to its Buffer method.",
	},
	{
		what: "a bufio.Scanner with its own buffer", made: []string{"bufio.NewScanner"}, later: []string{"bufio.(*Scanner).Scan"},
		remedy: "Keep a buffer " + diagnose.Anywhere + ", and pass it to the scanner's Buffer method; or keep a bufio.Reader, and Reset it.",
	},
	{
		what: "a csv.Reader with its own buffer", made: []string{"csv.NewReader"}, inside: "bufio.NewReaderSize", perInput: true,
		remedy: "Read all records with one csv.Reader over the whole input. If the inputs are separate, keep a bufio.Reader of the default size " + diagnose.Anywhere + ", Reset it to each input, and hand that to csv.NewReader, which then allocates none.",
	},
	{
		what: "a csv.Writer with its own buffer", made: []string{"csv.NewWriter"}, inside: "bufio.NewWriterSize", perInput: true,
		remedy: "Write all records with one csv.Writer. If the outputs are separate, keep a bufio.Writer of the default size " + diagnose.Anywhere + ", Reset it to each output, and pass that to csv.NewWriter, which then allocates none.",
	},
	{
		what: "a json.Decoder, with its own buffer, for JSON that is already in memory", made: []string{"json.NewDecoder"}, fits: plainDecoder, perInput: true,
		later:  []string{"encoding/json.(*Decoder).refill"},
		remedy: "Call json.Unmarshal, which needs no buffer for a []byte, or let one Decoder read all values of the whole input.",
	},
	{
		what:   "a compressor",
		made:   []string{"gzip.NewWriter", "gzip.NewWriterLevel", "zlib.NewWriter", "zlib.NewWriterLevel", "zlib.NewWriterLevelDict", "flate.NewWriter", "flate.NewWriterDict"},
		later:  []string{"compress/flate.New", "compress/flate.new", "compress/flate.(*compressor).init"},
		resets: true,
		remedy: pooled + ", and Reset it to the writer of each call: it holds hundreds of kilobytes.",
	},
	{
		what:   "a decompressor",
		made:   []string{"gzip.NewReader", "zlib.NewReader", "zlib.NewReaderDict", "flate.NewReader", "flate.NewReaderDict"},
		resets: true,
		remedy: pooled + ", and Reset it to the reader of each call (zlib's and flate's have Reset by the interfaces zlib.Resetter and flate.Resetter).",
	},
	{
		what: "the state of a hash",
		made: []string{"hmac.New", "md5.New", "sha1.New", "sha256.New", "sha256.New224", "sha512.New", "sha512.New384", "sha512.New512_256", "sha512.New512_224",
			"crc32.New", "crc32.NewIEEE", "crc64.New", "adler32.New", "fnv.New32", "fnv.New32a", "fnv.New64", "fnv.New64a", "fnv.New128", "fnv.New128a"},
		remedy: pooled + ", and Reset it before use. If all input is one []byte, call the package's one-shot function (sha256.Sum256, md5.Sum, crc32.ChecksumIEEE), which needs no state on the heap.",
	},
}

var builder = &kind{
	what: "a strings.Builder", own: "strings.Builder", later: []string{"strings.(*Builder)."},
	remedy: "Append to a []byte or a bytes.Buffer that you keep " + diagnose.Anywhere + ", and write that: String gives a Builder's memory away, so a Builder cannot be used again.",
}

var scratch = &kind{
	what: "a scratch slice", own: "[]",
	remedy: pooled + ", and reslice it to the needed length, x[:n], growing it if its capacity is less. Note that make clears the memory, whereas a reused slice holds old data.",
}

var array = &kind{
	what: "a scratch array, which escapes to the heap because a slice of it is passed to code that may keep it, such as an interface method", own: "[]",
	remedy: "Keep it in the method's receiver or in the destination (a field of the encoder, the writer, the connection), or let the caller pass a slice; if none of them lives longer, use a sync.Pool. If the array only holds bytes for a bufio.Writer or bytes.Buffer, append to its AvailableBuffer.",
}

// kindOf reads the expression that a variable starts with, or the variable's type
// where it has none: nil for what is no buffer. call is what the expression calls.
func kindOf(pkg *typed.Package, v *types.Var, value ast.Expr) (k *kind, call string) {
	var made types.Type
	switch e := ast.Unparen(value).(type) {
	case nil:
		made = v.Type()
	case *ast.UnaryExpr: // &bytes.Buffer{}
		if e.Op == token.AND {
			return kindOf(pkg, v, e.X)
		}
	case *ast.CompositeLit:
		if len(e.Elts) == 0 {
			made = pkg.TypeOf(e)
		}
	case *ast.CallExpr:
		switch name := symbolname.Short(pkg.Called(e)); {
		case v != nil && name == "make" && len(e.Args) > 1 && typed.IsNumber(typed.Element(pkg.TypeOf(e))):
			return scratch, ""
		case v != nil && name == "new" && len(e.Args) == 1:
			made = pkg.TypeOf(e.Args[0])
		default:
			call = name
		}
	}
	if a, ok := typed.Under[*types.Array](made); ok && typed.IsNumber(a.Elem()) {
		return array, ""
	}
	i := slices.IndexFunc(kinds, func(k *kind) bool {
		if call != "" {
			return slices.Contains(k.made, call) && (k.fits == nil || k.fits(pkg, value))
		}
		return made != nil && k.own == types.TypeString(made, nil)
	})
	if i < 0 {
		return nil, ""
	}
	return kinds[i], call
}

// given returns the only argument of a constructor, nil where it has others.
func given(call ast.Expr) ast.Expr {
	if c, ok := ast.Unparen(call).(*ast.CallExpr); ok && len(c.Args) == 1 {
		return ast.Unparen(c.Args[0])
	}
	return nil
}

// startsEmpty: bytes.NewBuffer(nil) or around a slice made on the spot, not
// around memory that is there.
func startsEmpty(pkg *typed.Package, call ast.Expr) bool {
	switch arg := given(call).(type) {
	case *ast.CallExpr:
		return pkg.Called(arg) == "make"
	case *ast.CompositeLit:
		return len(arg.Elts) == 0
	case *ast.Ident:
		return pkg.Info.Types[arg].IsNil()
	}
	return false
}

// readsMemory: the constructor is given a reader that is made on the spot of a
// text in memory.
func readsMemory(pkg *typed.Package, call ast.Expr) bool {
	arg, ok := given(call).(*ast.CallExpr)
	return ok && slices.Contains([]string{"strings.NewReader", "bytes.NewReader", "bytes.NewBuffer", "bytes.NewBufferString"}, pkg.Called(arg))
}

// plainDecoder reports whether json.Unmarshal would do: the text is in memory, and the
// decoder is not told to keep numbers or to refuse fields.
func plainDecoder(pkg *typed.Package, call ast.Expr) bool {
	made, ok := ast.Unparen(call).(*ast.CallExpr)
	if !ok || !readsMemory(pkg, call) {
		return false
	}
	for _, use := range pkg.Results(made) {
		if sel, ok := pkg.Parent(use).(*ast.SelectorExpr); ok && (sel.Sel.Name == "UseNumber" || sel.Sel.Name == "DisallowUnknownFields") {
			return false
		}
	}
	return true
}

// hashed reports whether a variable is filled from other bytes by copy, and handed to
// nothing but functions that work a checksum or a hash out.
func hashed(pkg *typed.Package, v *types.Var) bool {
	if v == nil {
		return false
	}
	copied, summed := false, false
	for _, id := range pkg.Uses(v) {
		x := pkg.Operand(id)
		call, ok := pkg.Parent(x).(*ast.CallExpr)
		if !ok {
			if ix, ok := pkg.Parent(x).(*ast.IndexExpr); ok && ix.X == x {
				continue
			}
			return false
		}
		switch name := pkg.Called(call); {
		case name == "copy":
			copied = copied || call.Args[0] == x
		case strings.HasPrefix(name, "hash/") || strings.HasPrefix(name, "crypto/"):
			summed = true
		case pkg.Builtin(call) != "len":
			return false
		}
	}
	return copied && summed
}
