package readgrowth

import (
	"math"

	"whet/internal/diagnose"
)

// blocks are the blocks of one size in what a statement reads into.
type blocks struct {
	n         int64
	deviation float64 // of n; 0 where every block is counted
	told      bool    // enough were seen to say anything of their number
}

func (f *finder) blocks(r *readStatement) map[int64]blocks {
	out := make(map[int64]blocks)
	f.s.EachBlock(&r.Allocs, func(_ int, n, size int64) {
		b := out[size]
		b.n += n
		out[size] = b
	})
	for size, b := range out {
		seen, deviation := f.s.BlocksSeen(b.n, size)
		b.deviation, b.told = deviation, !f.s.SampledAllocs() || seen >= diagnose.FewestSeen
		out[size] = b
	}
	return out
}

// pieces returns the samples of the pieces that ReadAll of Go 1.26 reads into:
// blocks of 512 bytes, of 256, and of half as much again each time, rounded up
// to what the heap hands out; and, where every block is counted, the row of
// slices that remembers them. The largest block is no piece, as the pieces of
// one reading add up to it; nor is a size of which there are more than of the
// piece before it. ok is false where it is an older ReadAll, or no ReadAll.
//
// Where every block is counted, the first two pieces tell which ReadAll it is. A
// sampled profile catches hardly any block that small: there it is told by a row
// of four pieces or more, and by what they add up to.
func (f *finder) pieces(r *readStatement) (out diagnose.Set, share float64, ok bool) {
	if r.via != readAll || r.Allocs.Len() == 0 {
		return out, 0, false
	}
	sizes := f.blocks(r)
	var largest int64
	for size := range sizes {
		largest = max(largest, size)
	}
	sampled := f.s.SampledAllocs()
	if !sampled && (sizes[512].n == 0 || sizes[256].n == 0) {
		return out, 0, false
	}
	isPiece := map[int64]bool{512: !sampled || sizes[512].told, 96: !sampled}
	before := sizes[512]
	row, longest := 0, 0
	for next := int64(256); next < largest; next += next / 2 {
		step, of := stepOf(sizes, next, largest)
		if step.n == 0 && sampled {
			row = 0 // too few were caught
			continue
		}
		if step.n == 0 {
			break
		}
		noise := surelyMore * math.Hypot(step.deviation, before.deviation)
		if before.told && float64(step.n)-noise > float64(before.n+before.n/20) {
			continue // a whole input of that size among them
		}
		before = step
		row++
		longest = max(longest, row)
		for _, size := range of {
			isPiece[size] = true
		}
	}
	var all, bytes, allN, n int64
	f.s.EachBlock(&r.Allocs, func(i int, count, size int64) {
		if sizes[size].told {
			allN += count
		}
		all += count * size
		if isPiece[size] {
			out.Add(i)
			n += count
			bytes += count * size
		}
	})
	if sampled && (longest < fewestPieces || !addUp(sizes, isPiece)) {
		return diagnose.Set{}, 0, false
	}
	return out, min(float64(n)/float64(allN), float64(bytes)/float64(all)), true
}

// stepOf returns the blocks that may be the piece for which so many bytes were
// asked, and their sizes. None, where too few of them were seen.
func stepOf(sizes map[int64]blocks, asked, largest int64) (step blocks, of []int64) {
	for size, b := range sizes {
		if b.told && isRounded(size, asked) && size < largest {
			step.n += b.n
			step.deviation = math.Hypot(step.deviation, b.deviation)
			step.told = true
			of = append(of, size)
		}
	}
	return step, of
}

const (
	// fewestPieces is how many steps of the row a sampled profile must show, one
	// after the other. A small block of any size is taken for a piece in about
	// three of ten cases (isRounded allows an eighth where a step is a half), four
	// such blocks in a row by chance in one of a hundred.
	fewestPieces = 4
	// The pieces of one reading hold it, and all but the last are filled to
	// fifteen sixteenths: all before the last are at most 16/15 of the input. The
	// last is half of those before it: 256·1.5^k, where 512 + 256·(1 + 1.5 + … +
	// 1.5^(k−1)) = 512·1.5^k. So together they are at most 1.5·16/15 = 1.6 times
	// the one block that they are copied into at the end.
	mostPieces = 1.6
	// Where the first pieces were not seen, those missing are 512·1.5^k bytes and
	// four that follow 256·1.5^k·(1 + 1.5 + 2.25 + 3.375) = 2,080·1.5^k: the
	// pieces are at least 2,080/2,592 = 0.80 of the whole.
	leastPieces = 0.8
	// surelyMore is how many standard deviations a sampled number must lie beyond
	// another to count as larger: of normal differences one in 740 does by chance.
	surelyMore = 3
)

// addUp reports whether the pieces of a sampled profile hold as much as the
// blocks that they were copied into.
func addUp(sizes map[int64]blocks, isPiece map[int64]bool) bool {
	var pieces, whole, most, least float64
	for size, b := range sizes {
		bytes, deviation := float64(size)*float64(b.n), float64(size)*b.deviation
		if isPiece[size] {
			pieces += bytes
			most, least = math.Hypot(most, deviation), math.Hypot(least, deviation)
		} else {
			whole += bytes
			most, least = math.Hypot(most, mostPieces*deviation), math.Hypot(least, leastPieces*deviation)
		}
	}
	return pieces-surelyMore*most <= mostPieces*whole && pieces+surelyMore*least >= leastPieces*whole
}

// isRounded reports whether the heap hands out a block of this size for what
// was asked: of the next class, or in whole pages of 8 KiB above 32 KiB.
func isRounded(size, asked int64) bool {
	most := asked + asked/8
	if asked > 32<<10 {
		most = asked + 8<<10 - 1
	}
	return asked <= size && size <= most
}
