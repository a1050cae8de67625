// Package avatar is the case of the initials as a picture: the rules that every
// stage of its tuning keeps, the interface they share, and the library that
// draws.
//
// The question of the case is what a service costs that computes the same
// result again, and what is still wrong once a cache hides that. Each
// sub-package is one stage, written as it would have been at that point of the
// tuning; package avatartest holds the one table and the benchmarks that all of
// them run. Package constant is no stage: it is the ceiling that the last one
// is held against.
//
// What a stage does with /avatar/NAME?size=N:
//
//   - GET and HEAD are answered. Any other method is answered 405 with an Allow
//     header.
//   - A body means nothing here. It is read and dropped up to [MaxBody] bytes;
//     a larger one is answered 413, and one that has not come after
//     [Options.Deadline] 408.
//   - NAME is the rest of the path, percent signs decoded: 1 to [MaxName]
//     letters and other characters of UTF-8, without controls, direction marks
//     and slashes. It holds at least one letter or digit. Anything else is
//     answered 400.
//   - size is the first of that name in the query, a decimal number of pixels
//     from [MinSize] to [MaxSize]; none, or an empty one, is [DefaultSize].
//     Anything else is answered 400.
//   - Words are separated by white space. A word's initial is its first letter
//     or digit, in upper case; a word without one has none. The picture shows
//     the initial of the first word and, if there is another, that of the last.
//   - The background is one of sixteen colours, chosen by a hash of the whole
//     name as it was given. So the picture is decided by the initials, the
//     colour and the size, which is [Picture], and by nothing else.
//   - The picture is a square PNG: the initials in white Go Regular at half its
//     height, centred by their advance and by the height of capitals. A letter
//     that the font lacks is drawn as the font's box. Stages may encode
//     differently; decoded, their pixels are equal.
//   - Before it is drawn, and again before it is encoded, the work ends when
//     the client has gone or Options.Deadline has passed: 503, with
//     Retry-After. A PNG that is at hand is answered in any case.
//   - Every answer has its Content-Length. What is left of a HEAD request's
//     answer is for net/http to cut off.
//   - What is kept between requests is bounded by [Options.CacheBytes], however
//     many names and sizes visitors make up.
//   - A request that is refused, or fails, writes one record to the log: time,
//     level warning, the reason as its message, and the fields module and
//     status. A request that is answered writes one of level info, message
//     "answered", with the fields module, name, size and bytes, in the stages
//     before the one that turns this off. One record is one JSON object in one
//     call of Write, and calls do not overlap.
//
// A client that takes no bytes is for the server's own WriteTimeout to bound;
// that of cmd/casebook has one.
package avatar
