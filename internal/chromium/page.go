package chromium

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"
)

// FileURL returns the address of a file.
func FileURL(name string) string {
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(name)}
	return address.String()
}

// Navigate opens an address, and waits until all of it has loaded.
func (b *Browser) Navigate(ctx context.Context, address string) error {
	var to struct{ LoaderID, ErrorText string }
	if err := b.Call(ctx, "Page.navigate", map[string]any{"url": address}, &to); err != nil {
		return err
	}
	if to.ErrorText != "" {
		return fmt.Errorf("open %s: %s", address, to.ErrorText)
	}
	for {
		b.mu.Lock()
		loaded, changed := b.loaded[to.LoaderID], b.changed
		b.mu.Unlock()
		if loaded {
			return nil
		}
		select {
		case <-changed:
		case <-b.ended:
			return fmt.Errorf("open %s: the browser has ended", address)
		case <-ctx.Done():
			return fmt.Errorf("open %s: %w", address, context.Cause(ctx))
		}
	}
}

// Eval evaluates an expression in the page; of a promise, what it is kept with.
// Where to is nil, the value is left in the page.
func (b *Browser) Eval(ctx context.Context, expression string, to any) error {
	var got struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	err := b.Call(ctx, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": to != nil}, &got)
	switch {
	case err != nil:
		return err
	case got.Exception != nil:
		return fmt.Errorf("%s %s", got.Exception.Text, got.Exception.Exception.Description)
	case to == nil:
		return nil
	case got.Result.Value == nil:
		return errors.New("it has no value")
	}
	return json.Unmarshal(got.Result.Value, to)
}

// Viewport sets the size of the window in CSS pixels, and how many pixels of the
// screen each is wide.
func (b *Browser) Viewport(ctx context.Context, width, height int64, scale float64) error {
	return b.Call(ctx, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": scale, "mobile": false}, nil)
}

// Media sets what the page is told of the user's wishes, by their names.
func (b *Browser) Media(ctx context.Context, wishes map[string]string) error {
	type feature struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	var features []feature
	for name, value := range wishes {
		features = append(features, feature{name, value})
	}
	return b.Call(ctx, "Emulation.setEmulatedMedia", map[string]any{"features": features}, nil)
}

// Picture returns the window, or the whole page, as PNG.
func (b *Browser) Picture(ctx context.Context, whole bool) ([]byte, error) {
	params := map[string]any{"format": "png"}
	if whole {
		var page struct {
			Size struct {
				Width  float64 `json:"width"`
				Height float64 `json:"height"`
			} `json:"cssContentSize"`
		}
		if err := b.Call(ctx, "Page.getLayoutMetrics", nil, &page); err != nil {
			return nil, err
		}
		params["captureBeyondViewport"] = true
		params["clip"] = map[string]any{"x": 0, "y": 0, "width": page.Size.Width, "height": page.Size.Height, "scale": 1}
	}
	var got struct {
		Data []byte `json:"data"`
	}
	err := b.Call(ctx, "Page.captureScreenshot", params, &got)
	return got.Data, err
}

// mouse is an event of the mouse, as the protocol has it.
type mouse struct {
	Type      string  `json:"type"`
	X         float64 `json:"x"`
	Y         float64 `json:"y"`
	Button    string  `json:"button,omitempty"`
	Clicks    int     `json:"clickCount"`
	DeltaX    float64 `json:"deltaX"`
	DeltaY    float64 `json:"deltaY"`
	Modifiers int     `json:"modifiers"`
}

func (b *Browser) mouse(ctx context.Context, events ...mouse) error {
	for _, e := range events {
		if err := b.Call(ctx, "Input.dispatchMouseEvent", e, nil); err != nil {
			return err
		}
	}
	return nil
}

// Keys that have no letter, as parts of what is typed.
const (
	Enter      = "\r"
	Escape     = "\x1b"
	Backspace  = "\b"
	ArrowLeft  = "←"
	ArrowUp    = "↑"
	ArrowRight = "→"
	ArrowDown  = "↓"
)

var keyNames = map[string]struct {
	name string
	code int
}{
	Enter: {"Enter", 13}, Escape: {"Escape", 27}, Backspace: {"Backspace", 8},
	ArrowLeft: {"ArrowLeft", 37}, ArrowUp: {"ArrowUp", 38}, ArrowRight: {"ArrowRight", 39}, ArrowDown: {"ArrowDown", 40},
}

// Type presses keys, one after the other.
func (b *Browser) Type(ctx context.Context, keys string) error {
	for _, r := range keys {
		key := string(r)
		down := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": unicode.ToUpper(r)}
		switch special, ok := keyNames[key]; {
		case ok:
			down["key"], down["code"], down["windowsVirtualKeyCode"] = special.name, special.name, special.code
			if key == Enter {
				down["text"] = key
			}
		case unicode.IsDigit(r):
			down["text"], down["code"] = key, "Digit"+key
		case unicode.IsLetter(r):
			down["text"], down["code"] = key, "Key"+strings.ToUpper(key)
		default:
			down["text"] = key
		}
		if err := b.Call(ctx, "Input.dispatchKeyEvent", down, nil); err != nil {
			return err
		}
		down["type"] = "keyUp"
		delete(down, "text")
		if err := b.Call(ctx, "Input.dispatchKeyEvent", down, nil); err != nil {
			return err
		}
	}
	return nil
}
