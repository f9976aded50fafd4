/* An integer of 37 bits, as C23 has them; gcc 12 does not. */
struct holds_bitint {
	char c;
	_BitInt(37) b;
};
