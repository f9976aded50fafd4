/* A tagged struct declared inside another one is visible outside. */
struct outside {
	char c;
	struct inside {
		int i;
		enum within { WITHIN_ONE = 1 } e;
	} member;
};
