/* A flexible array starts before the end that sizeof gives. */
struct flexible_after_chars {
	int count;
	char name[33];
	char rest[];
};
