/* A packed enum takes as few bytes as its values need. */
enum one_byte {
	ONE_BYTE_A = 1,
	ONE_BYTE_B = 255,
} __attribute__((packed));

struct holds_one_byte {
	enum one_byte a;
	char b;
};
