/* packed in its two usual places: before the tag and after the brace. */
struct __attribute__((packed)) packed_in_front {
	char c;
	int i;
};

struct packed_behind {
	char c;
	int i;
} __attribute__((packed));
