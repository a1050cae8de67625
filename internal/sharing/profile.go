package sharing

import (
	"encoding/binary"
	"errors"
)

// Fields of pprof's profile.proto.
const (
	profileMapping  = 3
	profileFunction = 5
	profileStrings  = 6
	mappingFile     = 5
	functionFile    = 4
)

var errDamaged = errors.New("it is damaged")

// fields calls f with each field of a protocol buffer: its number, its value if it is
// a number, its bytes if it has a length, and the whole encoded field.
func fields(data []byte, f func(number int, value uint64, bytes, all []byte)) error {
	for len(data) > 0 {
		key, n := binary.Uvarint(data)
		if n <= 0 {
			return errDamaged
		}
		var value uint64
		var bytes []byte
		end := n
		switch key & 7 {
		case 0:
			v, m := binary.Uvarint(data[n:])
			if m <= 0 {
				return errDamaged
			}
			value, end = v, n+m
		case 1:
			end = n + 8
		case 5:
			end = n + 4
		case 2:
			length, m := binary.Uvarint(data[n:])
			if m <= 0 || length > uint64(len(data)-n-m) {
				return errDamaged
			}
			end = n + m + int(length)
			bytes = data[n+m : end]
		default:
			return errDamaged
		}
		if end > len(data) {
			return errDamaged
		}
		f(int(key>>3), value, bytes, data[:end])
		data = data[end:]
	}
	return nil
}

// profile returns an unpacked profile with the names of its files and all other texts
// cleaned. Texts that are in its table for both count as files.
func (c *cleaner) profile(data []byte) ([]byte, error) {
	files := make(map[uint64]bool)
	var inner error
	nested := func(bytes []byte, file int) {
		inner = errors.Join(inner, fields(bytes, func(number int, value uint64, _, _ []byte) {
			if number == file {
				files[value] = true
			}
		}))
	}
	err := fields(data, func(number int, _ uint64, bytes, _ []byte) {
		switch number {
		case profileMapping:
			nested(bytes, mappingFile)
		case profileFunction:
			nested(bytes, functionFile)
		}
	})
	if err = errors.Join(err, inner); err != nil {
		return nil, errDamaged
	}
	out := make([]byte, 0, len(data))
	at := uint64(0)
	err = fields(data, func(number int, _ uint64, bytes, all []byte) {
		if number != profileStrings {
			out = append(out, all...)
			return
		}
		text := string(bytes)
		if files[at] {
			text = c.file(text)
		} else {
			text = c.text(text)
		}
		at++
		out = binary.AppendUvarint(out, profileStrings<<3|2)
		out = binary.AppendUvarint(out, uint64(len(text)))
		out = append(out, text...)
	})
	return out, err
}
