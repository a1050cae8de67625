package typeview

import (
	"encoding/binary"
	"go/constant"
	"go/token"
	"math/big"
)

// value writes a constant's value.
func (p *part) value(v constant.Value) {
	write := func(k valueKind, ints ...*big.Int) {
		p.data = append(p.data, byte(k))
		for _, n := range ints {
			p.flag(n.Sign() < 0)
			p.bytes(n.Bytes())
		}
	}
	if v.Kind() == constant.Complex {
		write(valueComplex)
		p.value(constant.Real(v))
		p.value(constant.Imag(v))
		return
	}
	switch x := constant.Val(v).(type) {
	case bool:
		if x {
			write(valueTrue)
		} else {
			write(valueFalse)
		}
	case string:
		write(valueString)
		p.text(x)
	case int64:
		write(valueInt64)
		p.data = binary.AppendVarint(p.data, x)
	case *big.Int:
		write(valueInt, x)
	case *big.Rat:
		write(valueRat, x.Num(), x.Denom())
	case *big.Float:
		data, err := x.GobEncode()
		if err != nil {
			write(valueUnknown)
			return
		}
		write(valueFloat)
		p.bytes(data)
	default:
		write(valueUnknown)
	}
}

// value reads a constant's value: of a complex one inside is 1 for its parts.
func (c *cursor) value(inside int) constant.Value {
	switch k := valueKind(c.byte()); k {
	case valueUnknown:
		return constant.MakeUnknown()
	case valueFalse, valueTrue:
		return constant.MakeBool(k == valueTrue)
	case valueString:
		return constant.MakeString(c.text())
	case valueInt64:
		return constant.MakeInt64(c.int64())
	case valueInt:
		return constant.Make(c.bigInt())
	case valueRat:
		num, denom := c.bigInt(), c.bigInt()
		if denom.Sign() <= 0 {
			fail("a constant has the denominator %v", denom)
		}
		return constant.Make(new(big.Rat).SetFrac(num, denom))
	case valueFloat:
		f := new(big.Float)
		if err := f.GobDecode(c.digits()); err != nil || f.IsInf() {
			fail("a constant is no number")
		}
		return constant.Make(f)
	case valueComplex:
		if inside > 0 {
			break
		}
		re, im := c.value(1), c.value(1)
		return constant.BinaryOp(constant.ToComplex(re), token.ADD, constant.MakeImag(im))
	default:
		fail("a constant is of kind %d", k)
	}
	fail("a part of a complex constant is complex")
	return nil
}

// maxDigits is how many bytes a number may have: the compiler keeps 64 of an
// integer, and of the smallest float64 as a fraction about twice 135.
const maxDigits = 4096

func (c *cursor) digits() []byte {
	n := c.length()
	if n > maxDigits {
		fail("a constant has %d bytes", n)
	}
	return c.take(n)
}

func (c *cursor) bigInt() *big.Int {
	negative := c.flag()
	n := new(big.Int).SetBytes(c.digits())
	if negative {
		n.Neg(n)
	}
	return n
}
