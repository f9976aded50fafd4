/* A half-precision number as a member. */
struct holds_half {
	char c;
	_Float16 h;
};
