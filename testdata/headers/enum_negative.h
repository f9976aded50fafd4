/* A negative value makes the enum signed. */
enum below {
	BELOW_ALL = -1,
	BELOW_NONE = 0,
	BELOW_MIN = -2147483647 - 1,
	BELOW_MAX = 2147483647,
};
