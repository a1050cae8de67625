package knowledge

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// standard are the packages that examples may name without saying which they mean,
// by name.
var standard = func() map[string]string {
	byName := make(map[string]string)
	for _, p := range strings.Fields(`bufio bytes cmp compress/flate compress/gzip compress/zlib container/heap container/list container/ring
		context crypto/hmac crypto/md5 crypto/sha1 crypto/sha256 crypto/sha512 crypto/subtle database/sql encoding/base64 encoding/binary encoding/csv
		encoding/gob encoding/hex encoding/json encoding/xml errors fmt hash hash/adler32 hash/crc32 hash/fnv hash/maphash html io io/fs iter log log/slog
		maps math math/big math/bits math/cmplx math/rand mime net net/http net/http/httptest net/netip net/textproto net/url os path path/filepath
		reflect regexp runtime slices sort strconv strings sync sync/atomic text/tabwriter text/template time unicode unicode/utf16 unicode/utf8 unique unsafe`) {
		byName[path.Base(p)] = p
	}
	return byName
}()

// Source returns a Go file of package pkg with the example's function called name and
// body as its body.
func (e *Example) Source(pkg, name, body string) (string, error) {
	rest := fmt.Sprintf("%s\n\nfunc %s(%s) %s {\n%s\n}\n", e.Decls, name, e.Params, e.Result, body)
	file, err := parser.ParseFile(token.NewFileSet(), "", "package "+pkg+"\n"+rest, 0)
	if err != nil {
		return "", fmt.Errorf("%w in:\n%s", err, rest)
	}
	return fmt.Sprintf("package %s\n%s\n%s", pkg, e.imports(file), rest), nil
}

// imports writes the import declarations of what a file names and does not declare.
func (e *Example) imports(file *ast.File) string {
	paths := make(map[string]bool)
	for _, id := range file.Unresolved {
		if p := standard[id.Name]; p != "" {
			paths[p] = true
		}
	}
	for _, spec := range e.Imports {
		name, _, named := strings.Cut(spec, " ")
		if !named {
			name = path.Base(spec)
		}
		if slices.ContainsFunc(file.Unresolved, func(id *ast.Ident) bool { return id.Name == name }) {
			delete(paths, standard[name])
			paths[spec] = true
		}
	}
	var b strings.Builder
	for _, spec := range slices.Sorted(maps.Keys(paths)) {
		name, p, named := strings.Cut(spec, " ")
		if !named {
			name, p = "", spec
		}
		fmt.Fprintf(&b, "import %s %q\n", name, p)
	}
	return b.String()
}
