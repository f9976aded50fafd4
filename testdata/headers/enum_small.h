/* Small values that are not negative: unsigned, four bytes. */
enum small {
	SMALL_ZERO,
	SMALL_ONE,
	SMALL_SEVEN = 7,
};
