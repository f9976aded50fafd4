/* Bit-fields of _Bool and of an enum type. */
enum two_bits { TWO_BITS_A, TWO_BITS_B, TWO_BITS_C };

struct bits_bool_enum {
	_Bool ready : 1;
	enum two_bits mode : 2;
	unsigned rest : 29;
};
