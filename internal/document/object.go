package document

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Object is a JSON object in its order: keys, each before its value, and objects
// whose members stand in it as its own. Members are left out that have the value
// of IfSet of a zero one. An object that is a document begins with Begin.
type Object []any

// Begin returns the members that a document begins with.
func Begin(schema string, warnings []string) Object {
	return Object{"schema", schema, "warnings", append([]string{}, warnings...)}
}

// leftOut is the value of a member that is not there.
type leftOut struct{}

// IfSet returns the value of a member that is left out where it is zero.
func IfSet[T comparable](v T) any {
	if v == *new(T) {
		return leftOut{}
	}
	return v
}

// Each makes an object of each of a list.
func Each[T any](list []T, of func(*T) Object) []Object {
	out := make([]Object, len(list))
	for i := range list {
		out[i] = of(&list[i])
	}
	return out
}

// Header returns the header of a document.
func (o Object) Header() (h Head) {
	if len(o) > 0 {
		if first, ok := o[0].(Object); ok {
			return first.Header()
		}
	}
	if len(o) >= 4 {
		h.Schema, _ = o[1].(string)
		h.Warnings, _ = o[3].([]string)
	}
	return h
}

func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := o.write(&b, e)
	return b.Bytes(), err
}

func (o Object) write(b *bytes.Buffer, e *json.Encoder) error {
	b.WriteByte('{')
	err := o.members(b, e, b.Len())
	b.WriteByte('}')
	return err
}

// members writes what stands in an object that begins at a place of b.
func (o Object) members(b *bytes.Buffer, e *json.Encoder, begin int) error {
	for i := 0; i < len(o); i++ {
		if part, ok := o[i].(Object); ok {
			if err := part.members(b, e, begin); err != nil {
				return err
			}
			continue
		}
		key, ok := o[i].(string)
		if i++; !ok || i == len(o) {
			return fmt.Errorf("%v is no key with a value", o[i-1])
		}
		if o[i] == (leftOut{}) {
			continue
		}
		if b.Len() > begin {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:", key)
		var err error
		switch v := o[i].(type) { // the encoder would look at what these write once more
		case Object:
			err = v.write(b, e)
		case []Object:
			b.WriteByte('[')
			for k := 0; k < len(v) && err == nil; k++ {
				if k > 0 {
					b.WriteByte(',')
				}
				err = v[k].write(b, e)
			}
			b.WriteByte(']')
		default:
			err = e.Encode(v)
			b.Truncate(b.Len() - 1) // the line's end
		}
		if err != nil {
			return err
		}
	}
	return nil
}
