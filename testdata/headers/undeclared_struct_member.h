/* Not valid: a member whose struct is never declared. */
struct holds_unknown {
	int i;
	struct never_declared u;
};
