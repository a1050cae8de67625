package docs

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A page that documents JSON has a heading "## SCHEMA" for each document and
// below it a table whose first column holds the keys, in backquotes, as paths:
// `findings[].line`. A row may hold several. What is documented may be absent
// from a document; what is present has to be documented.

var (
	schemaHeading = regexp.MustCompile(`^## (whet/[a-z]+/[0-9]+)\b`)
	keyCell       = regexp.MustCompile("`([^`]+)`")
)

// DocumentedKeys returns the paths that a page documents, by schema.
func DocumentedKeys(page string) map[string][]string {
	keys := make(map[string][]string)
	var schemas []string
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "## ") {
			schemas = nil
			for _, word := range strings.Fields(strings.ReplaceAll(line, ",", " ")) {
				if m := schemaHeading.FindStringSubmatch("## " + word); m != nil {
					schemas = append(schemas, m[1])
					keys[m[1]] = nil
				}
			}
			continue
		}
		first, isRow := strings.CutPrefix(line, "| ")
		if !isRow {
			continue
		}
		first, _, _ = strings.Cut(first, " |")
		for _, m := range keyCell.FindAllStringSubmatch(first, -1) {
			for _, schema := range schemas {
				keys[schema] = append(keys[schema], m[1])
			}
		}
	}
	return keys
}

// Keys returns the schema of a JSON document and the paths of all its keys.
func Keys(data []byte) (schema string, paths []string, err error) {
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		return "", nil, fmt.Errorf("read JSON: %w", err)
	}
	schema, _ = doc["schema"].(string)
	seen := make(map[string]bool)
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				at := key
				if path != "" {
					at = path + "." + key
				}
				seen[at] = true
				walk(at, inner)
			}
		case []any:
			for _, inner := range v {
				walk(path+"[]", inner)
			}
		}
	}
	walk("", doc)
	return schema, slices.Sorted(maps.Keys(seen)), nil
}

// Undocumented returns the paths that a document has and its page does not
// name. A key under one that the page describes as a whole, with a path ending
// in ".*", is named by it.
func Undocumented(paths, documented []string) []string {
	var out []string
	for _, path := range paths {
		if !slices.ContainsFunc(documented, func(d string) bool {
			base, all := strings.CutSuffix(d, ".*")
			return d == path || all && (path == base || strings.HasPrefix(path, base+".") || strings.HasPrefix(path, base+"[]"))
		}) {
			out = append(out, path)
		}
	}
	return out
}
