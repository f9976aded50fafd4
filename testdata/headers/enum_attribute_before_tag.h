/* An attribute between the word enum and the tag. */
enum __attribute__((packed)) attribute_first {
	ATTRIBUTE_FIRST_A = 1,
};

struct holds_attribute_first {
	enum attribute_first a;
	char c;
};
