package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// packedGzip is the one way in which artifacts are packed.
const packedGzip = "gzip"

// pack compresses the files of these kinds. A file that cannot be compressed, for
// example on a full disk, stays unchanged.
func (w *Writer) pack(kinds ...string) {
	for i, a := range w.Manifest.Artifacts {
		if !slices.Contains(kinds, a.Kind) || a.Packed != "" {
			continue
		}
		from := filepath.Join(w.dir, filepath.FromSlash(a.Path))
		to := a
		to.Path, to.Packed = a.Path+".gz", packedGzip
		var change func([]byte) []byte
		if a.Kind == KindBinary {
			change = Slim
		}
		err := packFile(from, from+".gz", change)
		if err == nil {
			err = w.add(to)
		}
		if err != nil {
			os.Remove(from + ".gz")
			continue
		}
		last := len(w.Manifest.Artifacts) - 1
		w.Manifest.Artifacts[i] = w.Manifest.Artifacts[last]
		w.Manifest.Artifacts = w.Manifest.Artifacts[:last]
		os.Remove(from)
	}
}

// packFile compresses the result of change on a file; nil: the file itself, which may
// be larger than memory.
func packFile(from, to string, change func([]byte) []byte) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() || change != nil && st.Size() > maxArtifactBytes {
		return errors.New("not a regular file")
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(out)
	if change == nil {
		_, err = io.Copy(z, in)
	} else if data, readErr := io.ReadAll(in); readErr != nil {
		err = readErr
	} else {
		_, err = z.Write(change(data))
	}
	return errors.Join(err, z.Close(), out.Close())
}

// Bounds on the uncompressed size: files that whet compresses have at least a tenth of
// their size, while deflate itself reaches 1,032. Small files may have any ratio.
const (
	mostUnpacked = 100
	leastBound   = 32 << 20
)

// unpack returns the uncompressed data, of at most limit bytes. Its size is in the last
// four bytes: unpack allocates once, and refuses a size above the limit before it
// decompresses anything.
func unpack(how string, data []byte, limit int64) ([]byte, error) {
	if how != packedGzip {
		return nil, fmt.Errorf("unknown packing %.20q", how)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint32(data[len(data)-4:])) // the header alone is longer
	if size > limit {
		return nil, fmt.Errorf("unpacked it exceeds the limit of %d bytes", limit)
	}
	if size > max(leastBound, mostUnpacked*int64(len(data))) {
		return nil, fmt.Errorf("%d bytes that unpack to %d are refused (a decompression bomb?)", len(data), size)
	}
	out := make([]byte, size+1)
	n, err := io.ReadFull(z, out)
	switch {
	case err == nil:
		return nil, errors.New("unpacked it is larger than its trailer says")
	case err != io.ErrUnexpectedEOF && err != io.EOF:
		return nil, err
	case int64(n) < size:
		return nil, io.ErrUnexpectedEOF
	}
	return out[:n:n], nil
}
