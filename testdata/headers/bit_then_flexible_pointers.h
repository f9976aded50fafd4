/* A bit-field, then a flexible array whose elements need eight bytes. */
struct bit_then_pointers {
	char flag : 1;
	void *slots[];
};
