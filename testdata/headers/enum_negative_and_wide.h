/* A negative value and one above 31 bits: eight bytes, signed. */
enum both_ends {
	BOTH_LOW = -1,
	BOTH_HIGH = 0x80000000,
};
