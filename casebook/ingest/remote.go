package ingest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"time"
)

// Remote is a sink at an address: a search engine's bulk endpoint.
//
// It keeps one promise of [Sink] as far as the engine does. Where the engine
// takes some documents of a batch and not others, those it took stay; the
// request is answered 502 all the same, and who repeats it sends them twice.
type Remote struct {
	url    string
	client *http.Client
}

// NewRemote returns a sink that posts each batch to an http or https URL, in
// chunks, for the length is not known before the last document has come.
func NewRemote(address string) (*Remote, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read the sink's address: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("read the sink's address %s: want http://host:port/path", u.Redacted())
	}
	return &Remote{url: address, client: &http.Client{
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     90 * time.Second,
			WriteBufferSize:     64 << 10, // one system call where the default makes sixteen
		},
		// To follow is to ask again without the documents, which are gone: the
		// answer to that would be taken for the answer to them.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close ends the connections that wait for another batch.
func (s *Remote) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// Bulk posts one batch. See Sink. When the body fails, the request's chunks
// end without the last one, by which the other side knows to keep nothing.
func (s *Remote) Bulk(ctx context.Context, r io.Reader) error {
	g := &gate{r: r}
	defer g.shut()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, g)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	answer, err := s.client.Do(request)
	if err != nil {
		return &connectionError{err}
	}
	defer answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("the sink answered %s", answer.Status)
	}
	if !g.shut() { // and may go on with its answer for as long as it is sent documents
		return errors.New("the sink answered before it had all documents")
	}
	taken := checkAnswer(answer.Body)
	// So that the connection can be used again.
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return &connectionError{err}
	}
	return taken
}

// checkAnswer returns an error if a bulk answer says that a document was not
// taken: if it is an object whose member "errors" is true. Engines write that
// before their list of documents or after it, with white space or without.
// Anything but an object, and an object without a word of errors, is taken for a
// yes. The answer is as long as the engine likes: none of it is kept.
func checkAnswer(answer io.Reader) error {
	r := bufio.NewReader(answer)
	if c, err := visible(r); err != nil || c != '{' {
		return nil
	}
	name := false // the last string was "errors"
	for depth := 1; depth > 0; {
		c, err := visible(r)
		if err != nil {
			return errors.New("the sink's answer breaks off: whether all documents were taken is not known")
		}
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			name = skipString(r, `errors"`)
		case ':':
			if name && depth == 1 {
				if c, _ := visible(r); c == 't' {
					return errors.New("the sink did not take all documents")
				}
				return nil
			}
		}
	}
	return nil
}

// visible returns the next byte that is not white space.
func visible(r *bufio.Reader) (byte, error) {
	for {
		c, err := r.ReadByte()
		if err != nil || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, err
		}
	}
}

// skipString reads past the end of a string, and reports whether that was all it
// was: what is given, with the quote that ends it.
func skipString(r *bufio.Reader, text string) bool {
	same, escaped := true, false
	for i := 0; ; i++ {
		c, err := r.ReadByte()
		if err != nil {
			return false // the answer breaks off, as is seen at its next byte
		}
		same = same && i < len(text) && c == text[i]
		if c == '"' && !escaped {
			return same
		}
		escaped = c == '\\' && !escaped
	}
}

// connectionError is an error of the transport. It tells whoever sends documents
// what went wrong and not where, for that is in what the transport says: the
// sink's address, with all that its query holds.
type connectionError struct{ err error }

func (e *connectionError) Error() string {
	if errno, ok := errors.AsType[syscall.Errno](e.err); ok {
		return "the connection to the sink failed: " + errno.Error()
	}
	return "the connection to the sink failed"
}

func (e *connectionError) Unwrap() error { return e.err }

// gate ends the reading of r when it is shut. The transport may go on reading
// a request's body after the answer has come, or the request has failed; by
// then the memory behind r belongs to another request.
type gate struct {
	mu     sync.Mutex
	r      io.Reader
	closed bool
	end    bool // r was read to its end
}

func (g *gate) Read(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return 0, errors.New("the batch is over")
	}
	n, err := g.r.Read(p)
	if err == io.EOF {
		g.end = true
	}
	return n, err
}

// shut waits for a Read under way and lets none begin any more. It reports
// whether all was read.
func (g *gate) shut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	return g.end
}
