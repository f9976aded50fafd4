/* A struct without members has size 0 in GNU C. */
struct nothing {
};

struct around_nothing {
	char before;
	struct nothing gap;
	char after;
};
