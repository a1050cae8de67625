package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"whet/internal/parcel"
	"whet/internal/record"
	"whet/internal/recording"
)

// oldRecording is one of code of this module, which package read has for its tests.
func oldRecording(t *testing.T, name string) string {
	t.Helper()
	return parcel.Unpack(t, "../read/testdata/visits.tar.zst", name+".whet")
}

// languageServer runs whet lines -lsp, and returns its streams and its exit code.
func languageServer(t *testing.T, args ...string) (to io.WriteCloser, from io.Reader, code <-chan int, errs *bytes.Buffer) {
	t.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	ended, errs := make(chan int, 1), &bytes.Buffer{}
	go func() {
		ended <- Run(context.Background(), args, in, out, errs)
		out.Close()
		in.Close()
	}()
	t.Cleanup(func() { to.Close(); in.Close(); out.Close() })
	return to, from, ended, errs
}

type lspRange struct {
	Start, End struct{ Line, Character int }
}

// TestLanguageServer is an editor's session: another implementation of the framing
// talks over the streams.
func TestLanguageServer(t *testing.T) {
	to, from, code, errs := languageServer(t, "lines", "-lsp", oldRecording(t, "visits-service"))
	published := make(chan json.RawMessage, 10)
	client := jrpc2.NewClient(channel.LSP(from, to), &jrpc2.ClientOptions{OnNotify: func(r *jrpc2.Request) {
		if r.Method() == "textDocument/publishDiagnostics" {
			published <- json.RawMessage(r.ParamString())
		}
	}})
	ctx := t.Context()
	call := func(method string, params, result any) {
		t.Helper()
		if err := client.CallResult(ctx, method, params, result); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
	}
	notify := func(method string, params any) {
		t.Helper()
		if err := client.Notify(ctx, method, params); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
	}
	type object = map[string]any
	file, err := filepath.Abs("../../casebook/visits/original/handler.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	uri := "file://" + filepath.ToSlash(file)
	document := object{"textDocument": object{"uri": uri}}

	// Nothing is answered before initialize, and what is not known is reported.
	var coded jrpc2.ErrCoder
	if _, err := client.Call(ctx, "textDocument/hover", document); !asCode(err, &coded) || coded.ErrCode() != -32002 {
		t.Errorf("hover before initialize: %v", err)
	}
	var initialized struct {
		Capabilities struct {
			PositionEncoding string
			CodeLensProvider *struct{}
			HoverProvider    bool
			TextDocumentSync struct{ Change int }
		}
	}
	call("initialize", object{"rootUri": nil, "capabilities": object{"textDocument": object{"hover": object{"contentFormat": []string{"markdown"}}}}}, &initialized)
	if c := initialized.Capabilities; c.PositionEncoding != "utf-16" || c.CodeLensProvider == nil || !c.HoverProvider || c.TextDocumentSync.Change != 1 {
		t.Errorf("capabilities %+v", c)
	}
	notify("initialized", object{})
	if _, err := client.Call(ctx, "textDocument/definition", document); !asCode(err, &coded) || coded.ErrCode() != jrpc2.MethodNotFound {
		t.Errorf("an unknown method: %v", err)
	}
	notify("$/unknown", object{"x": 1})

	// A comment of two lines was put in front, with a character of two UTF-16 units,
	// and the line that logs was indented after one.
	edited := "// 😀\n//\n" + string(text)
	notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "go", "version": 3, "text": edited}})
	var diagnostics struct {
		URI         string
		Version     int
		Diagnostics []struct {
			Range           lspRange
			Severity        int
			Source, Message string
		}
	}
	next := func() {
		t.Helper()
		select {
		case data := <-published:
			diagnostics.Diagnostics = nil
			if err := json.Unmarshal(data, &diagnostics); err != nil {
				t.Fatal(err)
			}
		case <-ctx.Done():
			t.Fatal("no diagnostics came")
		}
	}
	next()
	logs := lineOf(t, edited, ".Info(visits.Message)")
	found := false
	for _, d := range diagnostics.Diagnostics {
		found = found || d.Range.Start.Line == logs && strings.Contains(d.Message, "of CPU time") && d.Source == "whet"
	}
	if diagnostics.URI != uri || diagnostics.Version != 3 || !found {
		t.Errorf("diagnostics %+v: none at line %d", diagnostics, logs)
	}

	var lenses []struct {
		Range   lspRange
		Command struct{ Title, Command string }
	}
	call("textDocument/codeLens", document, &lenses)
	serve, above := lineOf(t, edited, ") ServeHTTP("), 0
	for _, l := range lenses {
		if l.Range.Start.Line == serve || l.Range.Start.Line == logs {
			above++
			if !strings.Contains(l.Command.Title, "of CPU time") || !strings.Contains(l.Command.Title, "of allocated bytes") {
				t.Errorf("a lens says %q", l.Command.Title)
			}
		}
	}
	if above != 2 {
		t.Errorf("%d lenses above ServeHTTP and its hottest line: %+v", above, lenses)
	}

	var hover struct {
		Contents struct{ Kind, Value string }
		Range    lspRange
	}
	at := func(line int) object {
		return object{"textDocument": object{"uri": uri}, "position": object{"line": line, "character": 5}}
	}
	call("textDocument/hover", at(logs), &hover)
	if hover.Contents.Kind != "markdown" || hover.Range.Start.Line != logs || !strings.Contains(hover.Contents.Value, "original.(*Handler).ServeHTTP") || !strings.Contains(hover.Contents.Value, "of CPU time") {
		t.Errorf("hover %+v", hover)
	}
	var none any
	for _, line := range []int{0, 1_000_000, -1} {
		if call("textDocument/hover", at(line), &none); none != nil {
			t.Errorf("hover at line %d: %v", line, none)
		}
	}

	// The line changes: its figures are gone, those of others stay.
	notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": 4}, "contentChanges": []object{{"text": strings.Replace(edited, ".Info(visits.Message)", ".Warn(visits.Message)", 1)}}})
	next()
	for _, d := range diagnostics.Diagnostics {
		if d.Range.Start.Line == logs {
			t.Errorf("a line that changed has %q", d.Message)
		}
	}
	if diagnostics.Version != 4 {
		t.Errorf("version %d", diagnostics.Version)
	}
	// Another file, one that is none, and one that is not open.
	for _, uri := range []string{"untitled:x", "file:///nowhere/x.go", "%zz"} {
		notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "version": 1, "text": "package x\n"}})
		if next(); len(diagnostics.Diagnostics) != 0 || diagnostics.URI != uri {
			t.Errorf("%s: %+v", uri, diagnostics)
		}
		lenses = nil
		if call("textDocument/codeLens", object{"textDocument": object{"uri": uri}}, &lenses); len(lenses) != 0 {
			t.Errorf("%s: %+v", uri, lenses)
		}
	}
	notify("textDocument/didClose", document)
	if next(); diagnostics.URI != uri || len(diagnostics.Diagnostics) != 0 {
		t.Errorf("after it was closed: %+v", diagnostics)
	}
	call("shutdown", nil, &none)
	if _, err := client.Call(ctx, "textDocument/hover", document); !asCode(err, &coded) || coded.ErrCode() != jrpc2.InvalidRequest {
		t.Errorf("hover after shutdown: %v", err)
	}
	notify("exit", nil)
	if got := <-code; got != 0 || errs.Len() > 0 {
		t.Errorf("exit code %d, %s", got, errs)
	}
	client.Close()
}

func asCode(err error, coded *jrpc2.ErrCoder) bool {
	c, ok := err.(jrpc2.ErrCoder)
	*coded = c
	return ok
}

// lineOf returns the line, from 0, of a text's only one that holds words.
func lineOf(t *testing.T, text, words string) int {
	t.Helper()
	before, _, ok := strings.Cut(text, words)
	if !ok {
		t.Fatalf("no %q", words)
	}
	return strings.Count(before, "\n")
}

// TestLanguageServerFollows: without a recording there is nothing to say; the editor
// tells of a new one, is told what it knows, and is asked to ask for lenses again.
func TestLanguageServerFollows(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "casebook", "visits", "original", "handler.go")
	text, err := os.ReadFile("../../casebook/visits/original/handler.go")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, data := range map[string]string{filepath.Join(dir, "go.mod"): "module whet\n\ngo 1.26\n", name: string(text)} {
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recorded := os.DirFS(oldRecording(t, "visits-service"))
	to, from, code, errs := languageServer(t, "lines", "-lsp")
	published, asked := make(chan string, 10), make(chan string, 10)
	client := jrpc2.NewClient(channel.LSP(from, to), &jrpc2.ClientOptions{
		OnNotify: func(r *jrpc2.Request) { published <- r.ParamString() },
		OnCallback: func(_ context.Context, r *jrpc2.Request) (any, error) {
			asked <- r.Method() + r.ParamString()
			return nil, nil
		},
	})
	defer client.Close()
	ctx := t.Context()
	type object = map[string]any
	uri := "file://" + filepath.ToSlash(name)
	workspace := object{"didChangeWatchedFiles": object{"dynamicRegistration": true}, "codeLens": object{"refreshSupport": true}}
	if _, err := client.Call(ctx, "initialize", object{"workspaceFolders": []object{{"uri": "file://" + filepath.ToSlash(dir)}}, "capabilities": object{"workspace": workspace}}); err != nil {
		t.Fatal(err)
	}
	for _, n := range []struct {
		method string
		params any
	}{
		{"initialized", object{}},
		{"textDocument/didOpen", object{"textDocument": object{"uri": uri, "version": 1, "text": string(text)}}},
	} {
		if err := client.Notify(ctx, n.method, n.params); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-asked; !strings.Contains(got, "client/registerCapability") || !strings.Contains(got, ".whet/*/recording.json") {
		t.Errorf("asked for %s", got)
	}
	if got := <-published; strings.Contains(got, "CPU time") {
		t.Errorf("without a recording: %s", got)
	}
	if err := os.CopyFS(filepath.Join(dir, ".whet", "visits.whet"), recorded); err != nil {
		t.Fatal(err)
	}
	// A newer one, of a load, has no figures of lines.
	addLoad(t, filepath.Join(dir, ".whet", "load.whet"))
	if err := client.Notify(ctx, "workspace/didChangeWatchedFiles", object{"changes": []object{}}); err != nil {
		t.Fatal(err)
	}
	if got := <-published; !strings.Contains(got, "CPU time") || !strings.Contains(got, uri) {
		t.Errorf("with a recording: %s", got)
	}
	if got := <-asked; !strings.Contains(got, "workspace/codeLens/refresh") {
		t.Errorf("asked for %s", got)
	}
	if _, err := client.Call(ctx, "shutdown", nil); err != nil {
		t.Error(err)
	}
	if err := client.Notify(ctx, "exit", nil); err != nil {
		t.Error(err)
	}
	if got := <-code; got != 0 || errs.Len() > 0 {
		t.Errorf("exit code %d, %s", got, errs)
	}
}

// addLoad writes a recording without profiles, but for one from before the load.
func addLoad(t *testing.T, path string) {
	t.Helper()
	rec, err := record.Create(record.Run{Path: path, Kind: "load", Target: "http://127.0.0.1:1/", Origin: time.Now(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Write(recording.Artifact{Path: "profiles/cpu-before.pb.gz", Kind: recording.KindCPU, Part: recording.PartBefore}, []byte("unread")); err != nil {
		t.Fatal(err)
	}
	if _, err := rec.Finish(""); err != nil {
		t.Fatal(err)
	}
}

// TestLanguageServerBadMessages: a message that is wrong has an answer or ends the
// conversation with one line that says what is wrong, never with a panic or memory
// for what a header promises.
func TestLanguageServerBadMessages(t *testing.T) {
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	hello := frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	bye := frame(`{"jsonrpc":"2.0","id":9,"method":"shutdown"}`) + frame(`{"jsonrpc":"2.0","method":"exit"}`)
	for _, tt := range []struct {
		name, sent string
		answer     string // of what is answered
		code       int
		said       string // on stderr
	}{
		{"nothing", "", "", 1, "without shutdown"},
		{"no shutdown", hello + frame(`{"jsonrpc":"2.0","method":"exit"}`), `"id":1`, 1, "without shutdown"},
		{"not JSON", hello + frame("{not json") + bye, "-32700", 0, ""},
		{"another version", hello + frame(`{"jsonrpc":"1.0","id":2,"method":"x"}`) + bye, "-32600", 0, ""},
		{"params of another type", hello + frame(`{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":7}}`) + bye, "-32602", 0, ""},
		{"an unknown method", hello + frame(`{"jsonrpc":"2.0","id":2,"method":"rpc.serverInfo"}`) + bye, "-32601", 0, ""},
		{"twice initialize", hello + strings.Replace(hello, `"id":1`, `"id":2`, 1) + bye, "initialize was already called", 0, ""},
		{"too long", hello + "Content-Length: 9223372036854775807\r\n\r\n{}", `"id":1`, 3, "exceed the limit of 64 MiB"},
		{"a negative length", hello + "Content-Length: -5\r\n\r\n{}", `"id":1`, 3, "is not a length"},
		{"no length", hello + "Content-Type: x\r\n\r\n{}", `"id":1`, 3, "no Content-Length"},
		{"a short length", hello + "Content-Length: 5\r\n\r\n" + `{"jsonrpc":"2.0","id":2,"method":"shutdown"}` + "\r\n\r\n", "-32700", 3, "the length of the previous message may have differed"},
		{"a long length", hello + "Content-Length: 500\r\n\r\n{}", `"id":1`, 3, "read message: the editor closed the connection in the middle of a message"},
		{"a long header", hello + strings.Repeat("x", 10_000), `"id":1`, 3, "is longer than"},
		{"a header without end", hello + strings.Repeat("X: y\r\n", 100), `"id":1`, 3, "more than 64 lines"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Run(t.Context(), []string{"lines", "-lsp", oldRecording(t, "visits-service")}, strings.NewReader(tt.sent), &out, &errs)
			if code != tt.code || !strings.Contains(out.String(), tt.answer) || !strings.Contains(errs.String(), tt.said) || strings.Count(errs.String(), "\n") > 1 {
				t.Errorf("exit code %d, stderr %q, answers %q", code, errs.String(), out.String())
			}
		})
	}
}
