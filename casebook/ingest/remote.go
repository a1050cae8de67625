package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
)

// Remote is a sink at an address: a search engine's bulk endpoint.
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

// answerHead is how much of an answer is looked at for the search engine's
// word on whether a document failed. It stands before the list of documents.
const answerHead = 4 << 10

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
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("the sink answered %s", answer.Status)
	}
	if !g.shut() { // and may go on with its answer for as long as it is sent documents
		return errors.New("the sink answered before it had all documents")
	}
	head, err := io.ReadAll(io.LimitReader(answer.Body, answerHead))
	if err != nil {
		return fmt.Errorf("read the sink's answer: %w", err)
	}
	if bytes.Contains(head, []byte(`"errors":true`)) {
		return errors.New("the sink did not take all documents")
	}
	// So that the connection can be used again.
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

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
