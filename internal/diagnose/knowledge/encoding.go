package knowledge

import (
	"go/ast"
	"go/types"
	"slices"

	"whet/internal/finding"
	"whet/internal/typed"
)

// user is a JSON text that examples decode.
const user = "[]byte(`{\"id\":123,\"name\":\"Ada Lovelace\",\"mail\":\"ada@example.com\",\"tags\":[\"a\",\"b\",\"c\"],\"address\":{\"city\":\"London\",\"street\":\"Main\"}}`)"

// ofEncodings are the rows of packages encoding/..., bufio and compress/....
func ofEncodings() []Row {
	return []Row{
		{
			ID: "binary-read-number", Cause: "general-function", Callees: []string{"encoding/binary.Read"}, When: pointsTo(2, "a number of fixed size", isSizedNumber),
			Cost: "determines the type of its target, and allocates a buffer", Instead: "Read into an array with io.ReadFull (a field of the reading struct, if it reads often), and decode the number from that: order.Uint32(b[:]).", Confidence: finding.High,
			Example: Example{Params: "r *bytes.Reader", Result: "int", Args: "bytes.NewReader(make([]byte, 400))", Decls: "var word [4]byte",
				Before: "r.Seek(0, 0)\nsum := 0\nvar n uint32\nfor binary.Read(r, binary.LittleEndian, &n) == nil {\n\tsum += int(n)\n}\nreturn sum",
				After:  "r.Seek(0, 0)\nsum := 0\nfor {\n\tif _, err := io.ReadFull(r, word[:]); err != nil {\n\t\treturn sum\n\t}\n\tsum += int(binary.LittleEndian.Uint32(word[:]))\n}"},
		},
		{
			ID: "binary-read-struct", Cause: "general-function", Callees: []string{"encoding/binary.Read"}, When: pointsTo(2, "a struct", isStruct),
			Cost: "sets the struct's fields by reflection", Instead: "Read the bytes with io.ReadFull, and set the fields one by one: h.Size = order.Uint32(b[4:]).", Confidence: finding.High,
			Example: Example{Params: "r *bytes.Reader", Result: "int", Args: "bytes.NewReader(make([]byte, 160))",
				Decls:  "type header struct {\n\tKind, Flags uint16\n\tSize uint32\n\tAt uint64\n}\n\nvar raw [16]byte",
				Before: "r.Seek(0, 0)\nsum := 0\nvar h header\nfor binary.Read(r, binary.LittleEndian, &h) == nil {\n\tsum += int(h.Size)\n}\nreturn sum",
				After:  "r.Seek(0, 0)\nsum := 0\nfor {\n\tif _, err := io.ReadFull(r, raw[:]); err != nil {\n\t\treturn sum\n\t}\n\tle := binary.LittleEndian\n\th := header{le.Uint16(raw[:]), le.Uint16(raw[2:]), le.Uint32(raw[4:]), le.Uint64(raw[8:])}\n\tsum += int(h.Size)\n}"},
		},
		{
			ID: "binary-uvarint-memory", Cause: "general-function", Callees: []string{"encoding/binary.ReadUvarint", "encoding/binary.ReadVarint"}, When: ofType(0, "*bytes.Reader", "*bytes.Buffer"),
			Cost: "reads byte by byte through an interface", Instead: "Decode from the bytes themselves: n, size := binary.Uvarint(b); b = b[size:]. A size of 0 means that b ended too early, below 0 that the number is too large.", Confidence: finding.High,
			Example: Example{Params: "b []byte", Result: "int", Args: `bytes.Repeat([]byte{0xac, 0x02}, 100)`,
				Before: "r := bytes.NewReader(b)\nsum := 0\nfor {\n\tn, err := binary.ReadUvarint(r)\n\tif err != nil {\n\t\treturn sum\n\t}\n\tsum += int(n)\n}",
				After:  "sum := 0\nfor len(b) > 0 {\n\tn, size := binary.Uvarint(b)\n\tif size <= 0 {\n\t\treturn sum\n\t}\n\tsum += int(n)\n\tb = b[size:]\n}\nreturn sum"},
		},
		{
			ID: "binary-write-number", Cause: "general-function", Callees: []string{"encoding/binary.Write"}, When: underlying(2, "is a number of fixed size", isSizedNumber),
			Cost: "determines the type of its argument, and allocates a buffer", Instead: "Encode into reused bytes, and write those: order.PutUint32(b[:], n). With a bytes.Buffer or bufio.Writer w, w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), n)); a binary.ByteOrder has no Append methods.", Confidence: finding.High,
			Example: Example{Params: "w *bytes.Buffer, n uint32", Args: "new(bytes.Buffer), 7",
				Before: "w.Reset()\nbinary.Write(w, binary.LittleEndian, n)", After: "w.Reset()\nw.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), n))"},
		},
		{
			ID: "binary-write-struct", Cause: "general-function", Callees: []string{"encoding/binary.Write"}, When: either(underlying(2, "is a struct", isStruct), pointsTo(2, "a struct", isStruct)),
			Cost: "reads the struct's fields by reflection", Instead: "Encode the fields one by one into reused bytes, and write those: order.PutUint32(b[4:], h.Size). With a bytes.Buffer or bufio.Writer, append them to its AvailableBuffer with binary.LittleEndian.AppendUint32; a binary.ByteOrder has no Append methods. Fields named _ are written as zeros.", Confidence: finding.High,
			Example: Example{Params: "w *bytes.Buffer, h header", Args: "new(bytes.Buffer), header{1, 2, 3, 4}",
				Decls:  "type header struct {\n\tKind, Flags uint16\n\tSize uint32\n\tAt uint64\n}",
				Before: "w.Reset()\nbinary.Write(w, binary.LittleEndian, &h)",
				After:  "w.Reset()\nle := binary.LittleEndian\nb := le.AppendUint16(w.AvailableBuffer(), h.Kind)\nb = le.AppendUint16(b, h.Flags)\nb = le.AppendUint32(b, h.Size)\nw.Write(le.AppendUint64(b, h.At))"},
		},
		{
			ID: "json-unmarshal-dropped", Cause: "unused-work", Callees: []string{"encoding/json.Unmarshal"}, When: dropped(1),
			Cost: "builds values for all of its input", Instead: "json.Valid tells whether it is JSON; if the error is needed, decode into a json.RawMessage. Unlike decoding, neither rejects a number too large for a float64.", Confidence: finding.High,
			Example: Example{Params: "data []byte", Result: "bool", Args: user,
				Before: "var v any\nreturn json.Unmarshal(data, &v) == nil", After: "return json.Valid(data)"},
		},
		{
			ID: "json-copy", Cause: "general-function", Callees: []string{"encoding/json.Unmarshal"}, When: all(resultOf(0, "encoding/json.Marshal"), not(intoMap(1), "its target is not a map")),
			Cost: "decodes a value that was encoded only to copy it or to convert its type", Instead: "Copy the value by hand: assign the struct, and clone the slices and maps in it (slices.Clone, maps.Clone) or convert them field by field. Note that JSON drops unexported and omitted fields, turns numbers in an any into float64, and null into nil slices.", Confidence: finding.Medium,
			Example: Example{Params: "u User", Result: "User", Args: `User{7, "Ada", []string{"a", "b"}}`, Decls: "type User struct {\n\tID int\n\tName string\n\tTags []string\n}",
				Before: "data, _ := json.Marshal(u)\nvar out User\njson.Unmarshal(data, &out)\nreturn out", After: "u.Tags = slices.Clone(u.Tags)\nreturn u"},
		},
		{
			ID: "json-map-of-struct", Cause: "general-function", Callees: []string{"encoding/json.Unmarshal"}, When: all(resultOf(0, "encoding/json.Marshal"), madeOfStruct(0), intoMap(1)),
			Cost: "decodes a struct that was encoded only to get its fields in a map", Instead: "Encode a struct that embeds the original beside the added fields: json.Marshal(struct { User; Zone string `json:\"zone\"` }{u, zone}). A field of the outer struct hides the inner one of the same name, and with the tag \"-\" removes it. The keys then come in the order of the fields, not sorted, and the embedded type must not have its own MarshalJSON.", Confidence: finding.Medium,
			Example: Example{Params: "u User, zone string", Result: "string", Args: `User{7, "Ada", []string{"a", "b"}}, "north"`, Decls: "type User struct {\n\tID int `json:\"id\"`\n\tName string `json:\"name\"`\n\tTags []string `json:\"tags\"`\n}",
				Before: "data, _ := json.Marshal(u)\nvar m map[string]any\njson.Unmarshal(data, &m)\nm[\"zone\"] = zone\nout, _ := json.Marshal(m)\nreturn string(out)",
				After:  "out, _ := json.Marshal(struct {\n\tUser\n\tZone string `json:\"zone\"`\n}{u, zone})\nreturn string(out)"},
		},
		{
			ID: "json-unmarshal-keys", Cause: "unused-work", Callees: []string{"encoding/json.Unmarshal"}, When: keysOnly(1),
			Cost: "builds a map of all its input, with a heap value for each key", Instead: "Decode into a struct of the used fields: the decoder only skips the others. A missing key then gives the zero value (a pointer or json.RawMessage tells the difference), keys match in any letter case, and a value of another type is an error.", Confidence: finding.Medium,
			Example: Example{Params: "data []byte", Result: "string", Args: user,
				Before: "var m map[string]any\nif json.Unmarshal(data, &m) != nil {\n\treturn \"\"\n}\nname, _ := m[\"name\"].(string)\nreturn name",
				After:  "var u struct{ Name string }\nif json.Unmarshal(data, &u) != nil {\n\treturn \"\"\n}\nreturn u.Name"},
		},
		{
			ID: "json-decode-keys", Cause: "unused-work", Callees: []string{"encoding/json.(*Decoder).Decode"}, When: keysOnly(0),
			Cost: "builds a map of all its input, with a heap value for each key", Instead: "Decode into a struct of the used fields: the decoder only skips the others. A missing key then gives the zero value (a pointer or json.RawMessage tells the difference), keys match in any letter case, and a value of another type is an error.", Confidence: finding.Medium,
			Example: Example{Params: "r *bytes.Reader", Result: "string", Args: "bytes.NewReader(" + user + ")",
				Before: "r.Seek(0, 0)\nvar m map[string]any\nif json.NewDecoder(r).Decode(&m) != nil {\n\treturn \"\"\n}\nname, _ := m[\"name\"].(string)\nreturn name",
				After:  "r.Seek(0, 0)\nvar u struct{ Name string }\nif json.NewDecoder(r).Decode(&u) != nil {\n\treturn \"\"\n}\nreturn u.Name"},
		},
		{
			ID: "json-marshal-map", Cause: "general-function", Callees: []string{"encoding/json.Marshal", "encoding/json.(*Encoder).Encode"}, When: constantKeys(0),
			Cost: "sorts the keys of a map and looks up its values by reflection", Instead: "Encode a struct with these fields, in the order of the keys: the result is the same.", Confidence: finding.High,
			Example: Example{Params: "id int, name string", Result: "string", Args: `123, "Ada"`,
				Before: "data, _ := json.Marshal(map[string]any{\"id\": id, \"name\": name})\nreturn string(data)",
				After:  "data, _ := json.Marshal(struct {\n\tID int `json:\"id\"`\n\tName string `json:\"name\"`\n}{id, name})\nreturn string(data)"},
		},
		{
			ID: "json-marshal-text", Cause: "general-function", Callees: []string{"encoding/json.Marshal"}, When: plainText,
			Cost: "boxes a string, looks up its type and copies it twice", Instead: "If the string contains nothing that JSON escapes (quotes, backslashes, control characters; <, > and & for HTML), such as digits, letters and most names, put it between quotes: b := make([]byte, 0, len(s)+2); b = append(b, '\"'); b = append(b, s...); b = append(b, '\"'). Hexadecimal digits can be encoded into it directly.", Confidence: finding.Medium,
			Example: Example{Params: "id []byte", Result: "[]byte", Args: `[]byte("0123456789abcdef")`,
				Before: "data, _ := json.Marshal(hex.EncodeToString(id))\nreturn data",
				After:  "data := make([]byte, 2+hex.EncodedLen(len(id)))\ndata[0], data[len(data)-1] = '\"', '\"'\nhex.Encode(data[1:], id)\nreturn data"},
		},
		{
			ID: "json-indent-response", Cause: "general-function", Callees: []string{"encoding/json.MarshalIndent"}, When: passed("net/http.ResponseWriter.Write"),
			Cost: "indents a response, in a separate pass", Instead: "If programs read the response, use json.NewEncoder(w).Encode(v) without indentation, which also sends fewer bytes. It ends with a newline.", Confidence: finding.Medium,
			Example: Example{Params: "w http.ResponseWriter, u User", Args: `&httptest.ResponseRecorder{}, User{7, "Ada", []string{"a", "b"}}`, Decls: "type User struct {\n\tID int\n\tName string\n\tTags []string\n}",
				Before: "data, err := json.MarshalIndent(u, \"\", \"  \")\nif err != nil {\n\treturn\n}\nw.Write(data)", After: "data, err := json.Marshal(u)\nif err != nil {\n\treturn\n}\nw.Write(data)"},
		},
		{
			ID: "hex-encode-appended", Cause: "written-text", Callees: []string{"encoding/hex.EncodeToString"}, When: all(appended, inPlace), Go: "go1.22",
			Cost: "allocates a string", Instead: "Use b = hex.AppendEncode(b, src), which allocates none.", Confidence: finding.High,
			Example: Example{Params: "b, sum []byte", Result: "int", Args: "make([]byte, 0, 100), make([]byte, 32)",
				Before: "b = append(b, hex.EncodeToString(sum)...)\nreturn len(b)", After: "b = hex.AppendEncode(b, sum)\nreturn len(b)"},
		},
		{
			ID: "hex-encode-written", Cause: "written-text", Callees: []string{"encoding/hex.EncodeToString"}, When: all(passed("bytes.(*Buffer).WriteString", "bufio.(*Writer).WriteString"), inPlace), Go: "go1.22",
			Cost: "allocates a string", Instead: "Use w.Write(hex.AppendEncode(w.AvailableBuffer(), src)), which allocates none.", Confidence: finding.High,
			Example: Example{Params: "w *bytes.Buffer, sum []byte", Args: "new(bytes.Buffer), make([]byte, 32)",
				Before: "w.Reset()\nw.WriteString(hex.EncodeToString(sum))", After: "w.Reset()\nw.Write(hex.AppendEncode(w.AvailableBuffer(), sum))"},
		},
		{
			ID: "base64-encode-appended", Cause: "written-text", Callees: []string{"encoding/base64.(*Encoding).EncodeToString", "encoding/base32.(*Encoding).EncodeToString"}, When: all(appended, inPlace), Go: "go1.22",
			Cost: "allocates a string", Instead: "Use b = enc.AppendEncode(b, src), which allocates none.", Confidence: finding.High,
			Example: Example{Params: "b, sum []byte", Result: "int", Args: "make([]byte, 0, 100), make([]byte, 32)",
				Before: "b = append(b, base64.StdEncoding.EncodeToString(sum)...)\nreturn len(b)", After: "b = base64.StdEncoding.AppendEncode(b, sum)\nreturn len(b)"},
		},
		{
			ID: "base64-encode-written", Cause: "written-text", Callees: []string{"encoding/base64.(*Encoding).EncodeToString", "encoding/base32.(*Encoding).EncodeToString"}, When: all(passed("bytes.(*Buffer).WriteString", "bufio.(*Writer).WriteString"), inPlace), Go: "go1.22",
			Cost: "allocates a string", Instead: "Use w.Write(enc.AppendEncode(w.AvailableBuffer(), src)), which allocates none.", Confidence: finding.High,
			Example: Example{Params: "w *bytes.Buffer, sum []byte", Args: "new(bytes.Buffer), make([]byte, 32)",
				Before: "w.Reset()\nw.WriteString(base64.StdEncoding.EncodeToString(sum))", After: "w.Reset()\nw.Write(base64.StdEncoding.AppendEncode(w.AvailableBuffer(), sum))"},
		},
		{
			ID: "hex-decode-bytes", Cause: "needless-copy", Callees: []string{"encoding/hex.DecodeString"}, When: converted(0, "[]byte", "string"), Go: "go1.22",
			Cost: "takes bytes converted to a string, and converts it back to bytes", Instead: "hex.AppendDecode(nil, src) takes bytes, and hex.Decode a reused buffer. For empty input AppendDecode(nil, …) returns nil, DecodeString an empty slice.", Confidence: finding.High,
			Example: Example{Params: "src []byte", Result: "[]byte", Args: `[]byte("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")`,
				Before: "b, _ := hex.DecodeString(string(src))\nreturn b", After: "b, _ := hex.AppendDecode(nil, src)\nreturn b"},
		},
		{
			ID: "base64-decode-bytes", Cause: "needless-copy", Callees: []string{"encoding/base64.(*Encoding).DecodeString", "encoding/base32.(*Encoding).DecodeString"}, When: converted(0, "[]byte", "string"), Go: "go1.22",
			Cost: "takes bytes converted to a string, and converts it back to bytes", Instead: "enc.AppendDecode(nil, src) takes bytes, and enc.Decode a reused buffer. For empty input AppendDecode(nil, …) returns nil, DecodeString an empty slice.", Confidence: finding.High,
			Example: Example{Params: "src []byte", Result: "[]byte", Args: `[]byte("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v")`,
				Before: "b, _ := base64.StdEncoding.DecodeString(string(src))\nreturn b", After: "b, _ := base64.StdEncoding.AppendDecode(nil, src)\nreturn b"},
		},
		{
			ID: "base64-newencoding", Cause: "made-per-call", Callees: []string{"encoding/base64.NewEncoding", "encoding/base32.NewEncoding", "encoding/base64.Encoding.WithPadding", "encoding/base32.Encoding.WithPadding"}, When: all(fixed(0), ofPackage),
			Cost: "builds the tables of an encoding", Instead: "Make it once, in a package variable; base64.RawURLEncoding and RawStdEncoding are the predefined ones without padding.", Confidence: finding.High,
			Example: Example{Params: "src []byte", Result: "string", Args: "make([]byte, 16)", Decls: "const letters = \"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\"\n\nvar crypt = base64.NewEncoding(letters)",
				Before: "return base64.NewEncoding(letters).EncodeToString(src)", After: "return crypt.EncodeToString(src)"},
		},
		{
			ID: "csv-reuse-record", Cause: "unused-work", Callees: []string{"encoding/csv.(*Reader).Read"}, When: all(inLoop, fieldsOnly, receiverNever("ReuseRecord"), lastReads),
			Cost: "allocates a slice for the fields of each record", Instead: "Set ReuseRecord right before the loop, after the header is read: the reader then reuses the slice. The strings in it remain valid.", Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: `strings.Repeat("alpha,beta,12345,gamma\n", 100)`,
				Before: "r := csv.NewReader(strings.NewReader(text))\nn := 0\nfor {\n\trec, err := r.Read()\n\tif err != nil {\n\t\treturn n\n\t}\n\tn += len(rec[1])\n}",
				After:  "r := csv.NewReader(strings.NewReader(text))\nr.ReuseRecord = true\nn := 0\nfor {\n\trec, err := r.Read()\n\tif err != nil {\n\t\treturn n\n\t}\n\tn += len(rec[1])\n}"},
		},
		{
			ID: "csv-readall-ranged", Cause: "ranged-pieces", Callees: []string{"encoding/csv.(*Reader).ReadAll"}, When: all(ranged, oneUse),
			Cost: "keeps all records", Instead: "Call Read in a loop until io.EOF, and set ReuseRecord if no record is kept. The program then processes the records before a malformed one, and only then sees the error.", Confidence: finding.Medium,
			Example: Example{Params: "text string", Result: "int", Args: `strings.Repeat("alpha,beta,12345,gamma\n", 100)`,
				Before: "r := csv.NewReader(strings.NewReader(text))\nall, _ := r.ReadAll()\nn := 0\nfor _, rec := range all {\n\tn += len(rec[1])\n}\nreturn n",
				After:  "r := csv.NewReader(strings.NewReader(text))\nr.ReuseRecord = true\nn := 0\nfor {\n\trec, err := r.Read()\n\tif err != nil {\n\t\treturn n\n\t}\n\tn += len(rec[1])\n}"},
		},
		{
			ID: "scanner-text", Cause: "needless-copy", Callees: []string{"bufio.(*Scanner).Text"}, When: all(lookedAt("it is only read or converted to []byte", lookers...), beforeNext),
			Cost: "allocates a string for the token", Instead: "Use Bytes and the functions of package bytes; clone a []byte that you keep beyond the next Scan.", Confidence: finding.High,
			Example: Example{Params: "r *strings.Reader", Result: "int", Args: `strings.NewReader(strings.Repeat("a line of a log that is somewhat longer than thirty-two bytes\n", 100))`,
				Before: "r.Seek(0, 0)\nin := bufio.NewScanner(r)\nn := 0\nfor in.Scan() {\n\tline := in.Text()\n\tif strings.Contains(line, \"log\") {\n\t\tn += len(line)\n\t}\n}\nreturn n",
				After:  "r.Seek(0, 0)\nin := bufio.NewScanner(r)\nn := 0\nfor in.Scan() {\n\tline := in.Bytes()\n\tif bytes.Contains(line, []byte(\"log\")) {\n\t\tn += len(line)\n\t}\n}\nreturn n"},
		},
		{
			ID: "scanner-text-again", Cause: "made-per-call", Callees: []string{"bufio.(*Scanner).Text"}, When: again([]string{"Scan", "Buffer", "Split"}, []string{"Text", "Bytes", "Err"}, nil),
			Cost: "allocates a string for the token", Instead: "Keep the string in a variable, or use Bytes.", Confidence: finding.High,
			Example: Example{Params: "r *strings.Reader", Result: "int", Args: `strings.NewReader(strings.Repeat("a line of a log that is somewhat longer than thirty-two bytes\n", 100))`,
				Before: "r.Seek(0, 0)\nin, n := bufio.NewScanner(r), 0\nfor in.Scan() {\n\tn += len(strings.TrimSpace(in.Text())) + len(strings.TrimLeft(in.Text(), \"a\"))\n}\nreturn n",
				After:  "r.Seek(0, 0)\nin, n := bufio.NewScanner(r), 0\nfor in.Scan() {\n\tline := in.Text()\n\tn += len(strings.TrimSpace(line)) + len(strings.TrimLeft(line, \"a\"))\n}\nreturn n"},
		},
		{
			ID: "bufio-readstring", Cause: "needless-copy", Callees: []string{"bufio.(*Reader).ReadString"}, When: all(lookedAt("it is only read or converted to []byte", lookers...), beforeNext),
			Cost: "allocates a string for each line", Instead: "ReadSlice returns the line in the buffer itself, valid until the next read; for a line longer than the buffer it returns bufio.ErrBufferFull. Package bytes has the functions of strings for it.", Confidence: finding.Medium,
			Example: Example{Params: "r *bufio.Reader, text string", Result: "int", Args: `bufio.NewReader(nil), strings.Repeat("a line of a log that is somewhat longer than thirty-two bytes\n", 100)`,
				Before: "r.Reset(strings.NewReader(text))\nn := 0\nfor {\n\tline, err := r.ReadString('\\n')\n\tif err != nil {\n\t\treturn n\n\t}\n\tif strings.Contains(line, \"log\") {\n\t\tn += len(line)\n\t}\n}",
				After:  "r.Reset(strings.NewReader(text))\nn := 0\nfor {\n\tline, err := r.ReadSlice('\\n')\n\tif err != nil {\n\t\treturn n\n\t}\n\tif bytes.Contains(line, []byte(\"log\")) {\n\t\tn += len(line)\n\t}\n}"},
		},
		{
			ID: "bufio-readbytes", Cause: "needless-copy", Callees: []string{"bufio.(*Reader).ReadBytes"}, When: all(lookedAtBytes, beforeNext),
			Cost: "copies each line", Instead: "ReadSlice returns the line in the buffer itself, valid until the next read; for a line longer than the buffer it returns bufio.ErrBufferFull.", Confidence: finding.Medium,
			Example: Example{Params: "r *bufio.Reader, text string", Result: "int", Args: `bufio.NewReader(nil), strings.Repeat("a line of a log that is somewhat longer than thirty-two bytes\n", 100)`,
				Before: "r.Reset(strings.NewReader(text))\nn := 0\nfor {\n\tline, err := r.ReadBytes('\\n')\n\tif err != nil {\n\t\treturn n\n\t}\n\tif bytes.Contains(line, []byte(\"log\")) {\n\t\tn += len(line)\n\t}\n}",
				After:  "r.Reset(strings.NewReader(text))\nn := 0\nfor {\n\tline, err := r.ReadSlice('\\n')\n\tif err != nil {\n\t\treturn n\n\t}\n\tif bytes.Contains(line, []byte(\"log\")) {\n\t\tn += len(line)\n\t}\n}"},
		},
		{
			ID: "scanner-over-string", Cause: "needless-copy", Callees: []string{"bufio.(*Scanner).Scan"}, When: all(scansText, receiverNever("Split", "Buffer")), Go: "go1.24",
			Cost: "copies a string in memory to find its lines", Instead: "Range over strings.Lines(s), whose lines keep their newline, or strings.SplitSeq(s, \"\\n\"). A Scanner also drops a \\r, yields no empty line after the last newline, and stops at a line longer than 64 KB.", Confidence: finding.High,
			Example: Example{Params: "text string", Result: "int", Args: `strings.Repeat("a line of a log that is somewhat longer than thirty-two bytes\n", 100)`,
				Before: "in := bufio.NewScanner(strings.NewReader(text))\nn := 0\nfor in.Scan() {\n\tif in.Bytes()[0] == 'a' {\n\t\tn++\n\t}\n}\nreturn n",
				After:  "n := 0\nfor line := range strings.Lines(text) {\n\tif line[0] == 'a' {\n\t\tn++\n\t}\n}\nreturn n"},
		},
		{
			ID: "gob-encoder-per-value", Cause: "made-per-call", Callees: []string{"encoding/gob.(*Encoder).Encode"}, When: all(inLoop, newEncoder),
			Cost: "writes the type's description again, which takes more than the value", Instead: "Use one Encoder, and one Decoder at the other end, for all values of a stream. For values that must be decodable on their own, another encoding takes less: JSON, or a hand-written AppendBinary.", Confidence: finding.Medium,
			Example: Example{Params: "points []point", Args: "make([]point, 20)", Decls: "type point struct{ X, Y int }\n\nvar out bytes.Buffer",
				Before: "out.Reset()\nfor _, p := range points {\n\tgob.NewEncoder(&out).Encode(p)\n}", After: "out.Reset()\nenc := gob.NewEncoder(&out)\nfor _, p := range points {\n\tenc.Encode(p)\n}"},
		},
		{
			ID: "compress-best", Cause: "compression-level", Callees: []string{"compress/gzip.(*Writer).Write", "compress/zlib.(*Writer).Write", "compress/flate.(*Writer).Write", "io.Copy", "io.WriteString"}, When: bestLevel,
			Cost: "compresses at level 9, which searches long for matches", Instead: "Use the default level: its output is 0.1 to 4 % larger. Measure the size of yours.", Confidence: finding.Medium,
			Example: Example{Params: "data []byte", Args: compressible,
				Before: "w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestCompression)\nw.Write(data)\nw.Close()", After: "w := gzip.NewWriter(io.Discard)\nw.Write(data)\nw.Close()"},
		},
	}
}

// compressible is the argument of an example: text of which parts repeat.
const compressible = `func() (b []byte) { x := uint32(1); for len(b) < 30000 { x = x*1664525 + 1013904223; b = fmt.Appendf(b, "user%d got /page/%d in %d ms\n", x>>24, x>>20&63, x>>8&255) }; return b }()`

// isSizedNumber reports whether package encoding/binary takes a number: it refuses
// those whose size depends on the machine.
func isSizedNumber(t types.Type) bool {
	b, ok := typed.Under[*types.Basic](t)
	return ok && typed.IsNumber(t) && !slices.Contains([]types.BasicKind{types.Int, types.Uint, types.Uintptr}, b.Kind())
}

// oneUse holds where no second use of the result, and no loop, needs it again.
var oneUse = Condition{"it is used once", func(c *Call) bool {
	uses := c.In.Results(c.CallExpr)
	return len(uses) == 1 && c.block(c.In.Parent(uses[0])) == c.block(c.CallExpr)
}}

// ofPackage holds of a function, and of a method of what a package variable holds.
var ofPackage = Condition{"its receiver, if any, is a package variable", func(c *Call) bool {
	x := c.receiver()
	if x == nil {
		return !c.In.MethodExpression(c.CallExpr)
	}
	v := c.In.Var(x)
	return v != nil && typed.Global(v)
}}

// lastReads holds where the loop around the call is the last to read by the variable
// that the method is called on, and reads by this call alone.
var lastReads = Condition{"other calls on its receiver are before the loop, and no other loop or function literal after the variable's declaration encloses the loop", func(c *Call) bool {
	v, loop := c.receiverVar(), c.innermost()
	if v == nil || loop == nil {
		return false
	}
	for n := c.In.Parent(loop); n != nil && !(n.Pos() <= v.Pos() && v.Pos() < n.End()); n = c.In.Parent(n) {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			return false
		}
	}
	fn := c.In.FunctionAround(c.Pos())
	for _, use := range c.In.Results(c.CallExpr) {
		if c.In.FunctionAround(use.Pos()) != fn {
			return false
		}
	}
	return !slices.ContainsFunc(c.In.Uses(v), func(id *ast.Ident) bool {
		sel, ok := c.In.Parent(id).(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Read" && c.In.Parent(sel) != c.CallExpr && (id.Pos() > loop.Pos() || c.method(id) == "")
	})
}}

// beforeNext holds where the result is used before what the method is called on can
// go on to the next: between the two nothing but Text, Bytes and Err is asked of it.
var beforeNext = Condition{"it is used before anything else is read", func(c *Call) bool {
	x := c.receiver()
	if x == nil {
		return false
	}
	v, fn := c.In.Var(c.In.Base(x)), c.In.FunctionAround(c.Pos())
	if v == nil {
		return false
	}
	round := ast.Node(fn)
	if loop := c.innermost(); loop != nil {
		round = loop
	}
	return !slices.ContainsFunc(c.In.Results(c.CallExpr), func(use ast.Expr) bool {
		if use == c.CallExpr {
			return false
		}
		end := use.Pos()
		for n := c.In.Parent(use); n != nil && !inside(n, c.CallExpr); n = c.In.Parent(n) {
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				end = n.End()
			}
		}
		return c.In.FunctionAround(use.Pos()) != fn || !inside(round, use) || slices.ContainsFunc(c.In.Uses(v), func(id *ast.Ident) bool {
			return c.End() <= id.Pos() && id.Pos() < end && !slices.Contains([]string{"Text", "Bytes", "Err"}, c.method(id))
		})
	})
}}

func isStruct(t types.Type) bool {
	_, ok := typed.Under[*types.Struct](t)
	return ok
}

// pointsTo holds where an argument is a pointer to something with a property.
func pointsTo(i int, what string, is func(types.Type) bool) Condition {
	return arg(i, "is the address of "+what, func(c *Call, e ast.Expr) bool {
		p, ok := typed.Under[*types.Pointer](c.In.TypeOf(e))
		return ok && is(p.Elem())
	})
}

// lookedAtBytes holds where bytes are only looked at.
var lookedAtBytes = lookedAt("it is only read", "bytes.Contains", "bytes.Count", "bytes.Equal", "bytes.EqualFold", "bytes.HasPrefix", "bytes.HasSuffix",
	"bytes.Index", "bytes.IndexByte", "bytes.LastIndex", "bytes.LastIndexByte", "regexp.(*Regexp).Match", "encoding/json.Unmarshal", "encoding/json.Valid", "bufio.(*Writer).Write", "bytes.(*Buffer).Write", "os.(*File).Write")

// scansText holds of a Scanner over a text in memory.
var scansText = Condition{"it scans a strings.NewReader", func(c *Call) bool {
	x := c.receiver()
	if x == nil {
		return false
	}
	in := c.made(x)
	if in == nil || c.In.Called(in) != "bufio.NewScanner" || len(in.Args) != 1 {
		return false
	}
	over := c.made(in.Args[0])
	return over != nil && c.In.Called(over) == "strings.NewReader"
}}

// newEncoder holds of an Encoder that the loop's own round makes.
var newEncoder = Condition{"its encoder is made in the same round", func(c *Call) bool {
	x, loop := c.receiver(), ast.Stmt(nil)
	if x != nil {
		loop, _ = c.around()
	}
	if loop == nil {
		return false
	}
	call := c.made(x)
	return call != nil && c.In.Called(call) == "encoding/gob.NewEncoder" && inside(loop, call)
}}

// bestLevel holds of a compressor of level 9 that is written to.
var bestLevel = Condition{"it writes to a compressor made with level 9", func(c *Call) bool {
	to := c.receiver()
	if to == nil && len(c.Args) > 0 {
		to = c.Args[0]
	}
	if to == nil {
		return false
	}
	call := c.made(to)
	if call == nil || len(call.Args) < 2 {
		return false
	}
	switch c.In.Called(call) {
	case "compress/gzip.NewWriterLevel", "compress/zlib.NewWriterLevel", "compress/flate.NewWriter":
		n, ok := c.integer(call.Args[1])
		return ok && n == 9
	}
	return false
}}
