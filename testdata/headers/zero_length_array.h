/* An array of no elements at the end. */
struct zero_length {
	int count;
	char rest[0];
};
