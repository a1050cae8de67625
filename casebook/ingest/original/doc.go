// Package original is the intake before any tuning: it reads the whole body,
// and works on that. The memory for it grows step by step, for a reader does
// not say how much is still to come, and every step is allocated, filled and
// left to the collector; of a body of 5 MB that is several times 5 MB.
//
// It was published with ioutil.ReadAll, which grew a bytes.Buffer by doubling.
// That name stands for io.ReadAll since Go 1.16. Since Go 1.26 that collects
// pieces and copies them once, which allocates about half: so what the stages
// after this one gain is less today than it was.
package original
