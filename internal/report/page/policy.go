package page

import (
	"crypto/sha256"
	"encoding/base64"
)

// policy returns the Content-Security-Policy of a page: nothing from elsewhere, and of
// what is in it this style and this script alone; "" is none.
func policy(style, script string) string {
	scripts := "'none'"
	if script != "" {
		scripts = hashSource(script)
	}
	return "default-src 'none'; script-src " + scripts + "; style-src " + hashSource(style) + "; base-uri 'none'; form-action 'none'"
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
