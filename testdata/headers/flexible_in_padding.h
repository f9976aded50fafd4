/* A flexible array that starts in the tail padding. */
struct flexible_in_padding {
	int count;
	char kind;
	char rest[];
};
