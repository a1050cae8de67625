package diagnose

// Threshold is the smallest share of CPU time, allocated bytes or delay that
// makes a claim a finding. It is the same for every rule and every program.
const Threshold = 0.05

// MinCPUSamples is how many base samples of a CPU profile a rule should ask
// for unless it has a reason of its own: with 200, a place that holds 5 % has
// 10 samples, give or take 3 (the standard deviation of a binomial count).
const MinCPUSamples = 200
