// Package dotwhet is the directory .whet in a module's root, where the
// recordings go that the user gave no name.
//
// It answers where such a recording goes and what it is called, which ones
// there are, which of them an operand such as @ or @chi means, and which are
// removed when there are more than are kept. The module is that of the
// directory the user is in, whatever is measured: so that @ means what was
// recorded from here. Modules that a go.work uses below its directory have one .whet,
// beside the go.work. Where there is no module, or nothing can be written in
// its root, the user's cache directory takes the place of .whet.
//
// Only what whet named itself is ever removed: recording.json says what name
// that was, so that one that was renamed, or that -o put here, stays. So does
// one that is partial, and one that is being read, which its lock shows.
//
// The directory may come with somebody's repository. It is not followed where
// it is a link, nor are recordings in it that are links.
package dotwhet
