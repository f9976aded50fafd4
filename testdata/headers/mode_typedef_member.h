/* mode(DI) makes an eight-byte integer of an int. */
typedef int eight_bytes __attribute__((mode(DI)));

struct holds_mode {
	int i;
	eight_bytes d;
};
