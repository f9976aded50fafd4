/* An array whose elements have no size takes no room either. */
struct no_room {
	int words[0];
};

struct holds_no_room {
	char c;
	struct no_room elements[3];
	char d;
};
