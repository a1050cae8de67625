//go:build !linux

package process

import "errors"

func pinThread(processors []int) (unpin func(), err error) {
	if len(processors) == 0 {
		return func() {}, nil
	}
	return nil, errors.New("pinning to processors needs Linux: omit the flag")
}
