// Package gateway is the case of the gateway: JSON comes in, a call of another
// service goes out. Here are the rules that every stage of its tuning keeps,
// the interface they share, and the checks that none of them may leave out.
//
// The question of the case is what it costs to decode and encode what is only
// passed on, and what else a handler makes anew in each request that it could
// have kept. Each sub-package but two is one stage, written as it would have
// been at that point of the tuning; package gatewaytest holds the table and the
// benchmarks that all of them run, package syntax says what is JSON.
//
// What a stage does with POST /call and a body
//
//		{"header":{"businessName":"shop","qua":{"v":"7.1","os":"linux"},"sessionId":"…"},"payload":{…}}
//
//	  - A method that is not POST is answered 405, a body over [MaxBody] bytes
//	    413, one that breaks off 400, one that has not all come by the
//	    connection's read deadline 408. To set one is for the server's own
//	    ReadTimeout.
//	  - A body is one JSON object by the rules of package syntax, at most
//	    [MaxDepth] levels deep. Anything else is answered 400.
//	  - Members are known by their exact names, case and all, however these are
//	    escaped. Those that are not known are passed over, whatever they hold.
//	    One of the five that are known, given twice, is answered 400: which of
//	    two was meant is not for a gateway to guess.
//	  - header is an object, businessName and sessionId are strings, qua is an
//	    object of strings; anything else is answered 400. A null or missing one
//	    is as if empty. In qua and in payload, where a name is repeated the last
//	    one counts, as in encoding/json.
//	  - businessName has 1 to [MaxName] bytes and sessionId 0 to [MaxName]. Without
//	    a sessionId one is made: [SessionLength] characters from [Alphabet], each
//	    as likely as any other.
//	  - qua becomes the string k=v&k=v, sorted by the bytes of the names. It has
//	    at most [MaxQua] pairs and, joined, [MaxQuaBytes] bytes; no name in it is
//	    empty or holds = or &, and no value &: nobody can forge a pair.
//	  - The downstream is called with these and the payload, as a JSON text of
//	    the same value: the same strings and the same digits of each number, in
//	    arrays of the same order. White space, escapes, the order of members and
//	    the earlier ones of a repeated name are not part of the value. A null or
//	    missing payload is null.
//	  - What the downstream answers must pass package syntax too. It is wrapped
//	    as {"header":{"code":200,"message":"ok"},"payload":…}, of the same value
//	    again. Where there is nothing to wrap, code is the status, message says
//	    what is wrong, word for word the same in all stages, and payload is null.
//	    A downstream that fails or answers no JSON is answered 502, one that
//	    takes too long 504. Where the call ended because the caller has gone, the
//	    answer that nobody reads has the status 499.
//	  - Each request is one record in the log, one call of Write that overlaps no
//	    other, and is counted in [Health] by the status of its answer. Why a
//	    downstream failed is told to the log alone. It is failing in the health
//	    record after a 502 or 504 and until the next 200; callers who go away
//	    say nothing about it.
//
// # Where json-iterator differs from itself
//
// The stages before best decode with json-iterator, as published. The first two
// decode into a map and the others into a struct, and the two ways disagree.
// What the map makes of a body is the rule; what two readers would take for two
// things, all stages refuse:
//
//   - Both take texts that are no JSON, and not the same ones. [CheckBody] and
//     [CheckAnswer] come before the decoder, in all stages alike; so their cost
//     is in every comparison. Between the published stages it makes each ratio
//     smaller than it was. Towards best, which has no other pass over the body,
//     it makes it larger: by the share of the original's call that BenchmarkCheck
//     in package gatewaytest measures.
//   - A struct's fields match in any case. The stages with structs set
//     CaseSensitive.
//   - A member that is given twice replaces the first in a map and is merged
//     into it in a struct. [CheckBody] refuses it.
//   - Numbers become float64 in a map by default: 12345678901234567890 comes
//     out as 12345678901234567000, and through a RawMessage as it went in. Digits
//     are the payload's own: the map stages set UseNumber.
//   - What a struct has no field for is skipped, and a number that begins with
//     0 is read as a float32 then, any other as a float64, and refused when it
//     does not fit: 0.1e39 or 1e400 anywhere in a payload. A body that a struct
//     stage cannot decode goes the way of the original.
//   - Halves of surrogate pairs and bytes that are not UTF-8 are replaced on the
//     way through a map and passed on as they are otherwise. Package syntax
//     refuses both.
//
// One difference is left. json-iterator finds the field of a struct by a hash
// of 64 bits of the name and does not compare the name itself. Who makes up
// another name of the same hash is heard by the struct stages and by no other.
package gateway
