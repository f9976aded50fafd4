/* A value of 2^63: eight bytes, unsigned. */
enum top_bit {
	TOP_BIT = 0x8000000000000000,
};
