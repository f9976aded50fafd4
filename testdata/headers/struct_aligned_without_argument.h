/* aligned without a number on a whole struct. */
struct whole_aligned_most {
	char c;
} __attribute__((aligned));
