package app

// view is one way to look at a profile: a verb, and a command of the prompt.
type view struct {
	name string
	// param is what the first operand of the verb, and the first word of the
	// command, is called where it chooses functions: "RE".
	param    string
	short    string
	long     string
	examples []string
	takes    group
}
