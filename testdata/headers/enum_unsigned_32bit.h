/* An enumerator with bit 31 keeps the enum at four bytes, unsigned. */
enum mask32 {
	MASK32_NONE = 0,
	MASK32_ALL = 0xFFFFFFFF,
};
