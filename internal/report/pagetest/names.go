package pagetest

// Names that a hostile profile could hold.
const (
	Tag      = `</script><img src=x onerror=alert(1)>`
	Quote    = `" onmouseover="alert(2)" x='{{.}}`
	Terminal = "\x1b]0;owned\x07\x1b[2J\u009b31m\x7f\r\nmain.x"
	Bidi     = "main.\u202egnp.exe\u2066\u200b\u2028\u2029"
	UTF8     = "main.\xff\xfe\x80"
)
