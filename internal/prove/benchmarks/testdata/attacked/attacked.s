// A function of package attacked has its body elsewhere.
