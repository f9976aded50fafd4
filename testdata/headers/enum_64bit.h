/* A value that needs more than 32 bits makes the enum eight bytes. */
enum wide {
	WIDE_LOW = 1,
	WIDE_HIGH = 0x100000000,
};

struct holds_wide {
	char c;
	enum wide w;
};
