package knowledge

import (
	"go/ast"
	"go/types"

	"whet/internal/finding"
)

// Arguments of examples: a file that takes what is written, and one of numbers.
const (
	sink    = "func() *os.File { f, _ := os.OpenFile(os.DevNull, os.O_WRONLY, 0); return f }()"
	lines   = `strings.Fields(strings.Repeat("alpha beta gamma delta ", 25))`
	numbers = `func() *os.File { f, _ := os.CreateTemp("", "row"); os.Remove(f.Name()); f.WriteString(strings.Repeat("12345\n", 100)); return f }()`
)

const (
	buffered = "Write to a bufio.NewWriter around the file, made before the loop, and Flush it after; write errors appear there."
	flushed  = "Flush once, after the loop; errors appear there, and readers see nothing before."
	ahead    = "Read through a bufio.NewReader around the file, made before the loop, and through nothing else: it reads ahead, so the file's offset is beyond the consumed data."
)

// ofIO are the rows of packages io and os, and of what writes to a file piece by piece.
func ofIO() []Row {
	return []Row{
		{
			ID: "io-readall-counted", Cause: "counted-result", Callees: []string{"io.ReadAll"}, When: counted,
			Cost: "keeps all of its input", Instead: "io.Copy(io.Discard, r) returns the number of bytes.",
			Goes: Memory, Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: `strings.Repeat("x", 10000)`,
				Before: "b, _ := io.ReadAll(strings.NewReader(text))\nreturn len(b)",
				After:  "n, _ := io.Copy(io.Discard, strings.NewReader(text))\nreturn int(n)"},
		},
		{
			ID: "os-readfile-counted", Cause: "counted-result", Callees: []string{"os.ReadFile"}, When: counted,
			Cost: "reads the whole file", Instead: "os.Stat returns the size of a regular file; for files under /proc and devices it returns 0, and it succeeds on directories and on unreadable files.",
			Goes: All, Confidence: finding.Medium,
			Example: Example{Params: "name string", Result: "int", Args: "os.Args[0]",
				Before: "b, _ := os.ReadFile(name)\nreturn len(b)",
				After:  "info, err := os.Stat(name)\nif err != nil {\n\treturn 0\n}\nreturn int(info.Size())"},
		},
		{
			ID: "os-file-write-loop", Cause: "small-io", Callees: []string{"os.(*File).Write", "os.(*File).WriteString"}, When: all(inBatch, receiverBefore, piece(0)),
			Cost: "makes a system call to write", Instead: buffered, Confidence: finding.Medium,
			Example: Example{Params: "f *os.File, lines []string", Args: sink + ", " + lines,
				Before: "for _, l := range lines {\n\tf.WriteString(l)\n}",
				After:  "w := bufio.NewWriter(f)\nfor _, l := range lines {\n\tw.WriteString(l)\n}\nw.Flush()"},
		},
		{
			ID: "io-writestring-file-loop", Cause: "small-io", Callees: []string{"io.WriteString"}, When: all(inBatch, openBefore(0)),
			Cost: "makes a system call to write", Instead: buffered, Confidence: finding.Medium,
			Example: Example{Params: "f *os.File, lines []string", Args: sink + ", " + lines,
				Before: "for _, l := range lines {\n\tio.WriteString(f, l)\n}",
				After:  "w := bufio.NewWriter(f)\nfor _, l := range lines {\n\tio.WriteString(w, l)\n}\nw.Flush()"},
		},
		{
			ID: "fmt-stdout-loop", Cause: "small-io", Callees: []string{"fmt.Print", "fmt.Printf", "fmt.Println"}, When: inBatch,
			Cost:    "formats, and makes a system call to write",
			Instead: "os.Stdout has no buffer: use fmt.Fprintln with a bufio.NewWriter(os.Stdout), made before the loop, and Flush it after. Output to os.Stderr in the meantime then appears first.", Confidence: finding.Medium,
			Example: Example{Params: "f *os.File, lines []string", Args: sink + ", " + lines,
				Before: "out := os.Stdout\nos.Stdout = f\nfor i, l := range lines {\n\tfmt.Printf(\"%5d %8.8s\\n\", i, l)\n}\nos.Stdout = out",
				After:  "out := os.Stdout\nos.Stdout = f\nw := bufio.NewWriter(os.Stdout)\nfor i, l := range lines {\n\tfmt.Fprintf(w, \"%5d %8.8s\\n\", i, l)\n}\nw.Flush()\nos.Stdout = out"},
		},
		{
			ID: "encoder-file-loop", Cause: "small-io", Callees: []string{"encoding/json.(*Encoder).Encode", "encoding/xml.(*Encoder).Encode", "encoding/gob.(*Encoder).Encode"},
			When: all(inBatch, receiverBefore, receiverOver(file, "encoding/json.NewEncoder", "encoding/xml.NewEncoder", "encoding/gob.NewEncoder")),
			Cost: "encodes, and makes a system call to write each value", Instead: buffered, Confidence: finding.Medium,
			Example: Example{Params: "f *os.File, counts []int", Args: sink + ", make([]int, 100)",
				Before: "enc := json.NewEncoder(f)\nfor _, n := range counts {\n\tenc.Encode(n)\n}",
				After:  "w := bufio.NewWriter(f)\nenc := json.NewEncoder(w)\nfor _, n := range counts {\n\tenc.Encode(n)\n}\nw.Flush()"},
		},
		{
			ID: "template-execute-file", Cause: "small-io", Callees: []string{"text/template.(*Template).Execute", "text/template.(*Template).ExecuteTemplate", "html/template.(*Template).Execute", "html/template.(*Template).ExecuteTemplate"},
			When: ofType(0, file),
			Cost: "writes each text and each value of the template separately, with a system call for each", Instead: "Execute it into a bufio.NewWriter around the file, and Flush that, after an error too.", Confidence: finding.High,
			Example: Example{Params: "f *os.File, names []string", Args: sink + ", " + lines,
				Decls:  "var page = template.Must(template.New(\"\").Parse(\"{{range .}}<li>{{.}}</li>\\n{{end}}\"))",
				Before: "page.Execute(f, names)", After: "w := bufio.NewWriter(f)\npage.Execute(w, names)\nw.Flush()"},
		},
		{
			ID: "tabwriter-file", Cause: "small-io", Callees: []string{"text/tabwriter.(*Writer).Flush"}, When: receiverOver(file, "text/tabwriter.NewWriter"),
			Cost: "writes each cell and its padding separately, with a system call for each", Instead: "Create it on a bufio.NewWriter around the file, and Flush that after it.", Confidence: finding.High,
			Example: Example{Params: "f *os.File, names []string", Args: sink + ", " + lines,
				Before: "w := tabwriter.NewWriter(f, 0, 8, 1, ' ', 0)\nfor _, n := range names {\n\tio.WriteString(w, n+\"\\t\"+n+\"\\n\")\n}\nw.Flush()",
				After:  "out := bufio.NewWriter(f)\nw := tabwriter.NewWriter(out, 0, 8, 1, ' ', 0)\nfor _, n := range names {\n\tio.WriteString(w, n+\"\\t\"+n+\"\\n\")\n}\nw.Flush()\nout.Flush()"},
		},
		{
			ID: "tar-writer-file", Cause: "small-io", Callees: []string{"archive/tar.(*Writer).WriteHeader"}, When: all(inBatch, receiverOver(file, "archive/tar.NewWriter")),
			Cost: "makes a system call to write a block of 512 bytes", Instead: "Create it on a bufio.NewWriter around the file, and Flush that after Close.", Confidence: finding.High,
			Example: Example{Params: "f *os.File, names []string", Args: sink + ", " + lines, Imports: []string{"archive/tar"},
				Before: "w := tar.NewWriter(f)\nfor _, n := range names {\n\tw.WriteHeader(&tar.Header{Name: n, Size: int64(len(n))})\n\tio.WriteString(w, n)\n}\nw.Close()",
				After:  "out := bufio.NewWriter(f)\nw := tar.NewWriter(out)\nfor _, n := range names {\n\tw.WriteHeader(&tar.Header{Name: n, Size: int64(len(n))})\n\tio.WriteString(w, n)\n}\nw.Close()\nout.Flush()"},
		},
		{
			ID: "os-file-read-loop", Cause: "small-io", Callees: []string{"os.(*File).Read"}, When: all(inLoop, receiverBefore, small(0, 512), inOrder),
			Cost: "makes a system call for a few bytes", Instead: ahead, Confidence: finding.Medium,
			Example: Example{Params: "f *os.File", Result: "int", Args: numbers,
				Before: "f.Seek(0, 0)\nvar b [6]byte\nsum := 0\nfor {\n\tn, err := f.Read(b[:])\n\tif err != nil {\n\t\treturn sum\n\t}\n\tsum += n\n}",
				After:  "f.Seek(0, 0)\nr := bufio.NewReader(f)\nvar b [6]byte\nsum := 0\nfor {\n\tn, err := r.Read(b[:])\n\tif err != nil {\n\t\treturn sum\n\t}\n\tsum += n\n}"},
		},
		{
			ID: "io-readfull-file-loop", Cause: "small-io", Callees: []string{"io.ReadFull", "io.ReadAtLeast"}, When: all(inLoop, openBefore(0), small(1, 512), inOrder),
			Cost: "makes a system call for a few bytes", Instead: ahead, Confidence: finding.Medium,
			Example: Example{Params: "f *os.File", Result: "int", Args: numbers,
				Before: "f.Seek(0, 0)\nvar b [6]byte\nsum := 0\nfor {\n\tif _, err := io.ReadFull(f, b[:]); err != nil {\n\t\treturn sum\n\t}\n\tsum += int(b[0])\n}",
				After:  "f.Seek(0, 0)\nr := bufio.NewReader(f)\nvar b [6]byte\nsum := 0\nfor {\n\tif _, err := io.ReadFull(r, b[:]); err != nil {\n\t\treturn sum\n\t}\n\tsum += int(b[0])\n}"},
		},
		{
			ID: "fmt-scan-stdin", Cause: "small-io", Callees: []string{"fmt.Scan", "fmt.Scanln", "fmt.Scanf"}, When: inLoop,
			Cost:    "makes a system call for every byte, because os.Stdin has no buffer",
			Instead: "Make one bufio.NewReader(os.Stdin) for all reads and pass it to fmt.Fscan, Fscanln or Fscanf, or, faster still if line ends do not matter, use a bufio.Scanner with bufio.ScanWords and strconv. It reads ahead: nothing else may then read os.Stdin.", Confidence: finding.Medium,
			Example: Example{Params: "f *os.File", Result: "int", Args: numbers,
				Before: "f.Seek(0, 0)\nos.Stdin = f\nsum, n := 0, 0\nfor {\n\tif _, err := fmt.Scan(&n); err != nil {\n\t\treturn sum\n\t}\n\tsum += n\n}",
				After:  "f.Seek(0, 0)\nos.Stdin = f\nsum := 0\nin := bufio.NewScanner(os.Stdin)\nin.Split(bufio.ScanWords)\nfor in.Scan() {\n\tn, err := strconv.Atoi(in.Text())\n\tif err != nil {\n\t\treturn sum\n\t}\n\tsum += n\n}\nreturn sum"},
		},
		{
			ID: "fmt-fscan-file", Cause: "small-io", Callees: []string{"fmt.Fscan", "fmt.Fscanln", "fmt.Fscanf"}, When: all(inLoop, openBefore(0)),
			Cost:    "makes a system call for every byte",
			Instead: "Make one bufio.NewReader around the file before the loop and scan that, or, faster still if line ends do not matter, use a bufio.Scanner with bufio.ScanWords and strconv. It reads ahead: nothing else may then read the file.", Confidence: finding.Medium,
			Example: Example{Params: "f *os.File", Result: "int", Args: numbers,
				Before: "f.Seek(0, 0)\nsum, n := 0, 0\nfor {\n\tif _, err := fmt.Fscan(f, &n); err != nil {\n\t\treturn sum\n\t}\n\tsum += n\n}",
				After:  "f.Seek(0, 0)\nsum := 0\nin := bufio.NewScanner(f)\nin.Split(bufio.ScanWords)\nfor in.Scan() {\n\tn, err := strconv.Atoi(in.Text())\n\tif err != nil {\n\t\treturn sum\n\t}\n\tsum += n\n}\nreturn sum"},
		},
		{
			ID: "bufio-flush-loop", Cause: "small-io", Callees: []string{"bufio.(*Writer).Flush"}, When: all(eachRound, receiverBefore, noAnswer),
			Cost: "makes a system call to write a few bytes", Instead: flushed, Confidence: finding.Medium,
			Example: Example{Params: "f *os.File, lines []string", Args: sink + ", " + lines,
				Before: "w := bufio.NewWriter(f)\nfor _, l := range lines {\n\tw.WriteString(l)\n\tw.Flush()\n}",
				After:  "w := bufio.NewWriter(f)\nfor _, l := range lines {\n\tw.WriteString(l)\n}\nw.Flush()"},
		},
		{
			ID: "csv-flush-loop", Cause: "small-io", Callees: []string{"encoding/csv.(*Writer).Flush"}, When: all(eachRound, receiverBefore, noAnswer),
			Cost: "writes out the record separately", Instead: flushed, Confidence: finding.Medium,
			Example: Example{Params: "f *os.File, records [][]string", Args: sink + ", slices.Repeat([][]string{{\"alpha\", \"beta\", \"12345\"}}, 100)",
				Before: "w := csv.NewWriter(f)\nfor _, r := range records {\n\tw.Write(r)\n\tw.Flush()\n}",
				After:  "w := csv.NewWriter(f)\nfor _, r := range records {\n\tw.Write(r)\n}\nw.Flush()"},
		},
		{
			ID: "compress-flush-loop", Cause: "small-io", Callees: []string{"compress/gzip.(*Writer).Flush", "compress/zlib.(*Writer).Flush", "compress/flate.(*Writer).Flush"}, When: all(eachRound, receiverBefore, noAnswer),
			Cost: "ends a block of the compressed data", Instead: "Let Close write the rest, after the loop: blocks this small take more time and more bytes. Readers see nothing before.", Confidence: finding.Medium,
			Example: Example{Params: "lines []string", Args: lines, Decls: "var out = gzip.NewWriter(io.Discard)",
				Before: "out.Reset(io.Discard)\nfor _, l := range lines {\n\tio.WriteString(out, l)\n\tout.Flush()\n}\nout.Close()",
				After:  "out.Reset(io.Discard)\nfor _, l := range lines {\n\tio.WriteString(out, l)\n}\nout.Close()"},
		},
		{
			ID: "os-file-sync-loop", Cause: "small-io", Callees: []string{"os.(*File).Sync"}, When: all(eachRound, receiverBefore),
			Cost: "waits for the disk", Instead: "Sync once, after the loop. Written data is not safe before then.", Confidence: finding.Medium,
			Example: Example{Params: "f *os.File, lines []string", Args: numbers + `, []string{"alpha\n", "beta\n", "gamma\n"}`,
				Before: "for _, l := range lines {\n\tf.WriteAt([]byte(l), 0)\n\tf.Sync()\n}",
				After:  "for _, l := range lines {\n\tf.WriteAt([]byte(l), 0)\n}\nf.Sync()"},
		},
		{
			ID: "os-openfile-loop", Cause: "made-per-call", Callees: []string{"os.OpenFile", "os.Open"}, When: all(inBatch, steady(0)),
			Cost: "opens the same file", Instead: "Open it once, before the loop, and close it after; to read from the start again, Seek; for os.O_TRUNC, Truncate and Seek. Keep the call if the file may be replaced meanwhile, or if the loop retries until it opens.", Confidence: finding.Medium,
			Example: Example{Params: "name string, lines []string", Args: `os.DevNull, strings.Fields("alpha beta gamma delta")`,
				Before: "for _, l := range lines {\n\tf, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)\n\tif err != nil {\n\t\treturn\n\t}\n\tf.WriteString(l)\n\tf.Close()\n}",
				After:  "f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)\nif err != nil {\n\treturn\n}\nw := bufio.NewWriter(f)\nfor _, l := range lines {\n\tw.WriteString(l)\n}\nw.Flush()\nf.Close()"},
		},
		{
			ID: "os-asked-again", Cause: "made-per-call", Callees: []string{"os.Stat", "os.Lstat", "os.ReadDir", "os.MkdirAll", "path/filepath.EvalSymlinks", "path/filepath.Glob", "net.LookupHost", "net.ResolveTCPAddr", "net.ResolveUDPAddr"}, When: all(inBatch, steady(0), steadyLast),
			Cost: "makes a system call", Instead: "Make the call once, before the loop, if its result cannot change meanwhile.", Confidence: finding.Medium,
			Example: Example{Params: "dir string, names []string", Result: "int", Args: `os.TempDir(), strings.Fields("alpha beta gamma delta")`,
				Before: "n := 0\nfor _, name := range names {\n\tos.MkdirAll(dir, 0o755)\n\tn += len(name)\n}\nreturn n",
				After:  "n := 0\nos.MkdirAll(dir, 0o755)\nfor _, name := range names {\n\tn += len(name)\n}\nreturn n"},
		},
		{
			ID: "os-getwd", Cause: "made-per-call", Callees: []string{"os.Getwd"},
			Cost: "asks the operating system for the working directory", Instead: "Call it once, in a package variable: only os.Chdir and (*os.File).Chdir change the result.", Confidence: finding.Medium,
			Example: Example{Params: "name string", Result: "int", Args: `"a.txt"`, Decls: "var wd, _ = os.Getwd()",
				Before: "dir, _ := os.Getwd()\nreturn len(dir) + len(name)", After: "return len(wd) + len(name)"},
		},
		{
			ID: "user-lookup-loop", Cause: "made-per-call", Callees: []string{"os/user.LookupId", "os/user.LookupGroupId", "os/user.Lookup", "os/user.LookupGroup"}, When: all(eachRound, varying(0)),
			Cost: "reads the operating system's list of users or groups", Instead: "Keep the results in a map by argument: most files, processes or records share a few of them.", Confidence: finding.Medium,
			Example: Example{Params: "ids []string", Result: "int", Args: "slices.Repeat([]string{\"0\"}, 10)", Imports: []string{"os/user"},
				Before: "n := 0\nfor _, id := range ids {\n\tif u, err := user.LookupId(id); err == nil {\n\t\tn += len(u.Username)\n\t}\n}\nreturn n",
				After:  "n := 0\nknown := make(map[string]*user.User)\nfor _, id := range ids {\n\tu, ok := known[id]\n\tif !ok {\n\t\tu, _ = user.LookupId(id)\n\t\tknown[id] = u\n\t}\n\tif u != nil {\n\t\tn += len(u.Username)\n\t}\n}\nreturn n"},
		},
		{
			ID: "os-seek-loop", Cause: "small-io", Callees: []string{"os.(*File).Seek"}, When: all(inLoop, receiverBefore, number(1, "is io.SeekStart", func(n int64) bool { return n == 0 }), thenRead),
			Cost: "makes a system call to move the file's offset", Instead: "ReadAt and WriteAt take the offset as an argument, and leave the file's unchanged: that is one system call, and goroutines may share the file. ReadAt fills the buffer, or at the end returns io.EOF with what it read; WriteAt fails on a file opened with os.O_APPEND.", Confidence: finding.Medium,
			Example: Example{Params: "f *os.File, at []int64", Result: "int", Args: numbers + ", []int64{6, 60, 12, 120, 18, 180}", Decls: "var number [6]byte",
				Before: "sum := 0\nfor _, off := range at {\n\tif _, err := f.Seek(off, io.SeekStart); err != nil {\n\t\treturn 0\n\t}\n\tn, _ := f.Read(number[:])\n\tsum += n\n}\nreturn sum",
				After:  "sum := 0\nfor _, off := range at {\n\tn, _ := f.ReadAt(number[:], off)\n\tsum += n\n}\nreturn sum"},
		},
		{
			ID: "io-copyn-few", Cause: "small-io", Callees: []string{"io.CopyN"}, When: all(methodOf(0, "WriteByte"), methodOf(1, "ReadByte"), number(2, "is at most 8", func(n int64) bool { return 0 < n && n <= 8 })),
			Cost: "allocates a limited reader and a buffer, for a few bytes", Instead: "c, err := r.ReadByte() and w.WriteByte(c) copy one byte each without either.", Confidence: finding.High,
			Example: Example{Params: "w *bytes.Buffer, r *bufio.Reader, in *bytes.Reader", Result: "int", Args: `new(bytes.Buffer), bufio.NewReader(nil), bytes.NewReader(make([]byte, 100))`,
				Before: "w.Reset()\nin.Seek(0, io.SeekStart)\nr.Reset(in)\nif _, err := io.CopyN(w, r, 1); err != nil {\n\treturn 0\n}\nreturn w.Len()",
				After:  "w.Reset()\nin.Seek(0, io.SeekStart)\nr.Reset(in)\nc, err := r.ReadByte()\nif err != nil {\n\treturn 0\n}\nw.WriteByte(c)\nreturn w.Len()"},
		},
		{
			ID: "io-copyn-discard", Cause: "small-io", Callees: []string{"io.CopyN"}, When: all(isObject(0, "io.Discard", "io/ioutil.Discard"), ofType(1, "*bufio.Reader")),
			Cost: "allocates a limited reader, and copies the bytes to drop them", Instead: "r.Discard(int(n)) skips buffered bytes; n must fit into an int.", Confidence: finding.High,
			Example: Example{Params: "r *bufio.Reader, in *bytes.Reader", Result: "int", Args: `bufio.NewReader(nil), bytes.NewReader(make([]byte, 1000))`,
				Before: "in.Seek(0, io.SeekStart)\nr.Reset(in)\nfor range 20 {\n\tif _, err := io.CopyN(io.Discard, r, 40); err != nil {\n\t\tbreak\n\t}\n}\nreturn r.Buffered()",
				After:  "in.Seek(0, io.SeekStart)\nr.Reset(in)\nfor range 20 {\n\tif _, err := r.Discard(40); err != nil {\n\t\tbreak\n\t}\n}\nreturn r.Buffered()"},
		},
		{
			ID: "ioutil-readdir", Cause: "unused-work", Callees: []string{"io/ioutil.ReadDir"}, When: listNamed,
			Cost: "stats every file", Instead: "Use os.ReadDir: its entries have the name and the kind from the directory itself (Type, for Mode).", Confidence: finding.High,
			Example: Example{Params: "dir string", Result: "int", Args: `"rows"`, Imports: []string{"io/ioutil"},
				Before: "n := 0\ninfos, _ := ioutil.ReadDir(dir)\nfor _, info := range infos {\n\tif info.IsDir() {\n\t\tn++\n\t}\n}\nreturn n",
				After:  "n := 0\nentries, _ := os.ReadDir(dir)\nfor _, e := range entries {\n\tif e.IsDir() {\n\t\tn++\n\t}\n}\nreturn n"},
		},
		{
			ID: "os-file-readdir", Cause: "unused-work", Callees: []string{"os.(*File).Readdir"}, When: listNamed,
			Cost: "stats every file", Instead: "Use ReadDir, whose entries have the name and the kind from the directory itself (Type, for Mode), or Readdirnames.", Confidence: finding.High,
			Example: Example{Params: "dir string", Result: "int", Args: `"rows"`,
				Before: "f, err := os.Open(dir)\nif err != nil {\n\treturn 0\n}\ndefer f.Close()\nn := 0\ninfos, _ := f.Readdir(-1)\nfor _, info := range infos {\n\tn += len(info.Name())\n}\nreturn n",
				After:  "f, err := os.Open(dir)\nif err != nil {\n\treturn 0\n}\ndefer f.Close()\nn := 0\nnames, _ := f.Readdirnames(-1)\nfor _, name := range names {\n\tn += len(name)\n}\nreturn n"},
		},
	}
}

// methodOf holds where an argument's type has a method.
func methodOf(i int, name string) Condition {
	return arg(i, "has the method "+name, func(c *Call, e ast.Expr) bool {
		t := c.In.TypeOf(e)
		return t != nil && types.NewMethodSet(t).Lookup(nil, name) != nil
	})
}
