package mix

// units is how often an operation does its work: the number that is planted.
const units = 100
