package rules_test

import (
	"fmt"
	"strings"
	"testing"
)

const jsonSource = `package app; import ("io"; json "LIB"; "example.com/otherjson"); var codec json.API; type R = json.Rows

func whole(data []byte) ([]byte, error) { // 3
	var v any // 4
	if err := json.Unmarshal(data, &v); err != nil { // 5
		return nil, err
	}
	return json.Marshal(v) // 8
}

func reply(w io.Writer, v any) { json.NewEncoder(w).Encode(v) } // 11

func part(data []byte, w io.Writer) { // 13
	var m map[string]any // 14
	json.Unmarshal(data, &m) // 15
	log(m["id"]) // 16
	reply(w, m["items"]) // 17
}

func other(w io.Writer) { reply(w, 1) } // 20

func mixed(data []byte) { // 22
	var v any // 23
	json.Unmarshal(data, &v) // 24
	otherjson.Marshal(v) // 25
}

func field(data []byte) { // 28
	var e E // 29
	json.Unmarshal(data, &e) // 30
	e.N++
	json.Marshal(&e) // 32
}

type E struct { // 35
	N int
	Data any
}

func out(data []byte, v any) { // 40
	json.Unmarshal(data, &v) // 41
	json.Marshal(v) // 42
}
func single(data []byte) { // 44
	var e E // 45
	json.Unmarshal(data, &e) // 46
	json.Marshal(e.Data) // 47
}

func scanned(row R) { // 50
	var v any // 51
	row.Scan(&v) // 52
	json.Marshal(v) // 53
}

func text(s string) (string, error) { // 56
	var v any // 57
	codec.UnmarshalFromString(s, &v) // 58
	return codec.MarshalToString(v) // 59
}
`

func TestReencodeByHand(t *testing.T) {
	const j, decode, encode = "encoding/json", " encoding/json.Unmarshal encoding/json.(*decodeState).unmarshal encoding/json.(*decodeState).value", " encoding/json.(*encodeState).marshal encoding/json.(*encodeState).reflectValue"
	rest := stack{frames: "m/app.work:99", n: 500}
	for _, test := range []struct {
		name   string
		lib    string
		cpu    []stack
		want   int
		share  float64
		avoid  float64
		remedy string
	}{
		{"whole: scanning and checking stay", j, []stack{
			{frames: "m/app.whole:5 encoding/json.Unmarshal encoding/json.checkValid encoding/json.stateInString", n: 100},
			{frames: "m/app.whole:5" + decode + " encoding/json.(*decodeState).objectInterface runtime.mapassign_faststr", n: 100},
			{frames: "m/app.whole:5" + decode + " encoding/json.(*decodeState).objectInterface encoding/json.(*decodeState).scanWhile encoding/json.stateInString", n: 30},
			{frames: "m/app.whole:5" + decode + " encoding/json.(*decodeState).objectInterface encoding/json.(*decodeState).scanWhile", n: 20},
			{frames: "m/app.whole:8 encoding/json.Marshal" + encode + " encoding/json.interfaceEncoder encoding/json.mapEncoder.encode", n: 200},
			{frames: "m/app.whole:8 encoding/json.Marshal runtime.growslice runtime.memmove", n: 50}, rest,
		}, 5, 0.5, 0.3, "Hand the bytes on"},
		{"a part, by a function that others call too", j, []stack{
			{frames: "m/app.part:15" + decode + " encoding/json.(*decodeState).object runtime.mapassign_faststr", n: 100},
			{frames: "m/app.part:15" + decode + " encoding/json.(*decodeState).object encoding/json.(*decodeState).valueInterface runtime.mallocgc", n: 100},
			{frames: "m/app.part:17 m/app.reply:11 encoding/json.(*Encoder).Encode" + encode, n: 100},
			{frames: "m/app.other:20 m/app.reply:11 encoding/json.(*Encoder).Encode" + encode, n: 200}, rest,
		}, 15, 0.3, 0.2, "map[string]json.RawMessage"},
		{"a field, encoded with the rest", j, []stack{
			{frames: "m/app.field:30" + decode + " encoding/json.(*decodeState).object", n: 100},
			{frames: "m/app.field:30" + decode + " encoding/json.(*decodeState).object encoding/json.(*decodeState).valueInterface", n: 100},
			{frames: "m/app.field:32 encoding/json.Marshal" + encode + " encoding/json.structEncoder.encode", n: 100},
			{frames: "m/app.field:32 encoding/json.Marshal" + encode + " encoding/json.structEncoder.encode encoding/json.interfaceEncoder", n: 200}, rest,
		}, 30, 0.5, 0.3, "the field Data"},
		{"encoded by another package", j, []stack{{frames: "m/app.mixed:24" + decode + " encoding/json.(*decodeState).valueInterface", n: 300}, {frames: "m/app.mixed:25 example.com/otherjson.Marshal", n: 200}, rest}, 0, 0, 0, ""},
		{"the caller's variable", j, []stack{{frames: "m/app.out:41" + decode + " encoding/json.(*decodeState).valueInterface", n: 300}, {frames: "m/app.out:42 encoding/json.Marshal" + encode, n: 200}, rest}, 0, 0, 0, ""},
		{"never seen encoding", j, []stack{{frames: "m/app.whole:5" + decode + " encoding/json.(*decodeState).valueInterface", n: 500}, rest}, 0, 0, 0, ""},
		{"no types", "", []stack{{frames: "m/app.whole:5" + decode + " encoding/json.(*decodeState).valueInterface", n: 300}, {frames: "m/app.whole:8 encoding/json.Marshal" + encode, n: 200}, rest}, 0, 0, 0, ""},
		{"another library: all of it", "example.com/fastjson", []stack{
			{frames: "m/app.whole:5 example.com/fastjson.Unmarshal example.com/fastjson.scan", n: 300}, {frames: "m/app.whole:8 example.com/fastjson.Marshal", n: 200}, rest,
		}, 5, 0.5, 0.5, "hold them as json.RawMessage"},
		{"another library: of a part scanning stays", "example.com/fastjson", []stack{
			{frames: "m/app.part:15 example.com/fastjson.Unmarshal example.com/fastjson.scan", n: 200},
			{frames: "m/app.part:15 example.com/fastjson.Unmarshal example.com/fastjson.value runtime.mapassign_faststr internal/runtime/maps.(*Map).growToTable", n: 100},
			{frames: "m/app.part:17 m/app.reply:11 example.com/fastjson.(*Encoder).Encode", n: 200}, rest,
		}, 15, 0.5, 0.3, "map[string]json.RawMessage"},
		{"another library: an interface's method, and a string's", "example.com/fastjson", []stack{
			{frames: "m/app.text:58 example.com/fastjson.(*config).UnmarshalFromString example.com/fastjson.scan", n: 300}, {frames: "m/app.text:59 example.com/fastjson.(*config).MarshalToString", n: 200}, rest,
		}, 58, 0.5, 0.5, "Hand the bytes on"},
		{"another library: a field of a struct, by itself: maps and boxing only", "example.com/fastjson", []stack{
			{frames: "m/app.single:46 example.com/fastjson.Unmarshal runtime.slicebytetostring runtime.mallocgc", n: 200},
			{frames: "m/app.single:46 example.com/fastjson.Unmarshal runtime.convTstring runtime.mallocgc", n: 100},
			{frames: "m/app.single:47 example.com/fastjson.Marshal", n: 200}, rest,
		}, 46, 0.5, 0.3, "the field Data as json.RawMessage"},
		{"another library: a field, encoded with the rest", "example.com/fastjson", []stack{
			{frames: "m/app.field:30 example.com/fastjson.Unmarshal runtime.mapassign_faststr", n: 300}, {frames: "m/app.field:32 example.com/fastjson.Marshal", n: 200}, rest,
		}, 0, 0, 0, ""},
		{"another form than JSON", "example.com/msgpack/v5", []stack{
			{frames: "m/app.part:15 example.com/msgpack/v5.Unmarshal runtime.mapassign_faststr", n: 300}, {frames: "m/app.part:17 m/app.reply:11 example.com/msgpack/v5.(*Encoder).Encode", n: 200}, rest,
		}, 15, 0.5, 0.5, "as the package's raw type"},
		{"another library: encoded by a third", "example.com/fastjson", []stack{
			{frames: "m/app.mixed:24 example.com/fastjson.Unmarshal runtime.mapassign_faststr", n: 300}, {frames: "m/app.mixed:25 example.com/otherjson.Marshal", n: 200}, rest,
		}, 0, 0, 0, ""},
		{"no codec of JSON in the standard library", "encoding/xml", []stack{
			{frames: "m/app.whole:5 encoding/xml.Unmarshal runtime.mapassign_faststr", n: 300}, {frames: "m/app.whole:8 encoding/xml.Marshal", n: 200}, rest,
		}, 0, 0, 0, ""},
		{"scanned, not decoded", "example.com/rows", []stack{
			{frames: "m/app.scanned:52 example.com/rows.Scan runtime.mallocgc", n: 300}, {frames: "m/app.scanned:53 example.com/rows.Marshal", n: 200}, rest,
		}, 0, 0, 0, ""},
	} {
		calls := known
		if test.lib == "" {
			calls = nil
		}
		got := said(t, "json-reencode", app(t, strings.Replace(jsonSource, "LIB", test.lib, 1), calls, test.cpu, nil))
		switch {
		case test.want == 0 && len(got) > 0:
			t.Errorf("%s: %s", test.name, got[0].Why)
		case test.want != 0 && (len(got) != 1 || got[0].Line != test.want || !near(got[0].CPURatio, test.share) || !near(got[0].AvoidableCPURatio, test.avoid) || !strings.Contains(got[0].Remedy, test.remedy)):
			t.Errorf("%s: %s", test.name, fmt.Sprintf("%+v", got))
		}
	}
}
