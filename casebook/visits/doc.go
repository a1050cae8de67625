// Package visits is the case of the visit counter: the rules that every stage
// of its tuning keeps, and the interface they share.
//
// The question of the case is how much of a small handler's cost is avoidable
// when its behaviour must stay. Each sub-package is one stage, written as it
// would have been at that point of the tuning; package visitstest holds the
// one table and the two benchmarks that all of them run.
//
// What a stage does with /hello?name=N&color=C:
//
//   - GET and POST count a visit. Any other method, HEAD too since it would
//     count, is answered 405 with an Allow header.
//   - name and color are read as http.Request.FormValue reads them: a form in
//     the body before the query, the first of several values, multipart forms
//     as well. A body over [MaxBody] bytes is not read as a form; the query
//     alone counts then.
//   - A request whose name is missing or empty is answered 400. It is neither
//     counted nor logged.
//   - Everything else is answered 200 with [ContentType]: an h1 in the colour
//     that says Welcome!, a paragraph "Name: N", a paragraph "Count: n".
//   - The name is HTML-escaped. A colour that is not one (see [IsColour]) is
//     replaced by [DefaultColour]. The handler this case goes back to wrote
//     both as they came and so let anybody inject markup; the cost of being
//     safe is part of every stage.
//   - Each visit writes one record to the log: time, level info, message
//     "visited", and the fields module, name and count. One record is one call
//     of Write, calls do not overlap, and no character of a name can end a
//     record or forge a field. Formats differ from stage to stage. A log that
//     cannot be written costs the visitor nothing; the failure is said on
//     standard error.
//
// Counts are exact under concurrent requests. Their map grows with every new
// name a visitor makes up and is never pruned: that is the behaviour of the
// case, not advice.
package visits
