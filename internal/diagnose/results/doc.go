// Package results answers, for rules, which statements call a function and use its
// result in a way for which it need not have been made.
//
// It reads the base samples of the CPU and allocation profiles: one belongs to the
// innermost statement of the user's own on its stack, where that calls the function
// directly. The typed view says what sees the results. Of several calls of the
// function in a statement all must be of the kind, as samples do not tell them
// apart.
//
// It misleads where a function takes its result's memory in another that it calls:
// that is not counted as avoidable.
package results
