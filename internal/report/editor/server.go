package editor

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"

	"whet/internal/report/listing"
)

// Pages returns the page of the newest recording of the module around a directory,
// "" for the one that the program works in. It is asked often, and says the same
// page again as long as there is no newer one.
type Pages func(ctx context.Context, root string) (*listing.Page, error)

// ErrNoShutdown is the error of an editor that closed the connection without a shutdown
// request.
var ErrNoShutdown = errors.New("the editor closed the connection without shutdown")

// Codes of errors, besides those of JSON-RPC.
const notInitialized = jrpc2.Code(-32002)

// Serve talks with an editor until it leaves. Version is whet's.
func Serve(ctx context.Context, r io.Reader, w io.Writer, version string, pages Pages) error {
	s := &server{pages: pages, version: version, documents: make(map[string]*document)}
	s.rpc = jrpc2.NewServer(s, &jrpc2.ServerOptions{AllowPush: true, DisableBuiltin: true, Concurrency: 1,
		NewContext: func() context.Context { return ctx }})
	s.rpc.Start(newFrames(r, nopCloser{w}))
	defer context.AfterFunc(ctx, s.rpc.Stop)()
	err := s.rpc.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.exited && s.down:
		return nil
	case err != nil && !errors.Is(err, io.EOF):
		return err
	}
	return ErrNoShutdown
}

// nopCloser does not close its writer, which may be the standard output.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// server is a conversation.
type server struct {
	rpc     *jrpc2.Server
	pages   Pages
	version string

	mu                  sync.Mutex
	ready, down, exited bool // initialize, shutdown and exit were received
	root                string
	markdown            bool // hovers may be
	watches             bool // the editor tells of files that change
	refreshes           bool // it can be asked to ask for lenses again
	documents           map[string]*document
	shown               *listing.Page // whose diagnostics the editor has
}

// document is a file that is open in the editor.
type document struct {
	textDocument
	lines  []string
	of     *listing.Page // that rows are of
	rows   []placedRow
	starts []placedFunction
}

// Assign finds what answers a method; nil where nothing does.
func (s *server) Assign(_ context.Context, method string) jrpc2.Handler {
	h, ok := handler.Map{
		"initialize":                      handler.New(s.initialize),
		"initialized":                     s.initialized,
		"shutdown":                        s.shutdown,
		"exit":                            s.exit,
		"$/cancelRequest":                 ignore, // messages are taken one at a time
		"$/setTrace":                      ignore,
		"workspace/didChangeWatchedFiles": s.watched,
		"textDocument/didOpen":            handler.New(s.didOpen),
		"textDocument/didChange":          handler.New(s.didChange),
		"textDocument/didSave":            s.watched,
		"textDocument/didClose":           handler.New(s.didClose),
		"textDocument/codeLens":           handler.New(s.codeLens),
		"textDocument/hover":              handler.New(s.hover),
	}[method]
	if !ok {
		return nil
	}
	return func(ctx context.Context, r *jrpc2.Request) (any, error) {
		s.mu.Lock()
		ready, down := s.ready, s.down
		s.mu.Unlock()
		switch {
		case method == "exit":
		case down:
			return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "%s after shutdown", method)
		case ready == (method == "initialize"):
			if ready {
				return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "initialize was already called")
			}
			return nil, jrpc2.Errorf(notInitialized, "%s before initialize", method)
		}
		return h(ctx, r)
	}
}

func ignore(context.Context, *jrpc2.Request) (any, error) { return nil, nil }

func (s *server) initialize(_ context.Context, p initializeParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
	for _, folder := range p.WorkspaceFolders {
		if s.root == "" {
			s.root = pathOf(folder.URI)
		}
	}
	if s.root == "" {
		s.root = pathOf(p.RootURI)
	}
	s.markdown = slices.Contains(p.Capabilities.TextDocument.Hover.ContentFormat, "markdown")
	s.watches = p.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration
	s.refreshes = p.Capabilities.Workspace.CodeLens.RefreshSupport
	const full = 1
	return handler.Obj{
		"capabilities": handler.Obj{
			"positionEncoding": "utf-16",
			"textDocumentSync": handler.Obj{"openClose": true, "change": full, "save": true},
			"codeLensProvider": handler.Obj{"resolveProvider": false},
			"hoverProvider":    true,
		},
		"serverInfo": handler.Obj{"name": "whet", "version": s.version},
	}, nil
}

// initialized asks the editor to tell of new recordings, without waiting for its
// answer: an editor that cannot is asked no more than at the next request.
func (s *server) initialized(ctx context.Context, _ *jrpc2.Request) (any, error) {
	if s.watches {
		go s.rpc.Callback(ctx, "client/registerCapability", handler.Obj{"registrations": []handler.Obj{{
			"id": "recordings", "method": "workspace/didChangeWatchedFiles",
			"registerOptions": handler.Obj{"watchers": []handler.Obj{{"globPattern": "**/.whet/*/recording.json"}}},
		}}})
	}
	return nil, nil
}

func (s *server) shutdown(context.Context, *jrpc2.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = true
	return nil, nil
}

func (s *server) exit(context.Context, *jrpc2.Request) (any, error) {
	s.mu.Lock()
	s.exited = true
	s.mu.Unlock()
	s.rpc.Stop()
	return nil, nil
}

// watched looks whether there is a newer recording.
func (s *server) watched(ctx context.Context, _ *jrpc2.Request) (any, error) {
	before := s.shown
	page, err := s.page(ctx)
	if err != nil || page == before {
		return nil, err
	}
	for _, uri := range s.open() {
		s.publish(ctx, uri, page)
	}
	if s.refreshes {
		go s.rpc.Callback(ctx, "workspace/codeLens/refresh", nil)
	}
	return nil, nil
}

// open returns the addresses of the documents that are open.
func (s *server) open() (uris []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uri := range s.documents {
		uris = append(uris, uri)
	}
	slices.Sort(uris)
	return uris
}

// page returns the page of the newest recording.
func (s *server) page(ctx context.Context) (*listing.Page, error) {
	page, err := s.pages(ctx, s.root)
	if err != nil {
		return nil, jrpc2.Errorf(jrpc2.InternalError, "%v", err)
	}
	return page, nil
}

func (s *server) didOpen(ctx context.Context, p documentParams) error {
	s.mu.Lock()
	s.documents[p.TextDocument.URI] = newDocument(p.TextDocument)
	s.mu.Unlock()
	return s.changed(ctx, p.TextDocument.URI)
}

func (s *server) didChange(ctx context.Context, p documentParams) error {
	s.mu.Lock()
	d := s.documents[p.TextDocument.URI]
	if d != nil && len(p.ContentChanges) > 0 {
		p.TextDocument.Text = p.ContentChanges[len(p.ContentChanges)-1].Text
		s.documents[p.TextDocument.URI] = newDocument(p.TextDocument)
	}
	s.mu.Unlock()
	return s.changed(ctx, p.TextDocument.URI)
}

func (s *server) changed(ctx context.Context, uri string) error {
	page, err := s.page(ctx)
	if err != nil {
		return err
	}
	return s.publish(ctx, uri, page)
}

// didClose takes back what was said of a document.
func (s *server) didClose(ctx context.Context, p documentParams) error {
	s.mu.Lock()
	delete(s.documents, p.TextDocument.URI)
	s.mu.Unlock()
	return s.rpc.Notify(ctx, "textDocument/publishDiagnostics", publishedDiagnostics{URI: p.TextDocument.URI, Diagnostics: []diagnostic{}})
}

func newDocument(t textDocument) *document {
	d := &document{textDocument: t}
	if t.Text != "" {
		d.lines = strings.Split(strings.ReplaceAll(t.Text, "\r\n", "\n"), "\n")
	}
	return d
}
