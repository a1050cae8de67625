package gobench

import (
	"context"
	"fmt"
	"strings"
)

// Objects are the files of compiled objects that a test binary is linked of, by
// the path that the linker knows each package by: that of the test program
// itself is "main".
type Objects map[string]string

// ListObjects returns the object files of the targets' tests, built with these options.
// Targets have one working directory. Objects that are not in the build cache are
// compiled. A target missing from the result could not be listed, for example because
// of -cover: go list builds its packages in another way than go test. The test
// program's file written by the go command is compiled under another name.
func ListObjects(ctx context.Context, targets []*Target, o BuildOptions) (map[*Target]Objects, error) {
	out := make(map[*Target]Objects)
	if len(targets) == 0 {
		return out, nil
	}
	const format = `{{.ImportPath}}{{"\t"}}{{.Export}}{{if eq .Name "main"}}{{range .Deps}}{{"\t"}}{{.}}{{end}}{{end}}`
	args := append([]string{"list", "-test", "-deps", "-export", "-f", format}, o.flags()...)
	args = append(args, "--")
	for _, t := range targets {
		args = append(args, t.Operand)
	}
	stdout, stderr, res, err := goCommand(ctx, targets[0].WorkDir, o.Env, args...)
	if err != nil {
		return nil, err
	}
	if !res.OK() {
		return nil, fmt.Errorf("list the objects of %s: %s", targets[0].ImportPath, firstLine(string(stderr)))
	}
	lines := make(map[string][]string)
	for line := range strings.Lines(string(stdout)) {
		fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(fields) >= 2 {
			lines[fields[0]] = fields
		}
	}
	for _, t := range targets {
		main := lines[t.ImportPath+".test"]
		if _, cover, _ := spoilt(nil, o.Flags, t.GOFLAGS); cover || main == nil || main[1] == "" {
			continue
		}
		objects, missing := Objects{"main": main[1]}, false
		for _, dep := range main[2:] {
			if dep == "unsafe" {
				continue
			}
			path, _, _ := strings.Cut(dep, " ") // "path [of.test]" is compiled anew for that test
			if d := lines[dep]; d != nil && d[1] != "" {
				objects[path] = d[1]
			} else {
				missing = true
			}
		}
		if !missing {
			out[t] = objects
		}
	}
	return out, nil
}
