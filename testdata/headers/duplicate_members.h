/* Not valid: two members of one name. */
struct holds_twice {
	int same;
	long same;
};
