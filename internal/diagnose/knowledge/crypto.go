package knowledge

import (
	"go/ast"

	"whet/internal/finding"
	"whet/internal/typed"
)

// ofCrypto are the rows of packages crypto/... and hash/....
func ofCrypto() []Row {
	return []Row{
		{
			ID: "aes-cipher-per-call", Cause: "made-per-call", Callees: []string{"crypto/aes.NewCipher", "crypto/des.NewCipher", "crypto/des.NewTripleDESCipher"}, When: either(fixed(0), stored(0)),
			Cost: "expands the key", Instead: "Keep the cipher.Block beside the key: it is safe for concurrent use, and so is a cipher.AEAD.", Confidence: finding.Medium,
			Example: Example{Params: "b []byte", Args: "make([]byte, 16)", Decls: "var key = []byte(\"0123456789abcdef\")\n\nvar block, _ = aes.NewCipher(key)", Imports: []string{"crypto/aes"},
				Before: "block, err := aes.NewCipher(key)\nif err != nil {\n\treturn\n}\nblock.Encrypt(b, b)", After: "block.Encrypt(b, b)"},
		},
		{
			ID: "aead-per-call", Cause: "made-per-call", Callees: []string{"crypto/cipher.NewGCM"}, When: either(stored(0), blockOfStored),
			Cost: "builds the tables of a key", Instead: "Keep the cipher.AEAD beside the key: it is safe for concurrent use.", Confidence: finding.Medium,
			Example: Example{Params: "b, nonce []byte", Result: "[]byte", Args: "make([]byte, 64), make([]byte, 12)", Decls: "var block, _ = aes.NewCipher([]byte(\"0123456789abcdef\"))\n\nvar gcm, _ = cipher.NewGCM(block)", Imports: []string{"crypto/aes", "crypto/cipher"},
				Before: "gcm, err := cipher.NewGCM(block)\nif err != nil {\n\treturn nil\n}\nreturn gcm.Seal(nil, nonce, b, nil)", After: "return gcm.Seal(nil, nonce, b, nil)"},
		},
		{
			ID: "x509-key-per-call", Cause: "made-per-call", Callees: []string{"crypto/x509.ParsePKCS1PrivateKey", "crypto/x509.ParsePKCS8PrivateKey", "crypto/x509.ParseECPrivateKey", "crypto/x509.ParsePKIXPublicKey", "crypto/x509.ParsePKCS1PublicKey"}, When: either(fixed(0), stored(0)),
			Cost: "parses and checks a key", Instead: "Parse the key once, where it is set, and keep the result: it is safe for concurrent use.", Confidence: finding.Medium,
			Example: Example{Params: "sum []byte", Result: "bool", Args: "make([]byte, 32)", Imports: []string{"crypto/ecdsa", "crypto/elliptic", "crypto/x509", "crand crypto/rand"},
				Decls:  "var private, _ = ecdsa.GenerateKey(elliptic.P256(), crand.Reader)\n\nvar der, _ = x509.MarshalPKIXPublicKey(&private.PublicKey)\n\nvar parsed, _ = x509.ParsePKIXPublicKey(der)",
				Before: "key, err := x509.ParsePKIXPublicKey(der)\nif err != nil {\n\treturn false\n}\nreturn key.(*ecdsa.PublicKey).Equal(&private.PublicKey)",
				After:  "return parsed.(*ecdsa.PublicKey).Equal(&private.PublicKey)"},
		},
		{
			ID: "x509-certificate-per-call", Cause: "made-per-call", Callees: []string{"crypto/x509.ParseCertificate", "crypto/tls.X509KeyPair", "crypto/tls.LoadX509KeyPair", "crypto/x509.(*CertPool).AppendCertsFromPEM"}, When: all(stored(0), varying(0)),
			Cost: "parses a certificate", Instead: "Parse it once, where it is set, and keep the result: it is safe for concurrent use.", Confidence: finding.Medium,
			Example: Example{Params: "s *store", Result: "int", Args: "newStore()", Imports: []string{"crypto/ecdsa", "crypto/elliptic", "crypto/x509", "crand crypto/rand", "math/big"},
				Decls:  "type store struct{ der []byte }\n\nvar raw []byte\n\nvar parsed *x509.Certificate\n\nfunc newStore() *store {\n\tkey, _ := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)\n\tt := &x509.Certificate{SerialNumber: big.NewInt(1)}\n\traw, _ = x509.CreateCertificate(crand.Reader, t, t, &key.PublicKey, key)\n\tparsed, _ = x509.ParseCertificate(raw)\n\treturn &store{raw}\n}",
				Before: "cert, err := x509.ParseCertificate(raw)\nif err != nil {\n\treturn 0\n}\nreturn cert.Version",
				After:  "return parsed.Version"},
		},
		{
			ID: "ed25519-seed-per-call", Cause: "made-per-call", Callees: []string{"crypto/ed25519.NewKeyFromSeed"}, When: either(fixed(0), stored(0)),
			Cost: "multiplies on the curve to compute the public key", Instead: "Derive the key once, where the seed is set, and keep it until the seed changes.", Confidence: finding.Medium,
			Example: Example{Params: "msg []byte", Result: "[]byte", Args: "make([]byte, 32)", Decls: "var seed = make([]byte, 32)\n\nvar key = ed25519.NewKeyFromSeed(seed)", Imports: []string{"crypto/ed25519"},
				Before: "return ed25519.Sign(ed25519.NewKeyFromSeed(seed), msg)", After: "return ed25519.Sign(key, msg)"},
		},
		{
			ID: "pbkdf2-per-call", Cause: "made-per-call", Callees: []string{"crypto/pbkdf2.Key[...]"}, When: all(either(fixed(1), stored(1)), either(fixed(2), stored(2))),
			Cost: "derives a key, which is intentionally slow", Instead: "Derive the key once, where the password and the salt are set, and keep it until one of them changes.", Confidence: finding.Medium,
			Example: Example{Params: "b []byte", Result: "int", Args: "make([]byte, 16)", Imports: []string{"crypto/pbkdf2"},
				Decls:  "const password = \"correct horse\"\n\nvar salt = []byte(\"battery staple\")\n\nvar derived, _ = pbkdf2.Key(sha256.New, password, salt, 100, 32)",
				Before: "key, _ := pbkdf2.Key(sha256.New, password, salt, 100, 32)\nreturn subtle.ConstantTimeCompare(key[:16], b)", After: "return subtle.ConstantTimeCompare(derived[:16], b)"},
		},
		{
			ID: "crypto-rand-read-loop", Cause: "small-io", Callees: []string{"crypto/rand.Read"}, When: all(inBatch, small(0, 64)),
			Cost: "asks the operating system for a few random bytes", Instead: "Read the bytes for all rounds at once, before the loop. Keep the call in a loop that mostly ends in its first rounds.", Confidence: finding.Medium,
			Example: Example{Params: "out []uint32", Args: "make([]uint32, 64)", Imports: []string{"crypto/rand"},
				Before: "b := make([]byte, 4)\nfor i := range out {\n\trand.Read(b)\n\tout[i] = binary.LittleEndian.Uint32(b)\n}",
				After:  "b := make([]byte, 4*len(out))\nrand.Read(b)\nfor i := range out {\n\tout[i] = binary.LittleEndian.Uint32(b[4*i:])\n}"},
		},
		{
			ID: "crypto-rand-int", Cause: "general-function", Callees: []string{"crypto/rand.Int"}, When: all(isObject(0, "crypto/rand.Reader"), smallLimit),
			Cost: "draws with big numbers on the heap", Instead: "Read 8 bytes with crypto/rand.Read, take binary.LittleEndian.Uint64 of them, mask the number to the bits of the limit, and draw again if it is not below the limit: the result is just as uniform.", Confidence: finding.High,
			Example: Example{Params: "b []byte", Result: "int", Args: "make([]byte, 8)", Imports: []string{"crypto/rand"}, Differs: true,
				Before: "n, _ := rand.Int(rand.Reader, big.NewInt(100))\nreturn int(n.Int64())",
				After:  "for {\n\trand.Read(b)\n\tif n := binary.LittleEndian.Uint64(b) & 127; n < 100 {\n\t\treturn int(n)\n\t}\n}"},
		},
		{
			ID: "maphash-hash", Cause: "general-function", Callees: []string{"hash/maphash.(*Hash).WriteString", "hash/maphash.(*Hash).Write"}, When: oneInput,
			Cost: "copies its input into the buffer of a Hash", Instead: "maphash.String(seed, s) and maphash.Bytes(seed, b) hash the input in place, with the same result.", Confidence: finding.High,
			Example: Example{Params: "s string", Result: "uint64", Args: `"the quick brown fox jumps over the lazy dog"`, Decls: "var seed = maphash.MakeSeed()",
				Before: "var h maphash.Hash\nh.SetSeed(seed)\nh.WriteString(s)\nreturn h.Sum64()", After: "return maphash.String(seed, s)"},
		},
	}
}

// blockOfStored holds of a cipher.Block made of a key that stays.
var blockOfStored = arg(0, "is the result of crypto/aes.NewCipher with a long-lived key", func(c *Call, e ast.Expr) bool {
	call := c.made(e)
	return call != nil && c.In.Called(call) == "crypto/aes.NewCipher" && len(call.Args) == 1 && (c.In.Fixed(call.Args[0]).Always() || c.isStored(call.Args[0], 8))
})

// smallLimit holds of a limit that fits a word.
var smallLimit = arg(1, "is big.NewInt of a constant", func(c *Call, e ast.Expr) bool {
	call := c.made(e)
	if call == nil || c.In.Called(call) != "math/big.NewInt" || len(call.Args) != 1 || !c.unchanged(e) {
		return false
	}
	_, ok := c.integer(call.Args[0])
	return ok
})

// oneInput holds where a local hash takes this one input alone.
var oneInput = Condition{"its hash is a local variable on which only the seed is set", func(c *Call) bool {
	v := c.receiverVar()
	if v == nil {
		return false
	}
	if given, _ := c.In.Named(v); given || typed.Global(v) || c.In.Definition(v) == nil || c.block(c.In.Definition(v)) != c.block(c.CallExpr) {
		return false
	}
	seeded, writes := false, 0
	for _, id := range c.In.Uses(v) {
		sel, ok := c.In.Parent(id).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		switch sel.Sel.Name {
		case "SetSeed":
			seeded = true
		case "Sum64":
		case "Write", "WriteString":
			writes++
		default:
			return false
		}
	}
	return seeded && writes == 1 && !c.isReceiver(c.receiver())
}}
