package typed

// TypeName is how symbols of conversions write a type.
var TypeName = typeName

// InLoop reports whether a for statement of its function repeats the call.
func (s Site) InLoop() bool { return s.In.surroundings(s.CallExpr).loop != nil }
