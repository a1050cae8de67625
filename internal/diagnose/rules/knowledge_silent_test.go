package rules_test

import (
	"slices"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/knowledge"
	"whet/internal/diagnose/rules"
)

// silent are functions that call what a row is about where its remedy would be
// wrong, or gain nothing.
var silent = []struct{ row, params, result, body string }{
	{"big-cmp-zero", "x *big.Int", "int", "return x.Cmp(big.NewInt(1))"},
	{"big-cmp-zero", "x, y *big.Int", "int", "return x.Cmp(y)"},
	{"big-exp-two", "x, m *big.Int", "*big.Int", "return new(big.Int).Exp(big.NewInt(2), x, m)"},
	{"big-setstring-constant", "text string", "bool", "x, _ := new(big.Int).SetString(text, 10)\nreturn x.Sign() > 0"},
	{"big-string-compared", "x *big.Int", "string", "s := x.String()\nif s == \"1\" {\n\treturn \"\"\n}\nreturn s"},
	{"bytes-buffer-read", "text string, use func(io.ReadWriter)", "", "use(bytes.NewBufferString(text))"},
	{"bytes-buffer-read", "text string", "[]byte", "b := bytes.NewBufferString(text)\nio.Copy(io.Discard, b)\nreturn b.Bytes()"},
	{"bytes-lower-compared", "a, b []byte", "bool", "return bytes.Equal(bytes.ToLower(a), b)"},
	{"bytes-of-string-read", "text string, use func(*bytes.Reader)", "", "use(bytes.NewReader([]byte(text)))"},
	{"bytes-of-string-read", "text string", "*bytes.Buffer", "return bytes.NewBuffer([]byte(text))"},
	{"bytes-of-string-regexp", "re *regexp.Regexp, text string", "[]byte", "return re.Find([]byte(text))"},
	{"bytes-of-strings", "text string", "[]byte", "return bytes.ToLower([]byte(text))"},
	{"bytes-string-bytes", "b *bytes.Buffer", "string", "return b.String()"},
	{"bytes-string-read", "b *bytes.Buffer, use func(string)", "", "use(b.String())"},
	{"bytes-string-written", "b *bytes.Buffer, write func(string)", "", "write(b.String())"},
	{"container-list-queue", "l *list.List", "", "l.PushBack(1)"},
	{"container-list-queue", "", "int", "l := list.New()\nfor i := range 9 {\n\tl.PushBack(i)\n}\nn := 0\nfor e := l.Front(); e != nil; e = e.Next() {\n\tl.MoveToFront(e)\n\tn++\n}\nreturn n"},
	{"errors-as-type", "err error", "bool", "var t interface{ Timeout() bool }\nreturn errors.As(err, &t) && t.Timeout()"},
	{"errors-new-constant", "text string", "error", "return errors.New(text)"},
	{"errors-new-constant", "err error", "error", "return fmt.Errorf(\"reading: %w\", err)"},
	{"filepath-abs", "name string", "string", "p, _ := filepath.Abs(name)\nreturn p"},
	{"filepath-join-entry", "dir string, list []string", "int", "n := 0\nfor _, s := range list {\n\tn += len(filepath.Join(dir, s))\n}\nreturn n"},
	{"filepath-walk", "root string", "int64", "n := int64(0)\nfilepath.Walk(root, func(path string, info fs.FileInfo, err error) error {\n\tn += info.Size()\n\treturn nil\n})\nreturn n"},
	{"filepath-walk", "root string, f filepath.WalkFunc", "error", "return filepath.Walk(root, f)"},
	{"fmt-fprintf-bytes", "w *bytes.Buffer, b []byte", "", "fmt.Fprintf(w, \"%10s\", b)"},
	{"fmt-fscan-words", "r io.Reader", "int", "n := 0\nfmt.Fscan(r, &n)\nreturn n"},
	{"fmt-fscan-words", "r io.Reader, all []big.Int", "", "for i := range all {\n\tfmt.Fscan(r, &all[i])\n}"},
	{"fmt-print-loop", "w *bufio.Writer, list []error", "", "for _, err := range list {\n\tfmt.Fprintln(w, err)\n}"},
	{"fmt-print-loop", "f *os.File, err error", "", "fmt.Fprintln(f, err)"},
	{"fmt-sprint-alone", "v any", "string", "return fmt.Sprint(v)"},
	{"fmt-sprint-alone", "v reflect.Value", "string", "return fmt.Sprint(v)"},
	{"fmt-sprint-error", "err error", "string", "return fmt.Sprintf(\"%q\", err)"},
	{"fmt-sprint-stringer", "list []time.Duration", "string", "return fmt.Sprintf(\"%v\", list)"},
	{"fmt-sprintf-appended", "b []byte, n int", "string", "s := fmt.Sprintf(\"%08d\", n)\nb = append(b, s...)\nreturn s"},
	{"fmt-sprintf-as-bytes", "n int", "string", "s := fmt.Sprintf(\"%08d\", n)\nif []byte(s)[0] == 0 {\n\treturn \"\"\n}\nreturn s"},
	{"fmt-sprintf-bytes", "b []byte", "string", "return fmt.Sprintf(\"%v\", b)"},
	{"fmt-sprintf-hex", "ip net.IP", "string", "return fmt.Sprintf(\"%x\", ip)"},
	{"fmt-sprintf-hex", "n int", "string", "return fmt.Sprintf(\"%x\", n)"},
	{"fmt-sprintf-key", "m map[string]int, x, y int", "string", "k := fmt.Sprintf(\"%d:%d\", x, y)\nm[k]++\nreturn k"},
	{"fmt-sprintf-key", "m map[string]int, d time.Duration", "int", "return m[fmt.Sprintf(\"%v\", d)]"},
	{"fmt-sprintf-key", "m map[string]int, x int", "int", "return m[fmt.Sprintf(\"%5d\", x)]"},
	{"fmt-sprintf-rounded", "x float64", "string", "return fmt.Sprintf(\"%8.2f\", x)"},
	{"fmt-sprintf-steady", "n int, list []string", "string", "for _, s := range list {\n\tif s == \"\" {\n\t\treturn fmt.Sprintf(\"%06d\", n)\n\t}\n}\nreturn \"\""},
	{"fmt-sprintf-steady", "d time.Duration, list []string", "int", "n := 0\nfor range list {\n\tn += len(fmt.Sprintf(\"%8v\", d))\n}\nreturn n"},
	{"fmt-sprintf-written", "n int, write func(string)", "", "write(fmt.Sprintf(\"%08d\", n))"},
	{"fmt-sprintf-written", "h http.Header, n int", "", "h.Set(\"n\", fmt.Sprintf(\"%08d\", n))"},
	{"fmt-sscan-number", "text string", "big.Int", "var n big.Int\nfmt.Sscan(text, &n)\nreturn n"},
	{"fmt-sscanf-number", "text string", "int", "n := 0\nfmt.Sscanf(text, \"%5d\", &n)\nreturn n"},
	{"hex-key", "list []int, sum []byte", "string", "k := hex.EncodeToString(sum)\nlist[len(k)]++\nreturn k"},
	{"math-hypot-compared", "x, y, r float64", "bool", "return math.Hypot(x, y) < r"},
	{"math-log2-integer", "n int", "float64", "return math.Log2(float64(n))"},
	{"math-log2-integer", "x float64", "int", "return int(math.Log2(x))"},
	{"math-mod-integers", "x float64, n int", "float64", "return math.Mod(x, float64(n))"},
	{"math-pow-root", "x float64", "float64", "return math.Pow(x, 1.5)"},
	{"math-pow-square", "x, y float64", "float64", "return math.Pow(x, y)"},
	{"math-pow-two", "x float64", "float64", "return math.Pow(2, x)"},
	{"math-sincos", "x float64", "float64", "s := math.Sin(x)\nx++\nreturn s + math.Cos(x)"},
	{"path-steady", "list []string", "int", "n := 0\nfor _, s := range list {\n\tn += len(path.Join(\"data\", s))\n}\nreturn n"},
	{"rand-perm-first", "n int", "int", "p := rand.Perm(n)\nreturn p[0] + p[n-1]"},
	{"regexp-find-tested", "re *regexp.Regexp, text string", "bool", "m := re.FindStringSubmatch(text)\nreturn len(m) > 1"},
	{"regexp-find-tested", "re *regexp.Regexp, text string", "string", "m := re.FindStringSubmatch(text)\nif m == nil {\n\treturn \"\"\n}\nreturn m[1]"},
	{"regexp-findall-first", "re *regexp.Regexp, text string, n int", "string", "return re.FindAllString(text, n)[0]"},
	{"regexp-findall-first", "re *regexp.Regexp, text string", "string", "m := re.FindAllString(text, -1)\nif len(m) > 1 {\n\treturn m[0]\n}\nreturn text"},
	{"regexp-findall-tested", "re *regexp.Regexp, text string", "bool", "return re.FindAllString(text, 0) != nil"},
	{"regexp-match-any", "text string", "bool", "return regexp.MustCompile(`^.*error [0-9]+`).MatchString(text)"},
	{"regexp-match-any", "text string", "bool", "return regexp.MustCompile(`.*error [0-9]+|.*warning`).MatchString(text)"},
	{"regexp-submatch-whole", "re *regexp.Regexp, text string", "string", "m := re.FindStringSubmatch(text)\nreturn m[0] + m[1]"},
	{"runes-first", "text string, i int", "rune", "return []rune(text)[i]"},
	{"runes-first", "text string", "rune", "r := []rune(text)\nr[0] = 'x'\nreturn r[0]"},
	{"runes-last", "text string", "rune", "r := []rune(text)\nreturn r[len(r)-2]"},
	{"slices-collect-counted", "m map[string]int", "[]string", "keys := slices.Collect(maps.Keys(m))\nif len(keys) == 0 {\n\treturn nil\n}\nreturn keys"},
	{"slices-collect-ranged", "m map[string]int", "int", "n := 0\nfor i := range slices.Collect(maps.Keys(m)) {\n\tn += i\n}\nreturn n"},
	{"slices-contains-in-loop", "names []string", "int", "n := 0\nwanted := []string{\"a\", \"b\"}\nfor _, name := range names {\n\tif slices.Contains(wanted, name) {\n\t\tn++\n\t}\n}\nreturn n"},
	{"slices-contains-in-loop", "names []string", "int", "var seen []string\nfor _, name := range names {\n\tif !slices.Contains(seen, name) {\n\t\tseen = append(seen, name)\n\t}\n}\nreturn len(seen)"},
	{"slices-index-in-loop", "names []string, change func([]string)", "int", "n := 0\nfor _, name := range names {\n\tn += slices.Index(names, name)\n\tchange(names)\n}\nreturn n"},
	{"sort-in-loop", "lists [][]int", "", "for _, list := range lists {\n\tslices.Sort(list)\n}"},
	{"sort-slice-typed", "list [][20]string", "", "sort.Slice(list, func(i, j int) bool { return list[i][0] < list[j][0] })"},
	{"sort-slice-typed", "list any, less func(i, j int) bool", "", "sort.Slice(list, less)"},
	{"strconv-digit", "text string", "int", "n, _ := strconv.Atoi(text)\nreturn n"},
	{"strconv-format-appended", "b []string, n int", "[]string", "return append(b, strconv.Itoa(n))"},
	{"strconv-format-as-bytes", "n int", "string", "return strconv.Itoa(n)"},
	{"strconv-format-written", "b *strings.Builder, n int", "string", "s := strconv.Itoa(n)\nb.WriteString(s)\nreturn s"},
	{"strconv-key", "list []string, n int", "string", "list[n] = strconv.Itoa(n)\nreturn list[n]"},
	{"string-of-bytes-read", "b []byte, use func(string)", "", "use(string(b))"},
	{"string-of-bytes-regexp", "re *regexp.Regexp, b []byte", "string", "return re.FindString(string(b))"},
	{"string-of-bytes-runes", "b []byte", "string", "s := string(b)\nif utf8.ValidString(s) {\n\treturn s\n}\nreturn \"\""},
	{"string-of-bytes-strings", "b []byte", "[]string", "return strings.Split(string(b), \",\")"},
	{"string-of-bytes-strings", "b []byte", "bool", "s := string(b)\nb[0] = 'x'\nreturn strings.Contains(s, \"x\")"},
	{"string-of-bytes-strings", "s string, b []byte", "bool", "return strings.Contains(s, string(b))"},
	{"string-of-bytes-written", "b []byte, list *[]string", "", "*list = append(*list, string(b))"},
	{"strings-case-rune", "text string", "string", "return strings.ToUpper(text[:1])"},
	{"strings-compare-equal", "a, b string", "bool", "return strings.Compare(a, b) < 0"},
	{"strings-count-contains", "text string", "bool", "return strings.Count(text, \",\") > 1"},
	{"strings-fields-ranged", "text string", "int", "n := 0\nfor i := range strings.Fields(text) {\n\tn += i\n}\nreturn n"},
	{"strings-fieldsfunc-space", "text string", "[]string", "return strings.FieldsFunc(text, unicode.IsPunct)"},
	{"strings-index-prefix", "text string", "bool", "return strings.Index(text, \",\") > 0"},
	{"strings-join-written", "parts []string, write func(string)", "", "write(strings.Join(parts, \",\"))"},
	{"strings-lower-folded", "text string, same func(a, b string) bool", "bool", "return same(strings.ToLower(text), text)"},
	{"strings-lower-prefix", "text string", "bool", "return strings.HasPrefix(strings.ToLower(text), \"Bearer\")"},
	{"strings-lower-prefix", "text, start string", "bool", "return strings.HasPrefix(strings.ToLower(text), start)"},
	{"strings-lower-prefix", "text string", "bool", "return strings.HasPrefix(strings.ToLower(text), \"größe\")"},
	{"strings-of-bytes", "b []byte", "string", "return strings.ToLower(string(b))"},
	{"strings-replace-chain", "text string", "string", "return strings.ReplaceAll(strings.ReplaceAll(text, \"a\", \"b\"), \"c\", \"d\")"},
	{"strings-replace-chain", "text string", "string", "return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(text, \"<\", \"&\"), \"&\", \"&amp;\"), \">\", \"&gt;\")"},
	{"strings-replace-chain", "text, by string", "string", "return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(text, \"a\", by), \"c\", \"d\"), \"e\", \"f\")"},
	{"strings-replacer-written", "r *strings.Replacer, text string", "string", "return r.Replace(text)"},
	{"strings-split-joined", "text string", "string", "return strings.Join(strings.Split(text, \"\"), \"-\")"},
	{"strings-split-joined", "text, sep string", "string", "return strings.Join(strings.Split(text, sep), \"-\")"},
	{"strings-split-last", "text string", "string", "p := strings.Split(text, \",\")\nreturn p[len(p)-2]"},
	{"strings-split-last", "text string", "string", "p := strings.Split(text, \",\")\nreturn p[0] + p[len(p)-1]"},
	{"strings-split-last", "text string, q []string", "string", "p := strings.Split(text, \",\")\nreturn p[len(q)-1]"},
	{"strings-splitn-pair", "text string", "[]string", "return strings.SplitN(text, \",\", 2)"},
	{"strings-splitn-pair", "text string", "string", "p := strings.SplitN(text, \",\", 3)\nreturn p[1]"},
	{"strings-splitn-pair", "text, sep string", "string", "return strings.SplitN(text, sep, 2)[0]"},
	{"strings-steady", "list []string", "int", "n := 0\nfor _, s := range list {\n\tn += len(strings.ToUpper(s))\n}\nreturn n"},
	{"strings-trimfunc-space", "text string", "string", "return strings.TrimFunc(text, unicode.IsDigit)"},
	{"time-after-in-loop", "c chan int", "int", "select {\ncase x := <-c:\n\treturn x\ncase <-time.After(time.Second):\n}\nreturn 0"},
	{"time-after-in-loop", "n int", "", "for range n {\n\t<-time.After(time.Second)\n}"},
	{"time-date-parts", "t, u time.Time", "int", "return t.Year() + int(u.Month()) + t.Day()"},
	{"time-format-appended", "t time.Time", "string", "s := t.Format(time.RFC3339)\nb := append([]byte(\"x\"), s...)\nreturn s + string(b)"},
	{"time-format-zulu", "t time.Time", "string", "return t.Format(\"2006-01-02T15:04:05Z\")"},
	{"time-loadlocation-kept", "name string, zones map[string]*time.Location", "", "at, err := time.LoadLocation(name)\nif err == nil {\n\tzones[name] = at\n}"},
	{"time-now-each", "list []float64", "time.Duration", "var sum time.Duration\nfor i := range list {\n\tstart := time.Now()\n\tlist[i] *= 2\n\tsum += time.Since(start)\n}\nreturn sum"},
	{"time-now-each", "t time.Time", "", "for t.After(time.Now()) {\n}"},
	{"time-now-each", "times []time.Time, work func()", "int", "n := 0\nfor _, t := range times {\n\twork()\n\tif t.Before(time.Now()) {\n\t\tn++\n\t}\n}\nreturn n"},
	{"time-now-each", "times chan time.Time", "int", "n := 0\nfor t := range times {\n\tif t.Before(time.Now()) {\n\t\tn++\n\t}\n}\nreturn n"},
	{"time-now-sub", "t time.Time", "time.Time", "now := time.Now()\nif now.Sub(t) > time.Hour {\n\treturn t\n}\nreturn now"},
	{"time-parse-zulu", "layout, text string", "int", "t, _ := time.Parse(layout, text)\nreturn t.Year()"},
	{"unicode-is-table", "r rune", "bool", "return unicode.Is(unicode.Han, r)"},
}

func TestKnowledgeSilent(t *testing.T) {
	reg, err := diagnose.NewRegistry(rules.All()...)
	if err != nil {
		t.Fatal(err)
	}
	rows := knowledge.Table()
	for _, s := range silent {
		t.Run(s.row, func(t *testing.T) {
			i := slices.IndexFunc(rows, func(r knowledge.Row) bool { return r.ID == s.row })
			if i < 0 {
				t.Fatal("there is no such row")
			}
			row := knowledge.Row{Callees: rows[i].Callees, Example: knowledge.Example{Params: s.params, Result: s.result, Imports: rows[i].Example.Imports}}
			for _, f := range findingsOf(t, reg, &row, s.body) {
				if strings.HasPrefix(f.Row, s.row) {
					t.Errorf("line %d: %s: %s", f.Line, f.Row, f.Why)
				}
			}
		})
	}
}
