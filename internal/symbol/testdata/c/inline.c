/* Compiled by the tests: calls inlined in C, which only DWARF knows. */
static inline __attribute__((always_inline)) int inner(int x)
{
	volatile int y = x * 3;
	return y ^ x;
}

static inline __attribute__((always_inline)) int middle(int x)
{
	return inner(x) + 7;
}

__attribute__((noinline)) int outer(int n)
{
	int total = 0;
	for (int i = 0; i < n; i++)
		total += middle(i);
	return total;
}

int main(void)
{
	return outer(10) == 0;
}
