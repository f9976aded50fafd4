/* aligned without a number means the machine's largest alignment. */
struct aligned_most {
	char c;
	int i __attribute__((aligned));
};
